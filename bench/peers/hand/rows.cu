// Rows that are reduced and broadcast back: softmax, layernorm, rmsnorm; logsumexp and argmax. A row stays in the
// registers of the threads that share it, so it is read once.

// V vectors per thread, for the threads that share a row.
template <int V>
struct held {
    float4 v[V];
    template <class F>
    __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int i = 0; i < V; ++i)
#pragma unroll
            for (int e = 0; e < 4; ++e) f(at(v[i], e));
    }
};

template <int V>
DEVICE held<V> load(const float4* row, int threads, int thread) {
    held<V> h;
#pragma unroll
    for (int i = 0; i < V; ++i) h.v[i] = __ldcs(row + i * threads + thread);
    return h;
}

template <int V>
DEVICE void store(float4* row, int threads, int thread, const held<V>& h) {
#pragma unroll
    for (int i = 0; i < V; ++i) __stcs(row + i * threads + thread, h.v[i]);
}

// The maximum and the sum of exponentials over a warp; x becomes exp(x - maximum of the warp).
template <int V>
DEVICE max_sum exponentials(held<V>& h) {
    float top = -infinity, total = 0.f;
    h.each([&](float& x) { top = fmaxf(top, x); });
    top = warp_max(top);
    h.each([&](float& x) { total += x = __expf(x - top); });
    return {top, warp_sum(total)};
}

// One block of 32 W threads per row of 128 W V elements.
template <int W, int V>
DEVICE void softmax_row(float4* out, const float4* x) {
    __shared__ max_sum of_warps[W];
    const long long row = (long long)blockIdx.x * (32 * W * V);
    held<V> h = load<V>(x + row, 32 * W, threadIdx.x);
    const max_sum mine = exponentials(h);
    const max_sum all = block_join<W>(mine.max, mine.sum, of_warps);
    const float scale = __expf(mine.max - all.max) / all.sum;
    h.each([&](float& v) { v *= scale; });
    store(out + row, 32 * W, threadIdx.x, h);
}

#define SOFTMAX(W, V) \
    KERNEL __launch_bounds__(32 * W) softmax_##W##_##V(float4* out, const float4* x) { softmax_row<W, V>(out, x); }
SOFTMAX(4, 8)
SOFTMAX(8, 4)
SOFTMAX(16, 2)

// R rows of 128 elements per warp, eight warps per block; the number of rows is a multiple of 8 R.
template <int R>
DEVICE void softmax_short(float4* out, const float4* x) {
    const long long first = ((long long)blockIdx.x * 8 + threadIdx.x / 32) * (32 * R) + threadIdx.x % 32;
    held<1> h[R];
#pragma unroll
    for (int r = 0; r < R; ++r) h[r].v[0] = __ldcs(x + first + 32 * r);
#pragma unroll
    for (int r = 0; r < R; ++r) {
        const max_sum all = exponentials(h[r]);
        const float scale = 1.f / all.sum;
        h[r].each([&](float& v) { v *= scale; });
        __stcs(out + first + 32 * r, h[r].v[0]);
    }
}
KERNEL __launch_bounds__(256) softmax_short_1(float4* out, const float4* x) { softmax_short<1>(out, x); }
KERNEL __launch_bounds__(256) softmax_short_2(float4* out, const float4* x) { softmax_short<2>(out, x); }
KERNEL __launch_bounds__(256) softmax_short_4(float4* out, const float4* x) { softmax_short<4>(out, x); }

template <int W, int V>
DEVICE void layernorm_row(float4* out, const float4* x, const float4* weight, const float4* bias, float epsilon) {
    __shared__ float shared[2][W];
    constexpr int elements = 128 * W * V;
    const long long row = (long long)blockIdx.x * (32 * W * V);
    held<V> h = load<V>(x + row, 32 * W, threadIdx.x);
    float sum = 0.f, squares = 0.f;
    h.each([&](float& v) { sum += v; });
    const float mean = block_sum<W>(sum, shared[0]) / elements;
    h.each([&](float& v) {
        v -= mean;
        squares += v * v;
    });
    const float scale = rsqrtf(block_sum<W>(squares, shared[1]) / elements + epsilon);
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const float4 w = weight[i * 32 * W + threadIdx.x], b = bias[i * 32 * W + threadIdx.x];
#pragma unroll
        for (int e = 0; e < 4; ++e) at(h.v[i], e) = at(h.v[i], e) * scale * at(w, e) + at(b, e);
    }
    store(out + row, 32 * W, threadIdx.x, h);
}

template <int W, int V>
DEVICE void rmsnorm_row(float4* out, const float4* x, const float4* weight, float epsilon) {
    __shared__ float shared[W];
    constexpr int elements = 128 * W * V;
    const long long row = (long long)blockIdx.x * (32 * W * V);
    held<V> h = load<V>(x + row, 32 * W, threadIdx.x);
    float squares = 0.f;
    h.each([&](float& v) { squares += v * v; });
    const float scale = rsqrtf(block_sum<W>(squares, shared) / elements + epsilon);
#pragma unroll
    for (int i = 0; i < V; ++i) {
        const float4 w = weight[i * 32 * W + threadIdx.x];
#pragma unroll
        for (int e = 0; e < 4; ++e) at(h.v[i], e) = at(h.v[i], e) * scale * at(w, e);
    }
    store(out + row, 32 * W, threadIdx.x, h);
}

#define NORMALISE(W, V)                                                                                              \
    KERNEL __launch_bounds__(32 * W)                                                                                 \
        layernorm_##W##_##V(float4* out, const float4* x, const float4* weight, const float4* bias, float epsilon) { \
        layernorm_row<W, V>(out, x, weight, bias, epsilon);                                                          \
    }                                                                                                                \
    KERNEL __launch_bounds__(32 * W)                                                                                 \
        rmsnorm_##W##_##V(float4* out, const float4* x, const float4* weight, float epsilon) {                       \
        rmsnorm_row<W, V>(out, x, weight, epsilon);                                                                  \
    }
NORMALISE(4, 8)
NORMALISE(8, 4)
NORMALISE(16, 2)

template <int W, int V>
DEVICE void logsumexp_row(float* out, const float4* x) {
    __shared__ max_sum of_warps[W];
    held<V> h = load<V>(x + (long long)blockIdx.x * (32 * W * V), 32 * W, threadIdx.x);
    const max_sum mine = exponentials(h);
    const max_sum all = block_join<W>(mine.max, mine.sum, of_warps);
    if (threadIdx.x == 0) out[blockIdx.x] = logf(all.sum) + all.max;
}
#define LOGSUMEXP(W, V) \
    KERNEL __launch_bounds__(32 * W) logsumexp_##W##_##V(float* out, const float4* x) { logsumexp_row<W, V>(out, x); }
LOGSUMEXP(4, 8)
LOGSUMEXP(8, 4)
LOGSUMEXP(16, 2)

// The first index of a row's largest element: one warp per row, B vectors per lane.
template <int B>
DEVICE void argmax_row(long long* out, const float4* x, int rows, int vectors) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float4* in = x + (long long)row * vectors;
    float top = -infinity;
    int place = 0;
    for (int k = lane; k < vectors; k += 32 * B) {
        float4 v[B];
#pragma unroll
        for (int b = 0; b < B; ++b) v[b] = __ldcs(in + min(k + 32 * b, vectors - 1));
#pragma unroll
        for (int b = 0; b < B; ++b)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                if (at(v[b], e) > top) {
                    top = at(v[b], e);
                    place = 4 * min(k + 32 * b, vectors - 1) + e;
                }
    }
#pragma unroll
    for (int o = 16; o > 0; o /= 2) {
        const float other = __shfl_xor_sync(whole_warp, top, o);
        const int other_place = __shfl_xor_sync(whole_warp, place, o);
        if (other > top || (other == top && other_place < place)) {
            top = other;
            place = other_place;
        }
    }
    if (lane == 0) out[row] = place;
}
KERNEL __launch_bounds__(128) argmax_4(long long* out, const float4* x, int rows, int n) { argmax_row<4>(out, x, rows, n); }
KERNEL __launch_bounds__(128) argmax_8(long long* out, const float4* x, int rows, int n) { argmax_row<8>(out, x, rows, n); }
