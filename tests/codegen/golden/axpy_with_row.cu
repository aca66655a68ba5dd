// s0 * x0 + x1
//
// elementwise: 256 threads per block, 4 elements per access

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// The expression at one element.
static __device__ __forceinline__ float element(const float x0, const float x1, const float s0) {
    const float multiply_3 = s0 * x0;
    const float add_4 = multiply_3 + x1;
    return add_4;
}

extern "C" __global__ void __launch_bounds__(256) multiply_add_float32_elementwise(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const float s0,
    const unsigned extent_1,
    const unsigned multiplier_1,
    const int shift_1,
    const int n,
    const int x0_stride_0)
{
    // A block computes 1024 consecutive elements. Consecutive threads access consecutive memory, so that a
    // warp's accesses are coalesced.
    const int first = blockIdx.x * 1024;
    if (first + 1024 <= n) {
        const int i = first + threadIdx.x * 4;
        const int i0 = quotient(i, multiplier_1, shift_1);
        const int i1 = i - i0 * extent_1;
        float_x4 x0_at;
        float_x4 x1_at;
        x0_at = *reinterpret_cast<const float_x4*>(x0 + i0 * x0_stride_0 + i1);
        x1_at = *reinterpret_cast<const float_x4*>(x1 + i1);
        float_x4 out0_at;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out0_at.at[e] = element(x0_at.at[e], x1_at.at[e], s0);
        }
        *reinterpret_cast<float_x4*>(out0 + i0 * x0_stride_0 + i1) = out0_at;
    } else {
        // The last block computes the remaining elements one by one.
        #pragma unroll 1
        for (int i = first + threadIdx.x; i < n; i += 256) {
            const int i0 = quotient(i, multiplier_1, shift_1);
            const int i1 = i - i0 * extent_1;
            out0[i0 * x0_stride_0 + i1] = element(x0[i0 * x0_stride_0 + i1], x1[i1], s0);
        }
    }
}
