// cumsum(x0, axis=0)
//
// columns: 8 threads per column, 128 columns per block, 4 elements per access, 2 accesses per thread

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of the result.
static __device__ __forceinline__ float element_0(const float running_sum_1) {
    return running_sum_1;
}

extern "C" __global__ void __launch_bounds__(256) cumulative_sum_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int columns,
    const int n,
    const int x0_stride_1)
{
    // A block covers 128 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int position = blockIdx.x * 128 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const float* x0_column = x0 + column;
    float* out0_column = out0 + column;

    float running_sum_1[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        running_sum_1[e] = 0.0f;
    }
    #pragma unroll 1
    for (int step = 0; step < n; step += 16) {
        const int k = step + thread_row * 2;
        float_x4 x0_at[2];
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = k + u;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
            }
        }
        float running_sum_1_at[2][4];
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = k + u;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    running_sum_1_at[u][e] = x0_at[u].at[e];
                }
            } else {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    running_sum_1_at[u][e] = 0.0f;
                }
            }
        }
        // Each thread scans its own elements. Each thread row stores its total in shared memory. Then the
        // totals above are folded in.
        __shared__ float running_sum_1_of_layer[8][128];
        #pragma unroll
        for (int u = 1; u < 2; ++u) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_at[u][e] = sum_of(running_sum_1_at[u - 1][e], running_sum_1_at[u][e]);
            }
        }
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            running_sum_1_of_layer[thread_row][e * 32 + thread_column] = running_sum_1_at[1][e];
        }
        __syncthreads();
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            float before = running_sum_1[e];
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                if (r == thread_row) {
                    before = running_sum_1[e];
                }
                running_sum_1[e] = sum_of(running_sum_1[e], running_sum_1_of_layer[r][e * 32 + thread_column]);
            }
            #pragma unroll
            for (int u = 0; u < 2; ++u) {
                running_sum_1_at[u][e] = sum_of(before, running_sum_1_at[u][e]);
            }
        }
        __syncthreads();  // the next step reuses the shared array
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = k + u;
            if (i < n && position < columns) {
                float_x4 out0_at;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out0_at.at[e] = element_0(running_sum_1_at[u][e]);
                }
                *reinterpret_cast<float_x4*>(out0_column + i * x0_stride_1) = out0_at;
            }
        }
    }
}
