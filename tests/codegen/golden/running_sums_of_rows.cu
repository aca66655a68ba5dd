// cumsum(x0, axis=1)
//
// rows: 128 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread

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

extern "C" __global__ void __launch_bounds__(128) cumulative_sum_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x;  // index among the 128 threads of a row
    const int row = blockIdx.x;
    const float* x0_row = x0 + row * x0_stride_0;
    float* out0_row = out0 + row * x0_stride_0;

    float running_sum_1 = 0.0f;
    #pragma unroll 1
    for (int step = 0; step < n; step += 2048) {
        const int k = step + lane / 32 * 512 + lane % 32 * 4;
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 128;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
            }
        }
        float running_sum_1_at[4][4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 128;
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
        // Each thread scans its own elements. Then shuffles scan the threads' totals over the lanes.
        float running_sum_1_up[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            #pragma unroll
            for (int e = 1; e < 4; ++e) {
                running_sum_1_at[u][e] = sum_of(running_sum_1_at[u][e - 1], running_sum_1_at[u][e]);
            }
            running_sum_1_up[u] = running_sum_1_at[u][3];
        }
        #pragma unroll
        for (int offset = 1; offset < 32; offset *= 2) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const float below = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], offset);
                if (lane % 32 >= offset) {
                    running_sum_1_up[u] = sum_of(below, running_sum_1_up[u]);
                }
            }
        }
        // Then scan over the accesses of a warp, in order. Each warp stores its total in shared memory, and
        // every warp scans the totals of the row's warps.
        float running_sum_1_warp = 0.0f;
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const float of_lanes = __shfl_sync(0xffffffffu, running_sum_1_up[u], 31);
            const float below = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], 1);
            running_sum_1_up[u] = lane % 32 == 0 ? running_sum_1_warp : sum_of(running_sum_1_warp, below);
            running_sum_1_warp = sum_of(running_sum_1_warp, of_lanes);
        }
        __shared__ float running_sum_1_of_warp[4];
        if (lane % 32 == 0) {
            running_sum_1_of_warp[threadIdx.x / 32] = running_sum_1_warp;
        }
        __syncthreads();
        float running_sum_1_warps = running_sum_1_of_warp[lane % 4];
        #pragma unroll
        for (int offset = 1; offset < 4; offset *= 2) {
            const float below = __shfl_up_sync(0xffffffffu, running_sum_1_warps, offset, 4);
            if (lane % 4 >= offset) {
                running_sum_1_warps = sum_of(below, running_sum_1_warps);
            }
        }
        const float running_sum_1_total = __shfl_sync(0xffffffffu, running_sum_1_warps, 3, 4);
        const float warps_below = __shfl_sync(0xffffffffu, running_sum_1_warps, (lane / 32 + 3) % 4, 4);
        const float of_row = lane < 32 ? running_sum_1 : sum_of(running_sum_1, warps_below);
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const float before = sum_of(of_row, running_sum_1_up[u]);
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_at[u][e] = sum_of(before, running_sum_1_at[u][e]);
            }
        }
        running_sum_1 = sum_of(running_sum_1, running_sum_1_total);
        __syncthreads();  // the next step reuses the shared array
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 128;
            if (i < n) {
                float_x4 out0_at;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out0_at.at[e] = element_0(running_sum_1_at[u][e]);
                }
                *reinterpret_cast<float_x4*>(out0_row + i) = out0_at;
            }
        }
    }
}
