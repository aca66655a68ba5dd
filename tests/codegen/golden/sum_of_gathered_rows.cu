// sum(take(x1, x0, axis=0), axis=1)
//
// columns: 1 thread per column, 1024 columns per block, 4 elements per access

using int64 = long long;
using uint64 = unsigned long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// What an access adds to its index to gather.
static __device__ __forceinline__ int64 place_2(const int64 x0) {
    const int64 multiply_2 = uint64(x0) * uint64(64LL);
    return multiply_2;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_4, const float x1_value) {
    sum_4 = sum_of(sum_4, x1_value);
}

extern "C" __global__ void __launch_bounds__(256) take_sum_float32_columns(
    float* __restrict__ out0,
    const int64* __restrict__ x0,
    const float* __restrict__ x1,
    const unsigned extent_1,
    const unsigned multiplier_1,
    const int shift_1,
    const int columns,
    const int n,
    const int x0_stride_0,
    const int out0_stride_0)
{
    // A block covers 1024 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 256;
    const int position = blockIdx.x * 1024 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const int i0 = quotient(column, multiplier_1, shift_1);
    const int i1 = column - i0 * extent_1;
    const int64* x0_column = x0 + i0 * x0_stride_0;
    const float* x1_column = x1 + i1;

    float sum_4[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_4[e] = 0.0f;
    }
    for (int k = 0; k < n; ++k) {
        int64 x0_at;
        x0_at = x0_column[k];
        float_x4 x1_value_at;
        const int64 multiply_2 = place_2(x0_at);
        x1_value_at = *reinterpret_cast<const float_x4*>(x1_column + multiply_2);
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            fold_0(sum_4[e], x1_value_at.at[e]);
        }
    }
    if (position < columns) {
        float_x4 out0_at;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out0_at.at[e] = sum_4[e];
        }
        *reinterpret_cast<float_x4*>(out0 + i0 * out0_stride_0 + i1) = out0_at;
    }
}
