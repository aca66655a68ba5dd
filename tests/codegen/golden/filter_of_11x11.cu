// sum(x0 * x1) + s0
//
// windows: 8 x 8 results per thread, 128 threads per block, 1 window in registers

// A vector of neighbouring elements, moved by one access.
struct alignas(8) float_x2 { float at[2]; };

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
    const unsigned tiles_across = (extent_1 + 1023) / 1024;
    const int column = blockIdx.x % tiles_across * 1024 + threadIdx.x * 8;
    const int columns = extent_1;
    const int row = blockIdx.x / tiles_across * 8;
    const int rows = extent_0;
    if (row >= rows) return;
    if (column >= columns) return;
    // The last thread of a row takes whole tiles, too. What its neighbour stores it does not.
    const int first_column = column + 8 <= columns ? column : columns - 8;
    const int first_row = row + 8 <= rows ? row : rows - 8;

    float sum_3[8][8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        #pragma unroll
        for (int e = 0; e < 8; ++e) {
            sum_3[r][e] = 0.0f;
        }
    }
    #pragma unroll 1
    for (int y = 0; y < 18; ++y) {
        float_x2 x0_window[9];
        const float* x0_from = x0 + first_row * x0_stride_0 + first_column + y * x0_stride_2;
        #pragma unroll
        for (int a = 0; a < 9; ++a) {
            x0_window[a] = *reinterpret_cast<const float_x2*>(x0_from + a * 2);
        }
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            const int tap_down = y - r;
            if (tap_down >= 0 && tap_down < 11) {
                #pragma unroll
                for (int tap = 0; tap < 11; ++tap) {
                    #pragma unroll
                    for (int e = 0; e < 8; ++e) {
                        tap_0(sum_3[r][e], x0_window[(e + tap) / 2].at[(e + tap) % 2],
                            x1[tap_down * x1_stride_2 + tap]);
                    }
                }
            }
        }
    }

    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (first_row + r >= row) {
            float_x2 out0_at[4];
            #pragma unroll
            for (int e = 0; e < 8; ++e) {
                const float add_5 = sum_3[r][e] + s0;
                out0_at[e / 2].at[e % 2] = add_5;
            }
            #pragma unroll
            for (int a = 0; a < 4; ++a) {
                if (first_column + a * 2 >= column) {
                    *reinterpret_cast<float_x2*>(out0 + (first_row + r) * out0_stride_0 + (first_column + a * 2)) =
                        out0_at[a];
                }
            }
        }
    }
}
