// Two moments of each column of a tall matrix, split over the device, and the matrix standardised by them.
//
// A block reduces 128 neighbouring columns (32 lanes of 16 bytes) over a chunk of rows, relative to the first row to
// avoid cancellation; the last block to arrive at those columns reduces the chunks in order.

struct moments {
    float4 sum, squares;
};

DEVICE void add(moments& a, const moments& b) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        at(a.sum, e) += at(b.sum, e);
        at(a.squares, e) += at(b.squares, e);
    }
}

// Returns the moments of its columns about the first row, to the last block's first warp.
template <int Y, int B>
DEVICE bool fold_columns(moments& m, const float4* x, int rows, int inner, int chunks, moments* partial, u32* counters) {
    __shared__ moments parts[Y][32];
    const int lane = threadIdx.x % 32, y = threadIdx.x / 32;
    const int slice = blockIdx.x % (inner / 32), chunk = blockIdx.x / (inner / 32);
    const float4* in = x + slice * 32 + lane;
    const float4 about = *in;
    m = {};
    const int first = (int)((long long)rows * chunk / chunks), end = (int)((long long)rows * (chunk + 1) / chunks);
    for (int k = first + y; k < end; k += Y * B) {
        float4 v[B];
#pragma unroll
        for (int b = 0; b < B; ++b) v[b] = in[(long long)min(k + Y * b, end - 1) * inner];
#pragma unroll
        for (int b = 0; b < B; ++b)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float d = k + Y * b < end ? at(v[b], e) - at(about, e) : 0.f;
                at(m.sum, e) += d;
                at(m.squares, e) += d * d;
            }
    }
    parts[y][lane] = m;
    __syncthreads();
    if (y == 0) {
#pragma unroll
        for (int k = 1; k < Y; ++k) add(m, parts[k][lane]);
        partial[(slice * chunks + chunk) * 32 + lane] = m;
    }
    if (!last_to_arrive(counters + slice, chunks)) return false;
    m = {};
    for (int k = y; k < chunks; k += Y) {
        const float4* p = reinterpret_cast<const float4*>(partial + (slice * chunks + k) * 32 + lane);
        add(m, {__ldcg(p), __ldcg(p + 1)});
    }
    parts[y][lane] = m;
    __syncthreads();
    if (y != 0) return false;
#pragma unroll
    for (int k = 1; k < Y; ++k) add(m, parts[k][lane]);
    return true;
}

template <int Y, int B>
DEVICE void variance(float4* out, const float4* x, int rows, int inner, int chunks, moments* partial, u32* counters) {
    moments m;
    if (!fold_columns<Y, B>(m, x, rows, inner, chunks, partial, counters)) return;
    float4 r;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const float mean = at(m.sum, e) / rows;
        at(r, e) = at(m.squares, e) / rows - mean * mean;
    }
    out[blockIdx.x % (inner / 32) * 32 + threadIdx.x] = r;
}

// Means into out[0 .. inner), reciprocal deviations after them.
template <int Y, int B>
DEVICE void mean_and_scale(float4* out, const float4* x, int rows, int inner, int chunks, moments* p, u32* counters) {
    moments m;
    if (!fold_columns<Y, B>(m, x, rows, inner, chunks, p, counters)) return;
    const int column = blockIdx.x % (inner / 32) * 32 + threadIdx.x;
    const float4 about = x[column];
    float4 means, scales;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const float mean = at(m.sum, e) / rows;
        at(means, e) = at(about, e) + mean;
        at(scales, e) = rsqrtf(at(m.squares, e) / rows - mean * mean);
    }
    out[column] = means;
    out[inner + column] = scales;
}

#define MOMENTS(Y, B)                                                                                                 \
    KERNEL __launch_bounds__(32 * Y)                                                                                  \
        variance_##Y##_##B(float4* out, const float4* x, int rows, int inner, int chunks, moments* p, u32* c) {       \
        variance<Y, B>(out, x, rows, inner, chunks, p, c);                                                            \
    }                                                                                                                 \
    KERNEL __launch_bounds__(32 * Y)                                                                                  \
        mean_and_scale_##Y##_##B(float4* out, const float4* x, int rows, int inner, int chunks, moments* p, u32* c) { \
        mean_and_scale<Y, B>(out, x, rows, inner, chunks, p, c);                                                      \
    }
MOMENTS(8, 8)
MOMENTS(16, 4)
MOMENTS(16, 8)

// (x - mean) * scale, from the last row to the first: the rows read last are still in the cache. 512 threads; `inner`
// divides their number of vectors.
KERNEL __launch_bounds__(512) standardise(float4* out, const float4* x, const float4* of_columns, int vectors, int inner) {
    constexpr int U = 4;
    const int first = (gridDim.x - 1 - blockIdx.x) * (512 * U) + threadIdx.x;
    const float4 mean = of_columns[first % inner], scale = of_columns[inner + first % inner];
    float4 v[U];
#pragma unroll
    for (int u = 0; u < U; ++u)
        if (first + 512 * u < vectors) v[u] = x[first + 512 * u];
#pragma unroll
    for (int u = 0; u < U; ++u) {
        if (first + 512 * u >= vectors) continue;
#pragma unroll
        for (int e = 0; e < 4; ++e) at(v[u], e) = (at(v[u], e) - at(mean, e)) * at(scale, e);
        __stcs(out + first + 512 * u, v[u]);
    }
}
