// (x0 - mean(x0, axis=0)) / stddev(x0, axis=0)
//
// columns: 32 threads per column, 64 columns per block, 4 elements per access, 4 accesses per thread

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

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

// One element of the result.
static __device__ __forceinline__ float element_2(const float x0, const float divide_3, const float sqrt_9) {
    const float subtract_11 = x0 - divide_3;
    const float divide_12 = subtract_11 / sqrt_9;
    return divide_12;
}

extern "C" __global__ void __launch_bounds__(512) sum_square_sqrt_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float s0,
    const int columns,
    const int n_0,
    const int n_1,
    const int n_2,
    const int x0_stride_1,
    const int x0_stride_2,
    const int x0_stride_3)
{
    // A block covers 64 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 16;
    const int thread_row = threadIdx.x / 16;
    const int position = blockIdx.x * 64 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const float* x0_column = x0 + column;
    float* out0_column = out0 + column;

    float sum_2[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2[e] = 0.0f;
    }
    int rest = thread_row;
    #pragma unroll 1
    for (int k = rest; k < n_0 - 96; k += 128) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 32;
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < n_0) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
        rest = rest + 128;
    }
    if (rest < n_0) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < n_0) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < n_0) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ float sum_2_of_thread[32][4][16];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_2[e] = sum_of(sum_2[e], sum_2_of_thread[thread_row + half][e][thread_column]);
                sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2[e] = sum_2_of_thread[0][e][thread_column];
    }
    float divide_3[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        divide_3[e] = sum_2[e] / s0;
    }

    float sum_7[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_7[e] = 0.0f;
    }
    int rest_b = thread_row;
    #pragma unroll 1
    for (int k = rest_b; k < n_1 - 96; k += 128) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 32;
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2);
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < n_1) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_1(sum_7[e], x0_at[u].at[e], divide_3[e]);
                }
            }
        }
        rest_b = rest_b + 128;
    }
    if (rest_b < n_1) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest_b + u * 32;
            if (i < n_1) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest_b + u * 32;
            if (i < n_1) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_1(sum_7[e], x0_at[u].at[e], divide_3[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ float sum_7_of_thread[32][4][16];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_7_of_thread[thread_row][e][thread_column] = sum_7[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_7[e] = sum_of(sum_7[e], sum_7_of_thread[thread_row + half][e][thread_column]);
                sum_7_of_thread[thread_row][e][thread_column] = sum_7[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_7[e] = sum_7_of_thread[0][e][thread_column];
    }
    float divide_8[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        divide_8[e] = sum_7[e] / s0;
    }
    float sqrt_9[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sqrt_9[e] = sqrt(divide_8[e]);
    }

    if (position < columns) {
        int rest_c = thread_row;
        #pragma unroll 1
        for (int k = rest_c; k < n_2 - 96; k += 128) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = k + u * 32;
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_3);
            }
            int same = k;
            asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
            if (same < n_2) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int i = k + u * 32;
                    float_x4 out0_at;
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        out0_at.at[e] = element_2(x0_at[u].at[e], divide_3[e], sqrt_9[e]);
                    }
                    *reinterpret_cast<float_x4*>(out0_column + i * x0_stride_3) = out0_at;
                }
            }
            rest_c = rest_c + 128;
        }
        if (rest_c < n_2) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest_c + u * 32;
                if (i < n_2) {
                    x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_3);
                }
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest_c + u * 32;
                if (i < n_2) {
                    float_x4 out0_at;
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        out0_at.at[e] = element_2(x0_at[u].at[e], divide_3[e], sqrt_9[e]);
                    }
                    *reinterpret_cast<float_x4*>(out0_column + i * x0_stride_3) = out0_at;
                }
            }
        }
    }
}
