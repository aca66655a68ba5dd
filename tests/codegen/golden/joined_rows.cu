// concat(x0, x1, axis=1)
//
// elementwise: 256 threads per block, 4 elements per access, 2 accesses per thread

using int64 = long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// What an access adds to its index to gather.
static __device__ __forceinline__ int64 place_3(const int64 index_0, const int64 s0, const int64 s1) {
    const int64 index_of_part_3 = index_0 < s1 ? int64(0) : index_0 - s1 < s0 ? index_0 - s1 : s0 - int64(1);
    return index_of_part_3;
}

// What an access adds to its index to gather.
static __device__ __forceinline__ int64 place_5(const int64 index_0, const int64 s0, const int64 s2) {
    const int64 index_of_part_5 = index_0 < s0 ? int64(0) : index_0 - s0 < s2 ? index_0 - s0 : s2 - int64(1);
    return index_of_part_5;
}

// The expression at one element.
static __device__ __forceinline__ float element(
    const float x0_value,
    const float x1_value,
    const int64 index_0,
    const int64 s0) {
    const bool less_8 = index_0 < s0;
    const float where_9 = less_8 ? x0_value : x1_value;
    return where_9;
}

extern "C" __global__ void __launch_bounds__(256) take_where_float32_elementwise(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const int64 s0,
    const int64 s1,
    const int64 s2,
    const unsigned extent_1,
    const unsigned multiplier_1,
    const int shift_1,
    const int n,
    const int x0_stride_0,
    const int x1_stride_0,
    const int out0_stride_0)
{
    // A block computes 2048 consecutive elements. Consecutive threads access consecutive memory, so that a
    // warp's accesses are coalesced.
    const int first = blockIdx.x * 2048;
    if (first + 2048 <= n) {
        // All loads are issued before the first one is used.
        const int start = first + threadIdx.x * 4;
        float_x4 x0_value_at[2];
        float_x4 x1_value_at[2];
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = start + u * 1024;
            const int i0 = quotient(i, multiplier_1, shift_1);
            const int i1 = i - i0 * extent_1;
            const int64 index_of_part_3 = place_3(i1, s0, s1);
            const int64 index_of_part_5 = place_5(i1, s0, s2);
            x0_value_at[u] = *reinterpret_cast<const float_x4*>(x0 + i0 * x0_stride_0 + (index_of_part_3 & -int64(4)));
            x1_value_at[u] = *reinterpret_cast<const float_x4*>(x1 + i0 * x1_stride_0 + (index_of_part_5 & -int64(4)));
        }
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int i = start + u * 1024;
            const int i0 = quotient(i, multiplier_1, shift_1);
            const int i1 = i - i0 * extent_1;
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element(x0_value_at[u].at[e], x1_value_at[u].at[e], int64(i1) | int64(e), s0);
            }
            *reinterpret_cast<float_x4*>(out0 + i0 * out0_stride_0 + i1) = out0_at;
        }
    } else {
        // The last block computes the remaining elements one by one.
        #pragma unroll 1
        for (int i = first + threadIdx.x; i < n; i += 256) {
            const int i0 = quotient(i, multiplier_1, shift_1);
            const int i1 = i - i0 * extent_1;
            const int64 index_of_part_3 = place_3(i1, s0, s1);
            const int64 index_of_part_5 = place_5(i1, s0, s2);
            out0[i0 * out0_stride_0 + i1] = element(x0[i0 * x0_stride_0 + index_of_part_3],
                x1[i0 * x1_stride_0 + index_of_part_5], i1, s0);
        }
    }
}
