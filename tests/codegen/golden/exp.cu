// exp(x0)
//
// elementwise: 256 threads per block, 4 elements per access

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// The expression at one element.
static __device__ __forceinline__ float element(const float x0) {
    const float exp_1 = exp(x0);
    return exp_1;
}

extern "C" __global__ void __launch_bounds__(256) exp_float32_elementwise(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int n)
{
    // A block computes 1024 consecutive elements. Consecutive threads access consecutive memory, so that a
    // warp's accesses are coalesced.
    const int first = blockIdx.x * 1024;
    if (first + 1024 <= n) {
        const int i = first + threadIdx.x * 4;
        float_x4 x0_at;
        x0_at = *reinterpret_cast<const float_x4*>(x0 + i);
        float_x4 out0_at;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out0_at.at[e] = element(x0_at.at[e]);
        }
        *reinterpret_cast<float_x4*>(out0 + i) = out0_at;
    } else {
        // The last block computes the remaining elements one by one.
        #pragma unroll 1
        for (int i = first + threadIdx.x; i < n; i += 256) {
            out0[i] = element(x0[i]);
        }
    }
}
