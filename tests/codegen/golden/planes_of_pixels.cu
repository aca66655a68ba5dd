// permute(x0, {0, 2, 1}) + x1
//
// channels: 3 channels of 4 pixels per thread, 256 threads per block

using uint8 = unsigned char;

// A vector of neighbouring elements, moved by one access.
struct alignas(4) uint8_x4 { uint8 at[4]; };
struct alignas(16) float_x4 { float at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// The expression at one element.
static __device__ __forceinline__ float element(const uint8 x0, const float x1) {
    const float cast_1 = (float)x0;
    const float add_3 = cast_1 + x1;
    return add_3;
}

extern "C" __global__ void __launch_bounds__(256) add_float32_channels(
    float* __restrict__ out0,
    const uint8* __restrict__ x0,
    const float* __restrict__ x1,
    const unsigned extent_2,
    const unsigned multiplier_2,
    const int shift_2,
    const int n,
    const int x0_stride_0,
    const int x0_stride_2,
    const int out0_stride_0,
    const int out0_stride_1)
{
    // A thread computes 3 channels of 4 neighbouring pixels, so that it accesses both planes and interleaved
    // channels by whole vectors.
    const int pixels = n / 3;
    const int first = blockIdx.x * 1024;
    if (first + 1024 <= pixels) {
        const int i = first + threadIdx.x * 4;
        const int i0 = quotient(i, multiplier_2, shift_2);
        const int i2 = i - i0 * extent_2;
        float x1_at[3];
        uint8_x4 x0_window[3];
        x0_window[0] = *reinterpret_cast<const uint8_x4*>(x0 + i0 * x0_stride_0 + 0 + i2 * x0_stride_2);
        x0_window[1] = *reinterpret_cast<const uint8_x4*>(x0 + i0 * x0_stride_0 + 0 + i2 * x0_stride_2 + 4);
        x0_window[2] = *reinterpret_cast<const uint8_x4*>(x0 + i0 * x0_stride_0 + 0 + i2 * x0_stride_2 + 8);
        #pragma unroll
        for (int u = 0; u < 3; ++u) {
            x1_at[u] = x1[u];
        }
        #pragma unroll
        for (int u = 0; u < 3; ++u) {
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element(x0_window[(e * 3 + 0 + u) / 4].at[(e * 3 + 0 + u) % 4], x1_at[u]);
            }
            *reinterpret_cast<float_x4*>(out0 + i0 * out0_stride_0 + u * out0_stride_1 + i2) = out0_at;
        }
    } else {
        // The last block computes the remaining pixels one by one.
        #pragma unroll 1
        for (int i = first + threadIdx.x; i < pixels; i += 256) {
            const int i0 = quotient(i, multiplier_2, shift_2);
            const int i2 = i - i0 * extent_2;
            #pragma unroll
            for (int u = 0; u < 3; ++u) {
                out0[i0 * out0_stride_0 + u * out0_stride_1 + i2] =
                    element(x0[i0 * x0_stride_0 + u + i2 * x0_stride_2], x1[u]);
            }
        }
    }
}
