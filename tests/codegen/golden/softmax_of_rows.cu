// softmax(x0, axis=1)
//
// rows: 256 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread, elements kept
// in registers

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
static __device__ __forceinline__ float max_of(const float x, const float y) {
    return larger<float>(x, y);
}
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& max_1, const float x0) {
    max_1 = max_of(max_1, x0);
}

// One element of loop 1, folded into the accumulators.
static __device__ __forceinline__ void fold_1(
    float& sum_5,
    float& exp_4_kept,
    const float x0,
    const float max_1) {
    const float subtract_3 = x0 - max_1;
    const float exp_4 = exp(subtract_3);
    sum_5 = sum_of(sum_5, exp_4);
    exp_4_kept = exp_4;
}

// One element of the result.
static __device__ __forceinline__ float element_2(const float exp_8, const float sum_5) {
    const float divide_9 = exp_8 / sum_5;
    return divide_9;
}

extern "C" __global__ void __launch_bounds__(256) max_exp_sum_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x;  // index among the 256 threads of a row
    const int row = blockIdx.x;
    const float* x0_row = x0 + row * x0_stride_0;
    float* out0_row = out0 + row * x0_stride_0;

    // A thread's elements of the row are read once and kept in registers for all loops.
    const int k = lane * 4;
    float_x4 x0_at[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
        }
    }

    float max_1_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        max_1_parts[u] = -__int_as_float(0x7f800000 /* infinity */);
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold_0(max_1_parts[u], x0_at[u].at[e]);
            }
        }
    }
    float max_1 = max_1_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        max_1 = max_of(max_1, max_1_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float max_1_of_warp[8];
    if (threadIdx.x % 32 == 0) {
        max_1_of_warp[threadIdx.x / 32] = max_1;
    }
    __syncthreads();
    max_1 = max_1_of_warp[threadIdx.x % 8];
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
    }

    float sum_5_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_5_parts[u] = 0.0f;
    }
    // Later loops need these, too.
    float exp_4_at[4][4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold_1(sum_5_parts[u], exp_4_at[u][e], x0_at[u].at[e], max_1);
            }
        }
    }
    float sum_5 = sum_5_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_5 = sum_of(sum_5, sum_5_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float sum_5_of_warp[8];
    if (threadIdx.x % 32 == 0) {
        sum_5_of_warp[threadIdx.x / 32] = sum_5;
    }
    __syncthreads();
    sum_5 = sum_5_of_warp[threadIdx.x % 8];
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
    }

    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element_2(exp_4_at[u][e], sum_5);
            }
            *reinterpret_cast<float_x4*>(out0_row + i) = out0_at;
        }
    }
}
