// x0 / norm(x0, axis=1, keepdims)
//
// windows: 1 x 4 results per thread, 128 threads per block, 1 window in registers, stored by way of shared
// memory

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void tap_0(float& sum_2, const float x0) {
    const float multiply_1 = x0 * x0;
    sum_2 = sum_of(sum_2, multiply_1);
}

// One element of the result.
static __device__ __forceinline__ float result_1(const float x0, const float sqrt_3) {
    const float divide_5 = x0 / sqrt_3;
    return divide_5;
}

extern "C" __global__ void __launch_bounds__(128) sum_sqrt_float32_windows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const unsigned extent_0,
    const int x0_stride_0)
{
    // A thread computes 1 x 4 neighbouring groups. Elements that several of them read are loaded once.
    const int first = blockIdx.x * 512;
    const int column = first + threadIdx.x * 4;
    const int columns = extent_0;
    __shared__ __align__(16) float out0_staged[128][12];
    if (column + 4 <= columns) {

        float_x4 x0_window[3];
        const float* x0_from = x0 + column * x0_stride_0;
        #pragma unroll
        for (int a = 0; a < 3; ++a) {
            x0_window[a] = *reinterpret_cast<const float_x4*>(x0_from + a * 4);
        }
        float_x4 out0_at[3];
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            float sum_2 = 0.0f;
            #pragma unroll
            for (int tap = 0; tap < 3; ++tap) {
                tap_0(sum_2, x0_window[(e * 3 + tap) / 4].at[(e * 3 + tap) % 4]);
            }
            const float sqrt_3 = sqrt(sum_2);
            #pragma unroll
            for (int tap = 0; tap < 3; ++tap) {
                out0_at[(e * 3 + tap) / 4].at[(e * 3 + tap) % 4] =
                    result_1(x0_window[(e * 3 + tap) / 4].at[(e * 3 + tap) % 4], sqrt_3);
            }
        }
        #pragma unroll
        for (int a = 0; a < 3; ++a) {
            *reinterpret_cast<float_x4*>(&out0_staged[threadIdx.x][a * 4]) = out0_at[a];
        }
    }
    __syncthreads();
    #pragma unroll
    for (int a = 0; a < 3; ++a) {
        const unsigned position = threadIdx.x + a * 128;
        const int by = position / 3;
        const int stored = first + by * 4;
        if (stored + 4 <= columns) {
            const int tap = position % 3 * 4;
            float_x4 out0_of_tile;
            out0_of_tile = *reinterpret_cast<const float_x4*>(&out0_staged[by][tap]);
            *reinterpret_cast<float_x4*>(out0 + stored * x0_stride_0 + tap) = out0_of_tile;
        }
    }
}
