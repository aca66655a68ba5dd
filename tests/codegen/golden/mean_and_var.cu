// pack(mean(x0, axis=1), var(x0, axis=1))
//
// rows: 32 threads per row, 4 rows per block, 4 elements per access from the first aligned element on, 4
// accumulators per thread, elements kept in registers

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_2, const float x0) {
    sum_2 = sum_of(sum_2, x0);
}

// One element of loop 1, folded into the accumulators.
static __device__ __forceinline__ void fold_1(float& sum_7, const float x0, const float divide_3) {
    const float subtract_5 = x0 - divide_3;
    const float square_6 = subtract_5 * subtract_5;
    sum_7 = sum_of(sum_7, square_6);
}

extern "C" __global__ void __launch_bounds__(128) sum_square_float32_rows(
    float* __restrict__ out0,
    float* __restrict__ out1,
    const float* __restrict__ x0,
    const float s0,
    const int rows,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x % 32;  // index among the 32 threads of a row
    // Threads past the last row repeat it and store nothing: the shuffles and barriers need whole warps.
    const int position = blockIdx.x * 4 + threadIdx.x / 32;
    const int row = position < rows ? position : rows - 1;
    const float* x0_row = x0 + row * x0_stride_0;
    const int row_offset = row * x0_stride_0;
    const int ahead = (4 - row_offset % 4) % 4;  // elements before the first aligned one

    // A thread's elements of the row are read once and kept in registers for all loops.
    const int before = ahead < n ? ahead : n;
    const int first = before;
    const int whole = first + (n - before) / 4 * 4;
    const int end_at = lane < before ? lane : whole + lane - before;
    const int k = first + lane * 4;
    float_x4 x0_at[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 128;
        if (i < whole) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
        }
    }
    float x0_end = {};
    if (end_at < n) {
        x0_end = x0_row[end_at];
    }

    float sum_2_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_2_parts[u] = 0.0f;
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 128;
        if (i < whole) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold_0(sum_2_parts[u], x0_at[u].at[e]);
            }
        }
    }
    // The elements before and after the whole vectors, one per thread.
    if (end_at < n) {
        fold_0(sum_2_parts[0], x0_end);
    }
    float sum_2 = sum_2_parts[0];
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
    const float divide_3 = sum_2 / s0;

    float sum_7_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_7_parts[u] = 0.0f;
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 128;
        if (i < whole) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                fold_1(sum_7_parts[u], x0_at[u].at[e], divide_3);
            }
        }
    }
    // The elements before and after the whole vectors, one per thread.
    if (end_at < n) {
        fold_1(sum_7_parts[0], x0_end, divide_3);
    }
    float sum_7 = sum_7_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_7 = sum_of(sum_7, sum_7_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_7 = sum_of(sum_7, __shfl_xor_sync(0xffffffffu, sum_7, offset));
    }
    const float divide_8 = sum_7 / s0;
    if (lane == 0 && position < rows) {
        out0[row] = divide_3;
        out1[row] = divide_8;
    }
}
