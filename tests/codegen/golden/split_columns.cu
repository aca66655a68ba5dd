// sqrt(sum(x0 * x0, axis=0))
//
// columns: 32 threads per column, 32 columns per block, 2 elements per access, 4 accesses per thread, several
// blocks per tile

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

extern "C" __global__ void __launch_bounds__(512) sum_sqrt_float64_columns(
    double* __restrict__ out0,
    const double* __restrict__ x0,
    const int columns,
    const int n,
    const int x0_stride_1,
    unsigned char* workspace)
{
    // A block covers 32 columns, 2 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 16;
    const int thread_row = threadIdx.x / 16;
    // Several blocks share each tile of columns, one part of its inner axes per block.
    const int tiles = (columns + 31) / 32;
    const int parts = gridDim.x / tiles;
    const int tile = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share = ((n + 31) / 32 + parts - 1) / parts * 32;
    const int begin = part * share;
    const int end = n - begin < share ? n : begin + share;
    const int position = tile * 32 + thread_column * 2;
    const int column = position < columns ? position : columns - 2;
    const double* x0_column = x0 + column;

    double sum_2[2];
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2[e] = 0.0;
    }
    int rest = begin + thread_row;
    #pragma unroll 1
    for (int k = rest; k < end - 96; k += 128) {
        double_x2 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 32;
            x0_at[u] = *reinterpret_cast<const double_x2*>(x0_column + i * x0_stride_1);
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < end) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
        rest = rest + 128;
    }
    if (rest < end) {
        double_x2 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < end) {
                x0_at[u] = *reinterpret_cast<const double_x2*>(x0_column + i * x0_stride_1);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < end) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ double sum_2_of_thread[32][2][16];
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
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

    // Publish the part's partial result in the workspace, and draw a ticket. The block that draws the last
    // ticket of its tile folds all parts, in the order of the parts.
    unsigned* ticket = reinterpret_cast<unsigned*>(workspace) + tile;
    double* sum_2_of_part = reinterpret_cast<double*>(workspace + 4096);
    if (thread_row == 0) {
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            sum_2_of_part[blockIdx.x * 32 + e * 16 + thread_column] = sum_2[e];
        }
        __threadfence();  // the part is visible before the ticket is drawn
    }
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned drawn = atomicAdd(ticket, 1u);
        last = drawn == unsigned(parts) - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2[e] = 0.0;
    }
    #pragma unroll 4
    for (int p = thread_row; p < parts; p += 32) {
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            sum_2[e] = sum_of(sum_2[e], sum_2_of_part[(tile * parts + p) * 32 + e * 16 + thread_column]);
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    #pragma unroll
    for (int e = 0; e < 2; ++e) {
        sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
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
    if (threadIdx.x == 0) {
        ticket[0] = 0;  // ready for the next launch
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
