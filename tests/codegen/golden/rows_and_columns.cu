// pack(sum(x0, axis=1), -max(x0 / sum(x0, axis=1, keepdims), axis=0))
//
// rows: 64 threads per row, 8 rows per block, 4 elements per access, 4 accumulators per thread, elements kept
// in registers, folded by several blocks

// larger: the larger of two numbers, or NaN if either is. For float it is one instruction instead of three.
template <class T>
__device__ T larger(const T x, const T y) {
    const T more = x > y ? x : y;
    return (x != x ? x : more);
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ float larger(const float x, const float y) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}
static __device__ __forceinline__ float max_of(const float x, const float y) {
    return larger<float>(x, y);
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_1, const float x0) {
    sum_1 = sum_of(sum_1, x0);
}

// One element of loop 1, folded into the accumulators.
static __device__ __forceinline__ void element_1(float& max_4, const float x0, const float sum_1) {
    const float divide_3 = x0 / sum_1;
    max_4 = max_of(max_4, divide_3);
}

extern "C" __global__ void __launch_bounds__(512, 2) sum_max_float32_rows(
    float* __restrict__ out0,
    float* __restrict__ out1,
    const float* __restrict__ x0,
    const int rows,
    const int n,
    const int x0_stride_0,
    const int out1_stride_3)
{
    const int lane = threadIdx.x % 64;  // index among the 64 threads of a row
    // Folds of the thread's columns, over all rows of the block.
    float max_4_of_column[4][4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            max_4_of_column[u][e] = -__int_as_float(0x7f800000 /* infinity */);
        }
    }
    // Each block processes some of the rows, and folds their columns.
    const int tiles = (rows + 7) / 8;
    #pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        // Threads past the last row repeat it and store nothing: the shuffles and barriers need whole warps.
        const int position = tile * 8 + threadIdx.x / 64;
        const int row = position < rows ? position : rows - 1;
        const float* x0_row = x0 + row * x0_stride_0;

        // A thread's elements of the row are read once and kept in registers for all loops.
        const int k = lane * 4;
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 256;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
            }
        }

        float sum_1_parts[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            sum_1_parts[u] = 0.0f;
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 256;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_1_parts[u], x0_at[u].at[e]);
                }
            }
        }
        float sum_1 = sum_1_parts[0];
        #pragma unroll
        for (int u = 1; u < 4; ++u) {
            sum_1 = sum_of(sum_1, sum_1_parts[u]);
        }
        // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes
        // have the result of all.
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
        }
        // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
        __shared__ float sum_1_of_warp[16];
        if (threadIdx.x % 32 == 0) {
            sum_1_of_warp[threadIdx.x / 32] = sum_1;
        }
        __syncthreads();
        sum_1 = sum_1_of_warp[threadIdx.x / 64 * 2 + threadIdx.x % 2];
        #pragma unroll
        for (int offset = 1; offset > 0; offset /= 2) {
            sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
        }

        if (position < rows) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = k + u * 256;
                if (i < n) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        element_1(max_4_of_column[u][e], x0_at[u].at[e], sum_1);
                    }
                }
            }
        }
        if (lane == 0 && position < rows) {
            out0[row] = sum_1;
        }
        __syncthreads();  // the next row reuses the shared arrays
    }

    // The block's rows meet in shared memory; each thread then folds some columns of all of them.
    __shared__ float max_4_of_rows[8][1024];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            max_4_of_rows[threadIdx.x / 64][lane * 4 + u * 256 + e] = max_4_of_column[u][e];
        }
    }
    __syncthreads();
    #pragma unroll
    for (int column = threadIdx.x; column < 1024; column += 512) {
        float max_4 = max_4_of_rows[0][column];
        #pragma unroll
        for (int p = 1; p < 8; ++p) {
            max_4 = max_of(max_4, max_4_of_rows[p][column]);
        }
        if (column < n) {
            out1[blockIdx.x * out1_stride_3 + column] = max_4;
        }
    }
}
