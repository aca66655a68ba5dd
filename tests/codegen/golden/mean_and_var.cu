// pack(mean(x0, axis=1), var(x0, axis=1))
//
// rows: 64 threads per row, 2 rows per block, 8 accumulators per thread, elements kept in registers

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_2, const float x0) {
    sum_2 = sum_of(sum_2, x0);
}

// One element of loop 1, folded into the accumulators.
static __device__ __forceinline__ void fold_1(float& sum_7, const float x0, const float divide_3) {
    const float subtract_5 = x0 - divide_3;
    const float square_6 = subtract_5 * subtract_5;
    sum_7 = sum_of(sum_7, square_6);
}

extern "C" __global__ void __launch_bounds__(128) sum_square_float32_rows(
    float* __restrict__ out0,
    float* __restrict__ out1,
    const float* __restrict__ x0,
    const float s0,
    const int rows,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x % 64;  // index among the 64 threads of a row
    // Threads past the last row repeat it and store nothing: the shuffles and barriers need whole warps.
    const int position = blockIdx.x * 2 + threadIdx.x / 64;
    const int row = position < rows ? position : rows - 1;
    const float* x0_row = x0 + row * x0_stride_0;

    // A thread's elements of the row are read once and kept in registers for all loops.
    const int k = lane;
    float x0_at[8] = {};
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 64;
        if (i < n) {
            x0_at[u] = x0_row[i];
        }
    }

    float sum_2_parts[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        sum_2_parts[u] = 0.0f;
    }
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 64;
        float sum_2_with = sum_2_parts[u];
        fold_0(sum_2_with, x0_at[u]);
        sum_2_parts[u] = i < n ? sum_2_with : sum_2_parts[u];
    }
    float sum_2 = sum_2_parts[0];
    #pragma unroll
    for (int u = 1; u < 8; ++u) {
        sum_2 = sum_of(sum_2, sum_2_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float sum_2_of_warp[4];
    if (threadIdx.x % 32 == 0) {
        sum_2_of_warp[threadIdx.x / 32] = sum_2;
    }
    __syncthreads();
    sum_2 = sum_2_of_warp[threadIdx.x / 64 * 2 + threadIdx.x % 2];
    #pragma unroll
    for (int offset = 1; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    const float divide_3 = sum_2 / s0;

    float sum_7_parts[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        sum_7_parts[u] = 0.0f;
    }
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 64;
        float sum_7_with = sum_7_parts[u];
        fold_1(sum_7_with, x0_at[u], divide_3);
        sum_7_parts[u] = i < n ? sum_7_with : sum_7_parts[u];
    }
    float sum_7 = sum_7_parts[0];
    #pragma unroll
    for (int u = 1; u < 8; ++u) {
        sum_7 = sum_of(sum_7, sum_7_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_7 = sum_of(sum_7, __shfl_xor_sync(0xffffffffu, sum_7, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float sum_7_of_warp[4];
    if (threadIdx.x % 32 == 0) {
        sum_7_of_warp[threadIdx.x / 32] = sum_7;
    }
    __syncthreads();
    sum_7 = sum_7_of_warp[threadIdx.x / 64 * 2 + threadIdx.x % 2];
    #pragma unroll
    for (int offset = 1; offset > 0; offset /= 2) {
        sum_7 = sum_of(sum_7, __shfl_xor_sync(0xffffffffu, sum_7, offset));
    }
    const float divide_8 = sum_7 / s0;
    if (lane == 0 && position < rows) {
        out0[row] = divide_3;
        out1[row] = divide_8;
    }
}
