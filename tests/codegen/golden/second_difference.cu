// x0 + x1 - x2
//
// tiled: 256 threads a tile of 16 rows of 128 elements, 2 elements an access

// Neighbours that one access moves.
struct alignas(8) float_x2 { float at[2]; };

// The expression at one element.
static __device__ __forceinline__ float element(const float x0, const float x1, const float x2) {
    const float add_3 = x0 + x1;
    const float subtract_4 = add_3 - x2;
    return subtract_4;
}

extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const float* __restrict__ x2,
    const unsigned extent_0,
    const unsigned extent_1,
    const int x0_stride_0,
    const int out0_stride_0)
{
    // A block computes a tile of 16 rows of 128 neighbouring results. What several of its rows read comes
    // from the first-level cache after the first.
    const unsigned tiles_along = (extent_1 + 127) / 128;
    const int first_1 = blockIdx.x % tiles_along * 128;
    const int first_0 = blockIdx.x / tiles_along * 16;
    const int end_1 = extent_1, end_0 = extent_0;

    // All loads are on their way before the first one is used.
    float_x2 x0_at[4] = {};
    float_x2 x1_at[4] = {};
    float_x2 x2_at[4] = {};
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const unsigned place = threadIdx.x + u * 256;
        const int row = place / 64, column = place % 64 * 2;
        const int i0 = first_0 + row, i1 = first_1 + column;
        if (i0 < end_0 && i1 < end_1) {
            x0_at[u] = *reinterpret_cast<const float_x2*>(x0 + i0 * x0_stride_0 + i1);
            x1_at[u] = *reinterpret_cast<const float_x2*>(x1 + i0 * x0_stride_0 + i1);
            x2_at[u] = *reinterpret_cast<const float_x2*>(x2 + i0 * x0_stride_0 + i1);
        }
    }

    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const unsigned place = threadIdx.x + u * 256;
        const int row = place / 64, column = place % 64 * 2;
        const int i0 = first_0 + row, i1 = first_1 + column;
        if (i0 < end_0 && i1 < end_1) {
            float_x2 out0_at;
            #pragma unroll
            for (int e = 0; e < 2; ++e) {
                out0_at.at[e] = element(x0_at[u].at[e], x1_at[u].at[e], x2_at[u].at[e]);
            }
            *reinterpret_cast<float_x2*>(out0 + i0 * out0_stride_0 + i1) = out0_at;
        }
    }
}
