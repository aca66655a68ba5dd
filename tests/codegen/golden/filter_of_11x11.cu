// sum(x0 * x1) + s0
//
// windows: 8 x 8 results per thread, 128 threads per block, 1 window in registers, staged in shared memory

// A vector of neighbouring elements, moved by one access.
struct alignas(8) float_x2 { float at[2]; };
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void tap_0(float& sum_3, const float x0, const float x1) {
    const float multiply_2 = x0 * x1;
    sum_3 = sum_of(sum_3, multiply_2);
}

extern "C" __global__ void __launch_bounds__(128) sum_float32_windows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const float s0,
    const unsigned extent_0,
    const unsigned extent_1,
    const int x0_stride_0,
    const int x0_stride_2,
    const int x1_stride_2,
    const int out0_stride_0)
{
    // A thread computes 8 x 8 neighbouring groups. Elements that several of them read are loaded once.
    const unsigned tiles_across = (extent_1 + 127) / 128;
    const int block_column = blockIdx.x % tiles_across * 128;
    const int columns = extent_1;
    const int block_row = blockIdx.x / tiles_across * 64;
    const int rows = extent_0;
    // The last blocks take whole tiles, too. What their neighbours store they do not.
    const int block_first_column = block_column + 128 <= columns ? block_column : columns - 128;
    const int lane = threadIdx.x % 16;
    const int line = threadIdx.x / 16;
    const int first_column = block_first_column + lane * 8;
    const int block_first_row = block_row + 64 <= rows ? block_row : rows - 64;
    const int first_row = block_first_row + line * 8;

    float sum_3[8][8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            sum_3[r][e] = 0.0f;
        }
    }
    __shared__ __align__(16) float x0_staged[74][140];
    __shared__ float x1_filter[11][11];
    for (int s = line; s < 74; s += 8) {
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int position = lane + u * 16;
            x0_staged[s][position] =
                x0[block_first_row * x0_stride_0 + block_first_column + s * x0_stride_2 + position];
        }
        {
            const int position = lane + 128;
            if (position < 138) {
                x0_staged[s][position] =
                    x0[block_first_row * x0_stride_0 + block_first_column + s * x0_stride_2 + position];
            }
        }
    }
    for (int t = int(threadIdx.x); t < 121; t += 128) {
        x1_filter[t / 11][t % 11] = x1[t / 11 * x1_stride_2 + t % 11];
    }
    __syncthreads();
    #pragma unroll 1
    for (int y = 0; y < 18; ++y) {
        float_x4 x0_window[5];
        #pragma unroll
        for (int a = 0; a < 4; ++a) {
            x0_window[a] = *reinterpret_cast<const float_x4*>(&x0_staged[line * 8 + y][lane * 8 + a * 4]);
        }
        #pragma unroll
        for (int a = 0; a < 2; ++a) {
            x0_window[4].at[a] = x0_staged[line * 8 + y][lane * 8 + a + 16];
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            const int tap_down = y - r;
            if (tap_down >= 0 && tap_down < 11) {
                #pragma unroll
                for (int tap = 0; tap < 11; ++tap) {
                    #pragma unroll
                    for (int e = 0; e < 8; ++e) {
                        tap_0(sum_3[r][e], x0_window[(e + tap) / 4].at[(e + tap) % 4], x1_filter[tap_down][tap]);
                    }
                }
            }
        }
    }

    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (first_row + r >= block_row) {
            float_x2 out0_at[4];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                const float add_5 = sum_3[r][e] + s0;
                out0_at[e / 2].at[e % 2] = add_5;
            }
            if (block_first_column == block_column) {
                #pragma unroll
                for (int a = 0; a < 4; ++a) {
                    *reinterpret_cast<float_x2*>(out0 + (first_row + r) * out0_stride_0 + (first_column + a * 2)) =
                        out0_at[a];
                }
            } else {
                #pragma unroll
                for (int e = 0; e < 8; ++e) {
                    if (first_column + e >= block_column) {
                        out0[(first_row + r) * out0_stride_0 + (first_column + e)] = out0_at[e / 2].at[e % 2];
                    }
                }
            }
        }
    }
}
