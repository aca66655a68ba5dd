// min(sum(square(x0(all, newaxis, all) - x1(newaxis, all, all)), axis=2), axis=1)
//
// contraction: tiles of 128 x 64 results, 8 x 8 per thread, 8 steps at once in shared memory, 4 elements per
// access

// smaller: the smaller of two numbers, or NaN if either is. For float it is one instruction instead of three.
template <class T>
__device__ T smaller(const T x, const T y) {
    const T less = x < y ? x : y;
    return (x != x ? x : less);
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ float smaller(const float x, const float y) {
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}
static __device__ __forceinline__ float min_of(const float x, const float y) {
    return smaller<float>(x, y);
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_4, const float x0, const float x1) {
    const float subtract_2 = x0 - x1;
    const float square_3 = subtract_2 * subtract_2;
    sum_4 = sum_of(sum_4, square_3);
}

extern "C" __global__ void __launch_bounds__(128, 4) square_sum_min_float32_contraction(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const unsigned extent_0,
    const unsigned extent_1,
    const int n_0,
    const int x0_stride_0,
    const int x1_stride_1)
{
    // A block computes a tile of 128 x 64 results, a thread 8 x 8 of them: each element that it reads is used
    // for a whole row or column of these. Threads past the last row or column repeat it and store nothing.
    const int rows = extent_0;
    const int columns = extent_1;
    const int tiles = (columns + 63) / 64;  // side by side
    const int tile_row = blockIdx.x / tiles * 128;
    const int tile_column = blockIdx.x % tiles * 64;
    const int thread_row = threadIdx.x / 8;
    const int thread_column = threadIdx.x % 8;
    // Double buffering: two slices of 8 steps, one in use while the next one is loaded.
    __shared__ float_x4 x0_tile[2][8][33];
    __shared__ float_x4 x1_tile[2][8][17];
    float_x4 x0_next[2] = {};
    float_x4 x1_next = {};
    float sum_4_at[8][8];
    #pragma unroll
    for (int a = 0; a < 8; ++a) {
        #pragma unroll
        for (int b = 0; b < 8; ++b) {
            sum_4_at[a][b] = 0.0f;
        }
    }
    int now = 1;  // the slice in use
    #pragma unroll 1
    for (int k = -8; k < n_0; k += 8) {
        const bool more = k + 8 < n_0;
        if (more) {
            // Load the next slice from memory while this one is in use.
            #pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int q = threadIdx.x + u * 128;
                const int i = q / 2;
                const int s = q % 2 * 4;
                int row = tile_row + i;
                if (row >= rows) {
                    row = rows - 1;
                }
                const int step = k + 8 + s;
                x0_next[u] = *reinterpret_cast<const float_x4*>(x0 + row * x0_stride_0 + step);
            }
            {
                const int i = threadIdx.x / 2;
                const int s = threadIdx.x % 2 * 4;
                int column = tile_column + i;
                if (column >= columns) {
                    column = columns - 1;
                }
                const int step = k + 8 + s;
                x1_next = *reinterpret_cast<const float_x4*>(x1 + column * x1_stride_1 + step);
            }
        }
        if (k >= 0) {
            #pragma unroll
            for (int s = 0; s < 8; ++s) {
                float_x4 x0_at[2];
                #pragma unroll
                for (int u = 0; u < 2; ++u) {
                    x0_at[u] = x0_tile[now][s][thread_row + u * 16];
                }
                float_x4 x1_at[2];
                #pragma unroll
                for (int u = 0; u < 2; ++u) {
                    x1_at[u] = x1_tile[now][s][thread_column + u * 8];
                }
                #pragma unroll
                for (int a = 0; a < 8; ++a) {
                    #pragma unroll
                    for (int b = 0; b < 8; ++b) {
                        fold_0(sum_4_at[a][b], x0_at[a / 4].at[a % 4], x1_at[b / 4].at[b % 4]);
                    }
                }
            }
        }
        if (more) {
            // It replaces the previous slice, which no thread has used since the last barrier.
            #pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int q = threadIdx.x + u * 128;
                const int i = q / 2;
                const int s = q % 2 * 4;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x0_tile[1 - now][s + e][i / 4].at[i % 4] = x0_next[u].at[e];
                }
            }
            {
                const int i = threadIdx.x / 2;
                const int s = threadIdx.x % 2 * 4;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    x1_tile[1 - now][s + e][i / 4].at[i % 4] = x1_next.at[e];
                }
            }
        }
        __syncthreads();
        now = 1 - now;
    }
    // All columns of a row are in the registers of neighbouring threads.
    #pragma unroll
    for (int a = 0; a < 8; ++a) {
        const int position = tile_row + (thread_row + a / 4 * 16) * 4 + a % 4;
        const int row = position < rows ? position : rows - 1;
        float min_5 = __int_as_float(0x7f800000 /* infinity */);
        #pragma unroll
        for (int b = 0; b < 8; ++b) {
            const int column = tile_column + (thread_column + b / 4 * 8) * 4 + b % 4;
            if (column < columns) {
                const float sum_4 = sum_4_at[a][b];
                min_5 = min_of(min_5, sum_4);
            }
        }
        #pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) {
            min_5 = min_of(min_5, __shfl_xor_sync(0xffffffffu, min_5, offset));
        }
        if (thread_column == 0 && position < rows) {
            out0[row] = min_5;
        }
    }
}
