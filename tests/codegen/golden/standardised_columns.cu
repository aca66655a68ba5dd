// (x0 - mean(x0, axis=0)) / stddev(x0, axis=0)
//
// columns: 8 threads a column, 32 columns a block, 8 accumulators a thread

// How a reduction folds two values.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into what has been seen so far.
static __device__ __forceinline__ void fold_0(float& sum_2, const float x0) {
    sum_2 = sum_of(sum_2, x0);
}

// One element of loop 1, folded into what has been seen so far.
static __device__ __forceinline__ void fold_1(float& sum_7, const float x0, const float divide_3) {
    const float subtract_5 = x0 - divide_3;
    const float square_6 = subtract_5 * subtract_5;
    sum_7 = sum_of(sum_7, square_6);
}

// One element of the result.
static __device__ __forceinline__ float element_2(const float x0, const float divide_3, const float sqrt_9) {
    const float subtract_11 = x0 - divide_3;
    const float divide_12 = subtract_11 / sqrt_9;
    return divide_12;
}

extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float a0,
    const int columns,
    const int n_0,
    const int n_1,
    const int n_2,
    const int x0_stride_1,
    const int x0_stride_2,
    const int x0_stride_3)
{
    // A block is 32 columns wide. Threads past the last column repeat it and store nothing: they must be
    // there for the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int place = blockIdx.x * 32 + thread_column;
    const int column = place < columns ? place : columns - 1;
    const float* x0_column = x0 + column;
    float* out0_column = out0 + column;

    float sum_2_parts[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) sum_2_parts[u] = 0.0f;
    #pragma unroll 1
    for (int k = thread_row; k < n_0; k += 64) {
        float x0_at[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 8;
            if (i < n_0) {
                x0_at[u] = x0_column[i * x0_stride_1];
            }
        }
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 8;
            if (i < n_0) {
                fold_0(sum_2_parts[u], x0_at[u]);
            }
        }
    }
    float sum_2 = sum_2_parts[0];
    #pragma unroll
    for (int u = 1; u < 8; ++u) sum_2 = sum_of(sum_2, sum_2_parts[u]);
    // The threads of a column meet in shared memory: half of them fold in the other half, until one is left.
    __shared__ float sum_2_of_thread[8][32];
    sum_2_of_thread[thread_row][thread_column] = sum_2;
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (thread_row < half) {
            sum_2 = sum_of(sum_2, sum_2_of_thread[thread_row + half][thread_column]);
            sum_2_of_thread[thread_row][thread_column] = sum_2;
        }
        __syncthreads();
    }
    sum_2 = sum_2_of_thread[0][thread_column];
    const float divide_3 = sum_2 / a0;

    float sum_7_parts[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) sum_7_parts[u] = 0.0f;
    #pragma unroll 1
    for (int k = thread_row; k < n_1; k += 64) {
        float x0_at[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 8;
            if (i < n_1) {
                x0_at[u] = x0_column[i * x0_stride_2];
            }
        }
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 8;
            if (i < n_1) {
                fold_1(sum_7_parts[u], x0_at[u], divide_3);
            }
        }
    }
    float sum_7 = sum_7_parts[0];
    #pragma unroll
    for (int u = 1; u < 8; ++u) sum_7 = sum_of(sum_7, sum_7_parts[u]);
    // The threads of a column meet in shared memory: half of them fold in the other half, until one is left.
    __shared__ float sum_7_of_thread[8][32];
    sum_7_of_thread[thread_row][thread_column] = sum_7;
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (thread_row < half) {
            sum_7 = sum_of(sum_7, sum_7_of_thread[thread_row + half][thread_column]);
            sum_7_of_thread[thread_row][thread_column] = sum_7;
        }
        __syncthreads();
    }
    sum_7 = sum_7_of_thread[0][thread_column];
    const float divide_8 = sum_7 / a0;
    const float sqrt_9 = sqrt(divide_8);

    if (place < columns) {
        #pragma unroll 1
        for (int k = thread_row; k < n_2; k += 64) {
            float x0_at[8];
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                const int i = k + u * 8;
                if (i < n_2) {
                    x0_at[u] = x0_column[i * x0_stride_3];
                }
            }
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                const int i = k + u * 8;
                if (i < n_2) {
                    out0_column[i * x0_stride_3] = element_2(x0_at[u], divide_3, sqrt_9);
                }
            }
        }
    }
}
