// x0 + x1 - x2
//
// stencil: 8 rows of 2 results per thread, 128 threads per block, 1 window in registers

// A vector of neighbouring elements, moved by one access.
struct alignas(8) float_x2 { float at[2]; };

// The expression at one element.
static __device__ __forceinline__ float element(const float x0, const float x1, const float x2) {
    const float add_3 = x0 + x1;
    const float subtract_4 = add_3 - x2;
    return subtract_4;
}

extern "C" __global__ void __launch_bounds__(128) add_subtract_float32_stencil(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const unsigned extent_0,
    const unsigned extent_1,
    const int x0_stride_0,
    const int out0_stride_0)
{
    // A thread computes 8 rows of 2 consecutive results. Elements that several of them read are loaded once.
    const unsigned runs = (extent_1 + 255) / 256;
    const int i1 = blockIdx.x % runs * 256 + threadIdx.x * 2;
    const int first = blockIdx.x / runs * 8;
    const int end_0 = extent_0;
    const int end_1 = extent_1;
    if (i1 >= end_1) return;

    float_x2 x0_rows[10][1];
    #pragma unroll
    for (int r = 0; r < 10; ++r) {
        const int i0 = first + r;
        if (i0 < end_0 + 2) {
            const float* from = x0 + i0 * x0_stride_0 + i1;
            x0_rows[r][0] = *reinterpret_cast<const float_x2*>(from);
        }
    }

    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        const int i0 = first + r;
        if (i0 < end_0) {
            float_x2 out0_at;
            #pragma unroll
            for (int e = 0; e < 2; ++e) {
                out0_at.at[e] = element(x0_rows[r][e / 2].at[e % 2], x0_rows[r + 2][e / 2].at[e % 2],
                    x0_rows[r + 1][e / 2].at[e % 2]);
            }
            *reinterpret_cast<float_x2*>(out0 + i0 * out0_stride_0 + i1) = out0_at;
        }
    }
}
