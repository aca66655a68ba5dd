// sum(take(x1, x0, axis=0), axis=1)
//
// rows: 8 threads per row, 16 rows per block, 4 elements per access, 2 accumulators per thread

using int64 = long long;
using uint64 = unsigned long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_4, const float x1_value) {
    sum_4 = sum_of(sum_4, x1_value);
}

extern "C" __global__ void __launch_bounds__(128) take_sum_float32_rows(
    float* __restrict__ out0,
    const int64* __restrict__ x0,
    const float* __restrict__ x1,
    const int rows,
    const int n)
{
    const int lane = threadIdx.x % 8;  // index among the 8 threads of a row
    // Threads past the last row repeat it and store nothing: the shuffles and barriers need whole warps.
    const int position = blockIdx.x * 16 + threadIdx.x / 8;
    const int row = position < rows ? position : rows - 1;
    const int64 x0_value = x0[row];
    const int64 multiply_2 = uint64(x0_value) * uint64(64LL);

    float sum_4_parts[2];
    #pragma unroll
    for (int u = 0; u < 2; ++u) {
        sum_4_parts[u] = 0.0f;
    }
    #pragma unroll 1
    for (int k = lane * 4; k < n; k += 64) {
        float_x4 x1_value_at[2];
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = k + u * 32;
            if (i < n) {
                x1_value_at[u] = *reinterpret_cast<const float_x4*>(x1 + i + multiply_2);
            }
        }
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = k + u * 32;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_4_parts[u], x1_value_at[u].at[e]);
                }
            }
        }
    }
    float sum_4 = sum_4_parts[0];
    #pragma unroll
    for (int u = 1; u < 2; ++u) {
        sum_4 = sum_of(sum_4, sum_4_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        sum_4 = sum_of(sum_4, __shfl_xor_sync(0xffffffffu, sum_4, offset));
    }
    if (lane == 0 && position < rows) {
        out0[row] = sum_4;
    }
}
