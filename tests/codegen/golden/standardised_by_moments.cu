// standardise(x0, axis=0)
//
// columns: 8 threads per column, 64 columns per block, 2 elements per access, 8 accesses per thread, several
// blocks per tile synchronised by grid barriers

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

// mean_of: the mean; NaN for no elements.
template <class R>
__device__ R mean_of(const moments<R> x) {
    return x.count > 0 ? x.origin + x.offset : x.count / x.count;
}


using moments32 = moments<float>;

// A vector of neighbouring elements, moved by one access.
struct alignas(8) float_x2 { float at[2]; };

// Combines two values of a reduction.
static __device__ __forceinline__ moments32 moments_of_element(const moments32 x, const float y) {
    return merged(x, y);
}
static __device__ __forceinline__ moments32 moments_of(const moments32 x, const moments32 y) {
    return merged(x, y);
}

// Waits until every block of the group has arrived. An arrival adds 1 to the counter, and that of part 0 adds
// 2^31 less the other arrivals: the last arrival flips the top bit, and the counter is ready for the next
// barrier.
static __device__ __forceinline__ void grid_sync(unsigned int* arrived, const int part, const int parts) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // the block's writes are visible before its arrival
        const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);
        const volatile unsigned int* now = arrived;
        while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);
        __threadfence();  // the other blocks' writes are visible after it
    }
    __syncthreads();
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(moments32& moments_2, const float x0) {
    moments_2 = moments_of_element(moments_2, x0);
}

// One element of the result.
static __device__ __forceinline__ float element_1(
    const float x0,
    const float mean_of_moments_3,
    const float reciprocal_7) {
    const float subtract_9 = x0 - mean_of_moments_3;
    const float multiply_10 = subtract_9 * reciprocal_7;
    return multiply_10;
}

extern "C" __global__ void __launch_bounds__(256, 4) moments_mean_of_moments_squares_of_moments_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const float s0,
    const int columns,
    const int n_0,
    const int n_1,
    const int x0_stride_1,
    const int x0_stride_2,
    const int parts,
    unsigned char* workspace)
{
    // A block covers 64 columns, 2 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int tiles = (columns + 63) / 64;
    // A group of blocks shares each tile, one part per block. All blocks of the launch are resident at the
    // same time, so they may wait for each other. A group processes the tiles block_group, block_group +
    // block_groups, ...
    const int block_groups = gridDim.x / parts;
    const int block_group = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share_0 = ((n_0 + 7) / 8 + parts - 1) / parts * 8;
    const int begin_0 = part * share_0;
    const int end_0 = n_0 - begin_0 < share_0 ? n_0 : begin_0 + share_0;
    const int share_1 = ((n_1 + 7) / 8 + parts - 1) / parts * 8;
    const int begin_1 = part * share_1;
    const int end_1 = n_1 - begin_1 < share_1 ? n_1 : begin_1 + share_1;

    // In the workspace: a counter for the barrier of each group of blocks, then the parts' partial results.
    unsigned* arrived = reinterpret_cast<unsigned*>(workspace + block_group * 128);
    unsigned char* results = reinterpret_cast<unsigned char*>(workspace + block_groups * 128);
    int parity = 0;  // selects one of two sets of results: some blocks may be one tile ahead
    for (int tile = block_group; tile < tiles; tile += block_groups) {
        const int position = tile * 64 + thread_column * 2;
        const int column = position < columns ? position : columns - 2;
        const float* x0_column = x0 + column;
        float* out0_column = out0 + column;

        moments32 moments_2[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2[e] = moments32();
        }
        int rest = begin_0 + thread_row;
        #pragma unroll 1
        for (int k = rest; k < end_0 - 56; k += 64) {
            float_x2 x0_at[8];
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                const int i = k + u * 8;
                x0_at[u] = *reinterpret_cast<const float_x2*>(x0_column + i * x0_stride_1);
            }
            int same = k;
            asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
            if (same < end_0) {
                #pragma unroll
                for (int u = 0; u < 8; ++u) {
                    #pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        fold_0(moments_2[e], x0_at[u].at[e]);
                    }
                }
            }
            rest = rest + 64;
        }
        if (rest < end_0) {
            float_x2 x0_at[8];
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                const int i = rest + u * 8;
                if (i < end_0) {
                    x0_at[u] = *reinterpret_cast<const float_x2*>(x0_column + i * x0_stride_1);
                }
            }
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                const int i = rest + u * 8;
                if (i < end_0) {
                    #pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        fold_0(moments_2[e], x0_at[u].at[e]);
                    }
                }
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        __shared__ moments32 moments_2_of_thread[8][2][32];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
            if (thread_row < half) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    moments_2[e] = moments_of(moments_2[e], moments_2_of_thread[thread_row + half][e][thread_column]);
                    moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
                }
            }
            __syncthreads();
        }
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2[e] = moments_2_of_thread[0][e][thread_column];
        }

        // Publish the part's partial result. Once all blocks of the group have done so, each folds the
        // results of all parts, in the order of the parts.
        moments32* moments_2_of_part =
            reinterpret_cast<moments32*>(results + parity * 1024 * gridDim.x) + block_group * parts * 64;
        if (thread_row == 0) {
            #pragma unroll
            for (int e = 0; e < 2; ++e) {
                moments_2_of_part[part * 64 + e * 32 + thread_column] = moments_2[e];
            }
        }
        grid_sync(arrived, part, parts);
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2[e] = moments32();
        }
        #pragma unroll 4
        for (int p = thread_row; p < parts; p += 8) {
            #pragma unroll
            for (int e = 0; e < 2; ++e) {
                moments_2[e] = moments_of(moments_2[e], moments_2_of_part[p * 64 + e * 32 + thread_column]);
            }
        }
        // Tree reduction over the threads of a column, in shared memory.
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
        }
        __syncthreads();
        for (int half = 4; half > 0; half /= 2) {
            if (thread_row < half) {
                #pragma unroll
                for (int e = 0; e < 2; ++e) {
                    moments_2[e] = moments_of(moments_2[e], moments_2_of_thread[thread_row + half][e][thread_column]);
                    moments_2_of_thread[thread_row][e][thread_column] = moments_2[e];
                }
            }
            __syncthreads();
        }
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            moments_2[e] = moments_2_of_thread[0][e][thread_column];
        }
        float mean_of_moments_3[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            mean_of_moments_3[e] = mean_of(moments_2[e]);
        }
        float squares_of_moments_4[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            squares_of_moments_4[e] = moments_2[e].squares;
        }
        float divide_5[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            divide_5[e] = squares_of_moments_4[e] / s0;
        }
        float sqrt_6[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            sqrt_6[e] = sqrt(divide_5[e]);
        }
        float reciprocal_7[2];
        #pragma unroll
        for (int e = 0; e < 2; ++e) {
            reciprocal_7[e] = float(1) / sqrt_6[e];
        }

        if (position < columns) {
            int rest_b = begin_1 + thread_row;
            #pragma unroll 1
            for (int k = rest_b; k < end_1 - 56; k += 64) {
                float_x2 x0_at[8];
                #pragma unroll
                for (int u = 0; u < 8; ++u) {
                    const int i = k + u * 8;
                    x0_at[u] = *reinterpret_cast<const float_x2*>(x0_column + i * x0_stride_2);
                }
                int same = k;
                asm volatile("" : "+r"(same));  // so that the compiler keeps the branch
                if (same < end_1) {
                    #pragma unroll
                    for (int u = 0; u < 8; ++u) {
                        const int i = k + u * 8;
                        float_x2 out0_at;
                        #pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            out0_at.at[e] = element_1(x0_at[u].at[e], mean_of_moments_3[e], reciprocal_7[e]);
                        }
                        *reinterpret_cast<float_x2*>(out0_column + i * x0_stride_2) = out0_at;
                    }
                }
                rest_b = rest_b + 64;
            }
            if (rest_b < end_1) {
                float_x2 x0_at[8];
                #pragma unroll
                for (int u = 0; u < 8; ++u) {
                    const int i = rest_b + u * 8;
                    if (i < end_1) {
                        x0_at[u] = *reinterpret_cast<const float_x2*>(x0_column + i * x0_stride_2);
                    }
                }
                #pragma unroll
                for (int u = 0; u < 8; ++u) {
                    const int i = rest_b + u * 8;
                    if (i < end_1) {
                        float_x2 out0_at;
                        #pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            out0_at.at[e] = element_1(x0_at[u].at[e], mean_of_moments_3[e], reciprocal_7[e]);
                        }
                        *reinterpret_cast<float_x2*>(out0_column + i * x0_stride_2) = out0_at;
                    }
                }
            }
        }
        parity = 1 - parity;
        __syncthreads();  // the next tile reuses the shared arrays
    }
}
