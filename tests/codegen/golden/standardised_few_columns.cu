// (x0 - mean(x0, axis=0)) / stddev(x0, axis=0)
//
// columns: 8 threads per column, 128 columns per block, 4 elements per access, 4 accesses per thread, several
// blocks per tile synchronised by grid barriers

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Waits until every block of the group has arrived. An arrival adds 1 to the counter, and that of part 0 adds
// 2^31 less the other arrivals: the last arrival flips the top bit, and the counter is ready for the next
// barrier.
static __device__ __forceinline__ void grid_sync(unsigned int* arrived, const int part, const int parts) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // the block's writes are visible before its arrival
        const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);
        const volatile unsigned int* now = arrived;
        while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);
        __threadfence();  // the other blocks' writes are visible after it
    }
    __syncthreads();
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

extern "C" __global__ void __launch_bounds__(256, 4) sum_square_sqrt_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float s0,
    const int columns,
    const int n_0,
    const int n_1,
    const int n_2,
    const int x0_stride_1,
    const int x0_stride_2,
    const int x0_stride_3,
    const int parts,
    unsigned char* workspace)
{
    // A block covers 128 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int tiles = (columns + 127) / 128;
    // A group of blocks shares each tile, one part per block. All blocks of the launch are resident at the
    // same time, so they may wait for each other. A group processes the tiles block_group, block_group +
    // block_groups, ...
    const int block_groups = gridDim.x / parts;
    const int block_group = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share_0 = ((n_0 + 7) / 8 + parts - 1) / parts * 8;
    const int begin_0 = part * share_0;
    const int end_0 = n_0 - begin_0 < share_0 ? n_0 : begin_0 + share_0;
    const int share_1 = ((n_1 + 7) / 8 + parts - 1) / parts * 8;
    const int begin_1 = part * share_1;
    const int end_1 = n_1 - begin_1 < share_1 ? n_1 : begin_1 + share_1;
    const int share_2 = ((n_2 + 7) / 8 + parts - 1) / parts * 8;
    const int begin_2 = part * share_2;
    const int end_2 = n_2 - begin_2 < share_2 ? n_2 : begin_2 + share_2;

    // In the workspace: a counter for the barrier of each group of blocks, then the parts' partial results.
    unsigned* arrived = reinterpret_cast<unsigned*>(workspace + block_group * 128);
    unsigned char* results = reinterpret_cast<unsigned char*>(workspace + block_groups * 128);
    int parity = 0;  // selects one of two sets of results: some blocks may be one tile ahead
    for (int tile = block_group; tile < tiles; tile += block_groups) {
        const int position = tile * 128 + thread_column * 4;
        const int column = position < columns ? position : columns - 4;
        const float* x0_column = x0 + column;
        float* out0_column = out0 + column;

        float sum_2[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_2[e] = 0.0f;
        }
        int rest = begin_0 + thread_row;
        #pragma unroll 1
        for (int k = rest; k < end_0 - 24; k += 32) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = k + u * 8;
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
            }
            int same = k;
            asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
            if (same < end_0) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        fold_0(sum_2[e], x0_at[u].at[e]);
                    }
                }
            }
            rest = rest + 32;
        }
        if (rest < end_0) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest + u * 8;
                if (i < end_0) {
                    x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
                }
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest + u * 8;
                if (i < end_0) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        fold_0(sum_2[e], x0_at[u].at[e]);
                    }
                }
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        __shared__ float sum_2_of_thread[8][4][32];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
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

        // Publish the part's partial result. Once all blocks of the group have done so, each folds the
        // results of all parts, in the order of the parts.
        float* sum_2_of_part =
            reinterpret_cast<float*>(results + parity * 1024 * gridDim.x) + block_group * parts * 128;
        if (thread_row == 0) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_2_of_part[part * 128 + e * 32 + thread_column] = sum_2[e];
            }
        }
        grid_sync(arrived, part, parts);
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_2[e] = 0.0f;
        }
        #pragma unroll 4
        for (int p = thread_row; p < parts; p += 8) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_2[e] = sum_of(sum_2[e], sum_2_of_part[p * 128 + e * 32 + thread_column]);
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
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
        int rest_b = begin_1 + thread_row;
        #pragma unroll 1
        for (int k = rest_b; k < end_1 - 24; k += 32) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = k + u * 8;
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2);
            }
            int same = k;
            asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
            if (same < end_1) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        fold_1(sum_7[e], x0_at[u].at[e], divide_3[e]);
                    }
                }
            }
            rest_b = rest_b + 32;
        }
        if (rest_b < end_1) {
            float_x4 x0_at[4];
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest_b + u * 8;
                if (i < end_1) {
                    x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2);
                }
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int i = rest_b + u * 8;
                if (i < end_1) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        fold_1(sum_7[e], x0_at[u].at[e], divide_3[e]);
                    }
                }
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        __shared__ float sum_7_of_thread[8][4][32];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_7_of_thread[thread_row][e][thread_column] = sum_7[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
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

        // Publish the part's partial result. Once all blocks of the group have done so, each folds the
        // results of all parts, in the order of the parts.
        float* sum_7_of_part =
            reinterpret_cast<float*>(results + (2048 + parity * 1024) * gridDim.x) + block_group * parts * 128;
        if (thread_row == 0) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_7_of_part[part * 128 + e * 32 + thread_column] = sum_7[e];
            }
        }
        grid_sync(arrived, part, parts);
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_7[e] = 0.0f;
        }
        #pragma unroll 4
        for (int p = thread_row; p < parts; p += 8) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_7[e] = sum_of(sum_7[e], sum_7_of_part[p * 128 + e * 32 + thread_column]);
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            sum_7_of_thread[thread_row][e][thread_column] = sum_7[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
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
            int rest_c = begin_2 + thread_row;
            #pragma unroll 1
            for (int k = rest_c; k < end_2 - 24; k += 32) {
                float_x4 x0_at[4];
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int i = k + u * 8;
                    x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_3);
                }
                int same = k;
                asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
                if (same < end_2) {
                    #pragma unroll
                    for (int u = 0; u < 4; ++u) {
                        const int i = k + u * 8;
                        float_x4 out0_at;
                        #pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            out0_at.at[e] = element_2(x0_at[u].at[e], divide_3[e], sqrt_9[e]);
                        }
                        *reinterpret_cast<float_x4*>(out0_column + i * x0_stride_3) = out0_at;
                    }
                }
                rest_c = rest_c + 32;
            }
            if (rest_c < end_2) {
                float_x4 x0_at[4];
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int i = rest_c + u * 8;
                    if (i < end_2) {
                        x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_3);
                    }
                }
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int i = rest_c + u * 8;
                    if (i < end_2) {
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
        parity = 1 - parity;
        __syncthreads();  // the next tile reuses the shared arrays
    }
}
