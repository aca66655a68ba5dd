// var(x0, axis=0)
//
// columns: 32 threads per column, 64 columns per block, 4 elements per access, 4 accesses per thread, several
// blocks per tile

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

// 16 bytes that are read once: the caches may evict them first.
template <class T>
static __device__ __forceinline__ T read_once(const T* from) {
    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const uint4*>(from)));
}

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

extern "C" __global__ void __launch_bounds__(512) moments_squares_of_moments_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float s0,
    const int columns,
    const int n,
    const int x0_stride_1,
    unsigned char* workspace)
{
    // A block covers 64 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 16;
    const int thread_row = threadIdx.x / 16;
    // Several blocks share each tile of columns, one part of its inner axes per block.
    const int tiles = (columns + 63) / 64;
    const int parts = gridDim.x / tiles;
    const int tile = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share = ((n + 31) / 32 + parts - 1) / parts * 32;
    const int begin = part * share;
    const int end = n - begin < share ? n : begin + share;
    const int position = tile * 64 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const float* x0_column = x0 + column;

    moments32 moments_2[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2[e] = moments32();
    }
    int rest = begin + thread_row;
    #pragma unroll 1
    for (int k = rest; k < end - 96; k += 128) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 32;
            x0_at[u] = read_once(reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1));
        }
        int same = k;
        asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
        if (same < end) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(moments_2[e], x0_at[u].at[e]);
                }
            }
        }
        rest = rest + 128;
    }
    if (rest < end) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < end) {
                x0_at[u] = read_once(reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1));
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = rest + u * 32;
            if (i < end) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(moments_2[e], x0_at[u].at[e]);
                }
            }
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    __shared__ moments32 moments_2_of_thread[32][4][16];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                moments_2[e] = moments_of(moments_2[e], moments_2_of_thread[thread_row + half][e][thread_column]);
                moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2[e] = moments_2_of_thread[0][e][thread_column];
    }

    // Publish the part's partial result in the workspace, and draw a ticket. The block that draws the last
    // ticket of its tile folds all parts, in the order of the parts.
    unsigned* ticket = reinterpret_cast<unsigned*>(workspace) + tile;
    moments32* moments_2_of_part = reinterpret_cast<moments32*>(workspace + 4096);
    if (thread_row == 0) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            moments_2_of_part[blockIdx.x * 64 + e * 16 + thread_column] = moments_2[e];
        }
        __threadfence();  // the part is visible before the ticket is drawn
    }
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned drawn = atomicAdd(ticket, 1u);
        last = drawn == unsigned(parts) - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2[e] = moments32();
    }
    #pragma unroll 4
    for (int p = thread_row; p < parts; p += 32) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            moments_2[e] = moments_of(moments_2[e],
                moments_2_of_part[(tile * parts + p) * 64 + e * 16 + thread_column]);
        }
    }
    // Tree reduction over the threads of a column, in shared memory.
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
    }
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (thread_row < half) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                moments_2[e] = moments_of(moments_2[e], moments_2_of_thread[thread_row + half][e][thread_column]);
                moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
            }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        moments_2[e] = moments_2_of_thread[0][e][thread_column];
    }
    if (threadIdx.x == 0) {
        ticket[0] = 0;  // ready for the next launch
    }
    float squares_of_moments_3[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        squares_of_moments_3[e] = moments_2[e].squares;
    }
    float divide_4[4];
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        divide_4[e] = squares_of_moments_3[e] / s0;
    }
    if (thread_row == 0 && position < columns) {
        float_x4 out0_at;
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            out0_at.at[e] = divide_4[e];
        }
        *reinterpret_cast<float_x4*>(out0 + column) = out0_at;
    }
}
