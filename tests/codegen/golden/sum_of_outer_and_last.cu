// sum(x0, axis={0, 2})
//
// rows: 256 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread

using int64 = long long;
using uint64 = unsigned long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) int_x4 { int at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// Combines two values of a reduction.
static __device__ __forceinline__ int64 sum_of(const int64 x, const int64 y) {
    return uint64(x) + uint64(y);
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(int64& sum_2, const int x0) {
    const int64 cast_1 = (int64)x0;
    sum_2 = sum_of(sum_2, cast_1);
}

extern "C" __global__ void __launch_bounds__(256) sum_int64_rows(
    int64* __restrict__ out0,
    const int* __restrict__ x0,
    const unsigned extent_2,
    const unsigned multiplier_2,
    const int shift_2,
    const int n,
    const int x0_stride_0,
    const int x0_stride_1)
{
    const int lane = threadIdx.x;  // index among the 256 threads of a row
    const int row = blockIdx.x;
    const int* x0_row = x0 + row * x0_stride_0;

    int64 sum_2_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_2_parts[u] = 0LL;
    }
    #pragma unroll 1
    for (int k = lane * 4; k < n; k += 4096) {
        int_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 1024;
            if (i < n) {
                const int i1 = quotient(i, multiplier_2, shift_2);
                const int i2 = i - i1 * extent_2;
                x0_at[u] = *reinterpret_cast<const int_x4*>(x0_row + i1 * x0_stride_1 + i2);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 1024;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_2_parts[u], x0_at[u].at[e]);
                }
            }
        }
    }
    int64 sum_2 = sum_2_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_2 = sum_of(sum_2, sum_2_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ int64 sum_2_of_warp[8];
    if (threadIdx.x % 32 == 0) {
        sum_2_of_warp[threadIdx.x / 32] = sum_2;
    }
    __syncthreads();
    sum_2 = sum_2_of_warp[threadIdx.x % 8];
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        sum_2 = sum_of(sum_2, __shfl_xor_sync(0xffffffffu, sum_2, offset));
    }
    if (lane == 0) {
        out0[row] = sum_2;
    }
}
