// x0 + transpose(x1)
//
// tiled: 256 threads per tile of 32 rows of 64 elements, 4 elements per access, 1 load transposed in shared
// memory

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// The expression at one element.
static __device__ __forceinline__ float element(const float x0, const float x1) {
    const float add_2 = x0 + x1;
    return add_2;
}

extern "C" __global__ void __launch_bounds__(256) add_float32_tiled(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const unsigned extent_0,
    const unsigned extent_1,
    const int x0_stride_0,
    const int x1_stride_1)
{
    // A block computes a tile of 32 rows of 64 consecutive results. Operands that are contiguous along the
    // columns are read along them and transposed in shared memory, whose rows are padded to avoid bank
    // conflicts.
    const unsigned tiles_along = (extent_1 + 63) / 64;
    const int first_1 = blockIdx.x % tiles_along * 64;
    const int first_0 = blockIdx.x / tiles_along * 32;
    const int end_1 = extent_1;
    const int end_0 = extent_0;
    __shared__ float x1_tile[32][65];

    // All loads are issued before the first one is used.
    float_x4 x1_at[2] = {};
    #pragma unroll
    for (int u = 0; u < 2; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position % 8 * 4;
        const int column = position / 8;
        const int i0 = first_0 + row;
        const int i1 = first_1 + column;
        if (i0 < end_0 && i1 < end_1) {
            x1_at[u] = *reinterpret_cast<const float_x4*>(x1 + i1 * x1_stride_1 + i0);
        }
    }
    float_x4 x0_at[2] = {};
    #pragma unroll
    for (int u = 0; u < 2; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position / 16;
        const int column = position % 16 * 4;
        const int i0 = first_0 + row;
        const int i1 = first_1 + column;
        if (i0 < end_0 && i1 < end_1) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i0 * x0_stride_0 + i1);
        }
    }
    #pragma unroll
    for (int u = 0; u < 2; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position % 8 * 4;
        const int column = position / 8;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            x1_tile[row + e][column] = x1_at[u].at[e];
        }
    }
    __syncthreads();

    #pragma unroll
    for (int u = 0; u < 2; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position / 16;
        const int column = position % 16 * 4;
        const int i0 = first_0 + row;
        const int i1 = first_1 + column;
        if (i0 < end_0 && i1 < end_1) {
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element(x0_at[u].at[e], x1_tile[row][column + e]);
            }
            *reinterpret_cast<float_x4*>(out0 + i0 * x0_stride_0 + i1) = out0_at;
        }
    }
}
