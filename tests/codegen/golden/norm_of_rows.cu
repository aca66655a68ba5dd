// sqrt(sum(x0 * x0, axis=2))
//
// rows: 128 threads per row, 1 row per block, 2 elements per access, 4 accumulators per thread

// A vector of neighbouring elements, moved by one access.
struct alignas(16) double_x2 { double at[2]; };

// Combines two values of a reduction.
static __device__ __forceinline__ double sum_of(const double x, const double y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(double& sum_2, const double x0) {
    const double multiply_1 = x0 * x0;
    sum_2 = sum_of(sum_2, multiply_1);
}

extern "C" __global__ void __launch_bounds__(128) sum_sqrt_float64_rows(
    double* __restrict__ out0,
    const double* __restrict__ x0,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x;  // index among the 128 threads of a row
    const int row = blockIdx.x;
    const double* x0_row = x0 + row * x0_stride_0;

    double sum_2_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_2_parts[u] = 0.0;
    }
    #pragma unroll 1
    for (int k = lane * 2; k < n; k += 1024) {
        double_x2 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 256;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const double_x2*>(x0_row + i);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 256;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    fold_0(sum_2_parts[u], x0_at[u].at[e]);
                }
            }
        }
    }
    double sum_2 = sum_2_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_2 = sum_of(sum_2, sum_2_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ double sum_2_of_warp[4];
    if (threadIdx.x % 32 == 0) {
        sum_2_of_warp[threadIdx.x / 32] = sum_2;
    }
    __syncthreads();
    sum_2 = sum_2_of_warp[threadIdx.x % 4];
    #pragma unroll
    for (int offset = 2; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    const double sqrt_3 = sqrt(sum_2);
    if (lane == 0) {
        out0[row] = sqrt_3;
    }
}
