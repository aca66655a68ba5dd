// permute(x0, {0, 2, 1})
//
// tiled: 256 threads per tile of 128 rows of 128 elements, 16 elements per access, 1 load transposed in
// shared memory

using uint8 = unsigned char;

// A vector of neighbouring elements, moved by one access.
struct alignas(4) uint8_x4 { uint8 at[4]; };
struct alignas(16) uint8_x16 { uint8 at[16]; };

// The expression at one element.
static __device__ __forceinline__ uint8 element(const uint8 x0) {
    return x0;
}

extern "C" __global__ void __launch_bounds__(256) copy_uint8_tiled(
    uint8* __restrict__ out0,
    const uint8* __restrict__ x0,
    const unsigned extent_1,
    const unsigned extent_2,
    const int x0_stride_0,
    const int x0_stride_2,
    const int out0_stride_0,
    const int out0_stride_1)
{
    // A block computes a tile of 128 rows of 128 consecutive results. Operands that are contiguous along the
    // columns are read along them and transposed in shared memory, whose rows are padded to avoid bank
    // conflicts.
    const unsigned tiles_along = (extent_2 + 127) / 128;
    const unsigned tiles_down = (extent_1 + 127) / 128;
    const int first_2 = blockIdx.x % tiles_along * 128;
    const int first_1 = blockIdx.x / tiles_along % tiles_down * 128;
    const int end_2 = extent_2;
    const int end_1 = extent_1;
    const int i0 = blockIdx.x / tiles_along / tiles_down;
    __shared__ __align__(4) uint8 x0_tile[128][132];

    // All loads are issued before the first one is used.
    uint8_x16 x0_at[4] = {};
    #pragma unroll
    for (int u = 0; u < 1; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position % 8 * 16;
        const int column = position / 8 * 4;
        #pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int i1 = first_1 + row;
            const int i2 = first_2 + column + p;
            if (i1 < end_1 && i2 < end_2) {
                x0_at[u * 4 + p] = *reinterpret_cast<const uint8_x16*>(x0 + i0 * x0_stride_0 + i2 * x0_stride_2 + i1);
            }
        }
    }
    #pragma unroll
    for (int u = 0; u < 1; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position % 8 * 16;
        const int column = position / 8 * 4;
        #pragma unroll
        for (int e = 0; e < 16; ++e) {
            uint8_x4 word;
            #pragma unroll
            for (int p = 0; p < 4; ++p) {
                word.at[p] = x0_at[u * 4 + p].at[e];
            }
            *reinterpret_cast<uint8_x4*>(&x0_tile[row + e][column]) = word;
        }
    }
    __syncthreads();

    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const unsigned position = threadIdx.x + u * 256;
        const int row = position / 8;
        const int column = position % 8 * 16;
        const int i1 = first_1 + row;
        const int i2 = first_2 + column;
        if (i1 < end_1 && i2 < end_2) {
            uint8_x4 x0_words[4];
            #pragma unroll
            for (int w = 0; w < 4; ++w) {
                x0_words[w] = *reinterpret_cast<const uint8_x4*>(&x0_tile[row][column + w * 4]);
            }
            uint8_x16 out0_at;
            #pragma unroll
            for (int e = 0; e < 16; ++e) {
                out0_at.at[e] = element(x0_words[e / 4].at[e % 4]);
            }
            *reinterpret_cast<uint8_x16*>(out0 + i0 * out0_stride_0 + i1 * out0_stride_1 + i2) = out0_at;
        }
    }
}
