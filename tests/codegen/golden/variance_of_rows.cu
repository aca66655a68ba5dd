// var(x0, axis=1)
//
// rows: 128 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread

// inverse_of_count: 1 / n for n >= 1. On a device it is within two roundings and takes fewer instructions than a
// division; it scales a correction, whose last digits do not matter.
template <class R>
__device__ R inverse_of_count(const R n) {
#if __CUDA_ARCH__
    R inverse;
    if constexpr (sizeof(R) == 4) {
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(n));
        return inverse;
    } else {
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(n));  // 20 bits; one third-order step gives 60
        const R error = fma(-n, inverse, R(1));
        return fma(fma(error, error, error), inverse, inverse);
    }
#else
    return R(1) / n;
#endif
}

// moments: the mean is origin + offset; squares is the sum of the squared distances from it, NaN where an element is
// infinite. T() is no element.
template <class R>
struct alignas(16) moments {
    R origin, offset, squares, count;
    moments() = default;
    __device__ moments(const R x) : origin(x), offset(0), squares(x - x), count(1) {}
    __device__ moments(const R first, const R mean, const R sum, const R n)
        : origin(first), offset(mean), squares(sum), count(n) {}
    __device__ moments(const bool chosen, const moments x)
        : origin(chosen ? x.origin : R(0)),
          offset(chosen ? x.offset : R(0)),
          squares(chosen ? x.squares : R(0)),
          count(chosen ? x.count : R(0)) {}
};

// __shfl_xor_sync: CUDA has no overload for moments; the parts are exchanged one by one.
template <class R>
__device__ moments<R> __shfl_xor_sync(const unsigned mask, const moments<R> x, const int offset) {
    return moments<R>(__shfl_xor_sync(mask, x.origin, offset), __shfl_xor_sync(mask, x.offset, offset),
                      __shfl_xor_sync(mask, x.squares, offset), __shfl_xor_sync(mask, x.count, offset));
}

// merged: the moments with one more element.
template <class R>
__device__ moments<R> merged(const moments<R> x, const R y) {
    const R origin = x.count == 0 ? y : x.origin, count = x.count + 1;
    const R distance = y - origin, off = distance - x.offset;
    const R offset = x.offset + off * inverse_of_count(count);
    return moments<R>(origin, offset, x.squares + off * (distance - offset), count);
}

// merged: the moments of the elements of both. Either may have none.
template <class R>
__device__ moments<R> merged(const moments<R> x, const moments<R> y) {
    const R origin = x.count == 0 ? y.origin : x.origin, count = x.count + y.count;
    const R apart = (y.origin - origin) + (y.offset - x.offset);
    const R moved = apart * (y.count * inverse_of_count(count > 1 ? count : R(1)));
    return moments<R>(origin, x.offset + moved, x.squares + y.squares + moved * x.count * apart, count);
}

using moments32 = moments<float>;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ moments32 moments_of_element(const moments32 x, const float y) {
    return merged(x, y);
}
static __device__ __forceinline__ moments32 moments_of(const moments32 x, const moments32 y) {
    return merged(x, y);
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(moments32& moments_2, const float x0) {
    moments_2 = moments_of_element(moments_2, x0);
}

extern "C" __global__ void __launch_bounds__(128) moments_squares_of_moments_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float s0,
    const int n,
    const int x0_stride_0)
{
    const int lane = threadIdx.x;  // index among the 128 threads of a row
    const int row = blockIdx.x;
    const float* x0_row = x0 + row * x0_stride_0;

    moments32 moments_2_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        moments_2_parts[u] = moments32();
    }
    #pragma unroll 1
    for (int k = lane * 4; k < n; k += 2048) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 512;
            if (i < n) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 512;
            if (i < n) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(moments_2_parts[u], x0_at[u].at[e]);
                }
            }
        }
    }
    moments32 moments_2 = moments_2_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        moments_2 = moments_of(moments_2, moments_2_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        moments_2 = moments_of(moments_2, __shfl_xor_sync(0xffffffffu, moments_2, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ moments32 moments_2_of_warp[4];
    if (threadIdx.x % 32 == 0) {
        moments_2_of_warp[threadIdx.x / 32] = moments_2;
    }
    __syncthreads();
    moments_2 = moments_2_of_warp[threadIdx.x % 4];
    #pragma unroll
    for (int offset = 2; offset > 0; offset /= 2) {
        moments_2 = moments_of(moments_2, __shfl_xor_sync(0xffffffffu, moments_2, offset));
    }
    const float squares_of_moments_3 = moments_2.squares;
    const float divide_4 = squares_of_moments_3 / s0;
    if (lane == 0) {
        out0[row] = divide_4;
    }
}
