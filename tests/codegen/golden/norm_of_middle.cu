// sqrt(sum(x0 * x0, axis=1))
//
// columns: 8 threads per column, 256 columns per block, 4 elements per access, 7 accesses per thread

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// i / extent by a multiplication; the launch passes the multiplier and the shift (Granlund and Montgomery,
// Division by invariant integers using multiplication, 1994).
static __device__ __forceinline__ unsigned quotient(const unsigned i, const unsigned multiplier, const int shift) {
    return (__umulhi(i, multiplier) + i) >> shift;
}

// 16 bytes that are read once: the caches may evict them first.
template <class T>
static __device__ __forceinline__ T read_once(const T* from) {
    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const uint4*>(from)));
}

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_2, const float x0) {
    const float multiply_1 = x0 * x0;
    sum_2 = sum_of(sum_2, multiply_1);
}

extern "C" __global__ void __launch_bounds__(512) sum_sqrt_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const unsigned extent_1,
    const unsigned multiplier_1,
    const int shift_1,
    const int columns,
    const int n,
    const int x0_stride_0,
    const int x0_stride_2,
    const int out0_stride_0)
{
    // A block covers 256 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 64;
    const int thread_row = threadIdx.x / 64;
    const int position = blockIdx.x * 256 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const int i0 = quotient(column, multiplier_1, shift_1);
    const int i1 = column - i0 * extent_1;
    const float* x0_column = x0 + i0 * x0_stride_0 + i1;

    float sum_2[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2[e] = 0.0f;
    }
    int rest = thread_row;
    #pragma unroll 1
    for (int k = rest; k < n - 48; k += 56) {
        float_x4 x0_at[7];
        #pragma unroll
        for (int u = 0; u < 7; ++u) {
            const int i = k + u * 8;
            x0_at[u] = read_once(reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2));
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < n) {
            #pragma unroll
            for (int u = 0; u < 7; ++u) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
        rest = rest + 56;
    }
    if (rest < n) {
        float_x4 x0_at[7];
        #pragma unroll
        for (int u = 0; u < 7; ++u) {
            const int i = rest + u * 8;
            if (i < n) {
                x0_at[u] = read_once(reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_2));
            }
        }
        #pragma unroll
        for (int u = 0; u < 7; ++u) {
            const int i = rest + u * 8;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_2[e], x0_at[u].at[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ float sum_2_of_thread[8][4][64];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
    }
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                sum_2[e] = sum_of(sum_2[e], sum_2_of_thread[thread_row + half][e][thread_column]);
                sum_2_of_thread[thread_row][e][thread_column] = sum_2[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sum_2[e] = sum_2_of_thread[0][e][thread_column];
    }
    float sqrt_3[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        sqrt_3[e] = sqrt(sum_2[e]);
    }
    if (thread_row == 0 && position < columns) {
        float_x4 out0_at;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out0_at.at[e] = sqrt_3[e];
        }
        *reinterpret_cast<float_x4*>(out0 + i0 * out0_stride_0 + i1) = out0_at;
    }
}
