// sqrt(sum(x0 * x0, axis=0))
//
// columns: 8 threads per column, 64 columns per block, 2 elements per access, 4 accesses per thread

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

extern "C" __global__ void __launch_bounds__(256) sum_sqrt_float64_columns(
    double* __restrict__ out0,
    const double* __restrict__ x0,
    const int columns,
    const int n,
    const int x0_stride_1)
{
    // A block covers 64 columns, 2 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int position = blockIdx.x * 64 + thread_column * 2;
    const int column = position < columns ? position : columns - 2;
    const double* x0_column = x0 + column;

    double sum_2[2];
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2[e] = 0.0;
    }
    int rest = thread_row;
    #pragma unroll 1
    for (int k = rest; k < n - 24; k += 32) {
        double_x2 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 8;
            x0_at[u] = *reinterpret_cast<const double_x2*>(x0_column + i * x0_stride_1);
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < n) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
        rest = rest + 32;
    }
    if (rest < n) {
        double_x2 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 8;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const double_x2*>(x0_column + i * x0_stride_1);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 8;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ double sum_2_of_thread[8][2][32];
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
    }
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 2; ++e) {
                sum_2[e] = sum_of(sum_2[e], sum_2_of_thread[thread_row + half][e][thread_column]);
                sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2[e] = sum_2_of_thread[0][e][thread_column];
    }
    double sqrt_3[2];
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sqrt_3[e] = sqrt(sum_2[e]);
    }
    if (thread_row == 0 && position < columns) {
        double_x2 out0_at;
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            out0_at.at[e] = sqrt_3[e];
        }
        *reinterpret_cast<double_x2*>(out0 + column) = out0_at;
    }
}
