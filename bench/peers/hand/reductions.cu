// Norms along each axis, and the dot product of two long vectors.
//
// Loads past the end read the last element again instead of being skipped: a conditional load waits for those before
// it, and the kernels need many loads in flight.

// One warp per row, B vectors per lane in flight.
template <int B>
DEVICE void norm_row(float* out, const float4* x, int rows, int vectors) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float4* in = x + (long long)row * vectors;
    float sum[4] = {0.f, 0.f, 0.f, 0.f};
    for (int k = lane; k < vectors; k += 32 * B) {
        float4 v[B];
#pragma unroll
        for (int b = 0; b < B; ++b) v[b] = __ldcs(in + min(k + 32 * b, vectors - 1));
#pragma unroll
        for (int b = 0; b < B; ++b)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float a = k + 32 * b < vectors ? at(v[b], e) : 0.f;
                sum[e] += a * a;
            }
    }
    const float total = warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    if (lane == 0) out[row] = sqrtf(total);
}

KERNEL __launch_bounds__(256) norm_rows_4(float* out, const float4* x, int rows, int vectors) {
    norm_row<4>(out, x, rows, vectors);
}
KERNEL __launch_bounds__(256) norm_rows_8(float* out, const float4* x, int rows, int vectors) {
    norm_row<8>(out, x, rows, vectors);
}

template <int B>
DEVICE void norm_row(double* out, const double2* x, int rows, int vectors) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const double2* in = x + (long long)row * vectors;
    double sum[2] = {0., 0.};
    for (int k = lane; k < vectors; k += 32 * B) {
        double2 v[B];
#pragma unroll
        for (int b = 0; b < B; ++b) v[b] = __ldcs(in + min(k + 32 * b, vectors - 1));
#pragma unroll
        for (int b = 0; b < B; ++b) {
            const double a0 = k + 32 * b < vectors ? v[b].x : 0., a1 = k + 32 * b < vectors ? v[b].y : 0.;
            sum[0] += a0 * a0;
            sum[1] += a1 * a1;
        }
    }
    const double total = warp_sum(sum[0] + sum[1]);
    if (lane == 0) out[row] = sqrt(total);
}

KERNEL __launch_bounds__(256) norm_rows_double_8(double* out, const double2* x, int rows, int vectors) {
    norm_row<8>(out, x, rows, vectors);
}
KERNEL __launch_bounds__(256) norm_rows_double_16(double* out, const double2* x, int rows, int vectors) {
    norm_row<16>(out, x, rows, vectors);
}

// Columns: x is (outer, n, inner), and n is reduced. A block is 32 vectors of neighbouring columns by Y thread rows,
// which share n. The columns of all outer indices are numbered consecutively, so only the last block has idle lanes.
template <int Y, int B>
DEVICE void norm_column(float4* out, const float4* x, int outer, int n, int inner) {
    __shared__ float4 parts[Y][32];
    const int lane = threadIdx.x % 32, y = threadIdx.x / 32;
    const int column = blockIdx.x * 32 + lane;
    float4 sum{};
    if (column < outer * inner) {
        const float4* in = x + (long long)(column / inner) * n * inner + column % inner;
        for (int k = y; k < n; k += Y * B) {
            float4 v[B];
#pragma unroll
            for (int b = 0; b < B; ++b) v[b] = __ldcs(in + (long long)min(k + Y * b, n - 1) * inner);
#pragma unroll
            for (int b = 0; b < B; ++b)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const float a = k + Y * b < n ? at(v[b], e) : 0.f;
                    at(sum, e) += a * a;
                }
        }
    }
    parts[y][lane] = sum;
    __syncthreads();
    if (y == 0 && column < outer * inner) {
#pragma unroll
        for (int k = 1; k < Y; ++k)
#pragma unroll
            for (int e = 0; e < 4; ++e) at(sum, e) += at(parts[k][lane], e);
#pragma unroll
        for (int e = 0; e < 4; ++e) at(sum, e) = sqrtf(at(sum, e));
        out[column] = sum;
    }
}

#define NORM_COLUMNS(Y, B)                                                              \
    KERNEL __launch_bounds__(32 * Y)                                                    \
        norm_columns_##Y##_##B(float4* out, const float4* x, int outer, int n, int inner) { \
        norm_column<Y, B>(out, x, outer, n, inner);                                     \
    }
NORM_COLUMNS(2, 10)
NORM_COLUMNS(4, 5)
NORM_COLUMNS(4, 9)
NORM_COLUMNS(8, 5)
NORM_COLUMNS(8, 8)
NORM_COLUMNS(16, 4)
NORM_COLUMNS(16, 8)

// sum(x * y): every block reduces its share; the last block to arrive reduces the blocks' results.
template <int B>
DEVICE void dot_share(float* out, const float4* x, const float4* y, long long vectors, float* partial, u32* counter) {
    constexpr int warps = 16;
    __shared__ float of_warps[warps];
    float sum[4] = {0.f, 0.f, 0.f, 0.f};
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += step * B) {
        float4 a[B], b[B];
#pragma unroll
        for (int u = 0; u < B; ++u) {
            const long long k = min(i + u * step, vectors - 1);
            a[u] = __ldcs(x + k);
            b[u] = __ldcs(y + k);
        }
#pragma unroll
        for (int u = 0; u < B; ++u)
#pragma unroll
            for (int e = 0; e < 4; ++e)
                sum[e] += (i + u * step < vectors ? at(a[u], e) : 0.f) * at(b[u], e);
    }
    const float share = block_sum<warps>((sum[0] + sum[1]) + (sum[2] + sum[3]), of_warps);
    if (gridDim.x == 1) {
        if (threadIdx.x == 0) *out = share;
        return;
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = share;
    if (!last_to_arrive(counter, gridDim.x)) return;
    float rest = 0.f;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) rest += __ldcg(partial + i);
    rest = block_sum<warps>(rest, of_warps);
    if (threadIdx.x == 0) *out = rest;
}

KERNEL __launch_bounds__(512) dot_2(float* out, const float4* x, const float4* y, long long n, float* p, u32* counter) {
    dot_share<2>(out, x, y, n, p, counter);
}
KERNEL __launch_bounds__(512) dot_4(float* out, const float4* x, const float4* y, long long n, float* p, u32* counter) {
    dot_share<4>(out, x, y, n, p, counter);
}
KERNEL __launch_bounds__(512) dot_6(float* out, const float4* x, const float4* y, long long n, float* p, u32* counter) {
    dot_share<6>(out, x, y, n, p, counter);
}
