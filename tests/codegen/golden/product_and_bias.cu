// relu(matmul(x0, x1) + x2)
//
// tensor: tiles of 128 x 128 results, 64 x 128 per group of 4 warps on tensor cores, 3 slices of 64 steps in
// shared memory

// floats: whether T is a floating type.
template <class T>
constexpr bool floats = T(0) < T(0.5) && T(0.5) < T(1);

// settled: x, as one value. Of a choice by another choice's result g++ merges the conditions: a vector of clip(x, y, z)
// takes 25 instructions, otherwise 11. bool and integers need none of it.
template <class T>
__device__ T settled(const T x) {
#if !__CUDA_ARCH__
#if __has_builtin(__builtin_assoc_barrier)
    if constexpr (floats<T>) return __builtin_assoc_barrier(x);
#endif
#endif
    return x;
}

// larger: the larger of two numbers, or NaN if either is. For float it is one instruction instead of three.
// Two choices, since g++ does not vectorise a choice by two conditions within another one, as in clip.
template <class T>
__device__ T larger(const T x, const T y) {
    const T more = x > y ? x : y;
    return settled<T>(x != x ? x : more);
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ float larger(const float x, const float y) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// rounded_to_odd: a double as a float, so that rounding the float again, to fewer bits, gives what rounding the double
// once would have (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE TC 57, 2008).
__device__ float rounded_to_odd(const double x) {
    const float nearest = static_cast<float>(x);
    const double back = nearest;
    if (back == x || x != x) return nearest;
    const bool beyond = x < 0 ? back < x : back > x;  // steps towards zero, then marks the result as inexact
    return __uint_as_float((__float_as_uint(nearest) - (beyond ? 1u : 0u)) | 1u);
}

// bfloat16_bits: the bfloat16 nearest to a float.
__device__ unsigned short bfloat16_bits(const float x) {
#if __CUDA_ARCH__ >= 800
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const unsigned bits = __float_as_uint(x);
    const unsigned nearest = bits + 0x7fffu + (bits >> 16 & 1u);
    return static_cast<unsigned short>((x == x ? nearest : bits | 0x400000u) >> 16);
#endif
}

// bfloat16: the upper half of a float, for storage; arithmetic is in float.
struct bfloat16 {
    unsigned short bits;
    bfloat16() = default;
    __device__ explicit bfloat16(const float x) : bits(bfloat16_bits(x)) {}
    __device__ explicit bfloat16(const double x) : bfloat16(rounded_to_odd(x)) {}
    __device__ explicit operator float() const { return __uint_as_float(static_cast<unsigned>(bits) << 16); }
    template <class N>
    __device__ explicit bfloat16(const N x) : bfloat16(static_cast<float>(x)) {}
    template <class N>
    __device__ explicit operator N() const {
        return static_cast<N>(static_cast<float>(*this));
    }
};

// A vector of neighbouring elements, moved by one access.
struct alignas(16) bfloat16_x8 { bfloat16 at[8]; };
struct alignas(16) float_x8 { float at[8]; };

// Starts copying 16 bytes to shared memory without using registers, or zeros if `is_there` is false. See PTX
// ISA, cp.async.
template <class T>
static __device__ __forceinline__ void async_copy(T* to, const T* from, const bool is_there) {
    const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(to));
    const int bytes = is_there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes)
                 : "memory");
}

// Describes a factor in shared memory: its first element, lines of 128 bytes, swizzled, 8 of them after the
// other 8; `beside`: bytes to the next 64 columns of lines that go along the steps. See PTX ISA, Matrix
// Descriptor Format of wgmma.
template <class T>
static __device__ __forceinline__ unsigned long long matrix_descriptor(const T* first, const unsigned int beside) {
    const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(first));
    return (at & 0x3ffffu) >> 4 | static_cast<unsigned long long>(beside >> 4) << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

// Keeps the compiler from moving what computes these registers, or uses them, past the asynchronous products
// around it.
template <int Fragments>
static __device__ __forceinline__ void keep_in_order(float_x8* sums) {
    #pragma unroll
    for (int i = 0; i < Fragments; ++i) {
        #pragma unroll
        for (int e = 0; e < 8; ++e) asm volatile("" : "+f"(sums[i].at[e])::"memory");
    }
}
template <int Fragments, class T>
static __device__ __forceinline__ void keep_in_order(T* factors) {
    #pragma unroll
    for (int i = 0; i < Fragments; ++i) {
        uint4 x = __builtin_bit_cast(uint4, factors[i]);
        asm volatile("" : "+r"(x.x), "+r"(x.y), "+r"(x.z), "+r"(x.w)::"memory");
        factors[i] = __builtin_bit_cast(T, x);
    }
}

// 64 sums of a lane, of 64 x 128 of a warpgroup, += 16 steps of products, or = where `adds` is false. See PTX
// ISA, wgmma.mma_async.
template <int TransposedLeft, int TransposedRight>
static __device__ __forceinline__ void multiply_shared_64x128(
    float_x8* sums, const unsigned long long left, const unsigned long long right, const bool adds) {
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %66, 0; "
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, adds, 1, 1, %67, %68;}"
        : "+f"(sums[0].at[0]), "+f"(sums[0].at[1]), "+f"(sums[0].at[2]), "+f"(sums[0].at[3]),
          "+f"(sums[0].at[4]), "+f"(sums[0].at[5]), "+f"(sums[0].at[6]), "+f"(sums[0].at[7]),
          "+f"(sums[1].at[0]), "+f"(sums[1].at[1]), "+f"(sums[1].at[2]), "+f"(sums[1].at[3]),
          "+f"(sums[1].at[4]), "+f"(sums[1].at[5]), "+f"(sums[1].at[6]), "+f"(sums[1].at[7]),
          "+f"(sums[2].at[0]), "+f"(sums[2].at[1]), "+f"(sums[2].at[2]), "+f"(sums[2].at[3]),
          "+f"(sums[2].at[4]), "+f"(sums[2].at[5]), "+f"(sums[2].at[6]), "+f"(sums[2].at[7]),
          "+f"(sums[3].at[0]), "+f"(sums[3].at[1]), "+f"(sums[3].at[2]), "+f"(sums[3].at[3]),
          "+f"(sums[3].at[4]), "+f"(sums[3].at[5]), "+f"(sums[3].at[6]), "+f"(sums[3].at[7]),
          "+f"(sums[4].at[0]), "+f"(sums[4].at[1]), "+f"(sums[4].at[2]), "+f"(sums[4].at[3]),
          "+f"(sums[4].at[4]), "+f"(sums[4].at[5]), "+f"(sums[4].at[6]), "+f"(sums[4].at[7]),
          "+f"(sums[5].at[0]), "+f"(sums[5].at[1]), "+f"(sums[5].at[2]), "+f"(sums[5].at[3]),
          "+f"(sums[5].at[4]), "+f"(sums[5].at[5]), "+f"(sums[5].at[6]), "+f"(sums[5].at[7]),
          "+f"(sums[6].at[0]), "+f"(sums[6].at[1]), "+f"(sums[6].at[2]), "+f"(sums[6].at[3]),
          "+f"(sums[6].at[4]), "+f"(sums[6].at[5]), "+f"(sums[6].at[6]), "+f"(sums[6].at[7]),
          "+f"(sums[7].at[0]), "+f"(sums[7].at[1]), "+f"(sums[7].at[2]), "+f"(sums[7].at[3]),
          "+f"(sums[7].at[4]), "+f"(sums[7].at[5]), "+f"(sums[7].at[6]), "+f"(sums[7].at[7])
        : "l"(left), "l"(right), "r"(static_cast<int>(adds)), "n"(TransposedLeft), "n"(TransposedRight)
        : "memory");
}

extern "C" __global__ void __launch_bounds__(256, 2) sum_maximum_bfloat16_tensor(
    bfloat16* __restrict__ out0,
    const bfloat16* __restrict__ x0,
    const bfloat16* __restrict__ x1,
    const bfloat16* __restrict__ x2,
    const unsigned extent_0,
    const unsigned extent_1,
    const int n,
    const int x0_stride_0,
    const int x1_stride_2,
    const int out0_stride_0)
{
    // More shared memory than a block has by default; the launch requests it.
    extern __shared__ __align__(1024) unsigned char shared_memory[];
    // A block computes a tile of 128 x 128 results, a group of 4 warps 64 x 128 of them, as sums of products
    // of 64 x 16 fragments. Slices of 64 steps are staged in shared memory, 2 slices ahead.
    const int rows = extent_0;
    const int columns = extent_1;
    const int tiles = (columns + 127) / 128;  // side by side
    const int tiles_below = (rows + 127) / 128;
    const int tile = blockIdx.x;
    const int tiles_above = tile / (tiles * 8) * 8;
    const int tiles_left = tiles_below - tiles_above;
    const int tiles_together = 0 < tiles_left && tiles_left < 8 ? tiles_left : 8;
    const int within = tile % (tiles * 8);
    const int tile_row = (tiles_above + within % tiles_together) * 128;
    const int tile_column = within / tiles_together * 128;
    const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);
    const int group_row = group / 1 * 64;
    const int group_column = group % 1 * 128;
    const int warp_row = group_row + threadIdx.x / 32 % 4 * 16;
    const int lane = threadIdx.x % 32;
    auto& rows_slice = *reinterpret_cast<bfloat16 (*)[3][1][128][64]>(shared_memory + 0);
    const int rows_line = threadIdx.x / 8;
    const int rows_part = threadIdx.x % 8 * 8;
    const bfloat16* rows_from = x0 + (tile_row + rows_line) * x0_stride_0 + rows_part;
    auto& columns_slice = *reinterpret_cast<bfloat16 (*)[3][2][64][64]>(shared_memory + 49152);
    const int columns_line = threadIdx.x / 16;
    const int columns_panel = threadIdx.x % 16 / 8;
    const int columns_part = threadIdx.x % 8 * 8;
    const bfloat16* columns_from = x1 + tile_column + columns_panel * 64 + columns_part + columns_line * x1_stride_2;
    float_x8 sum_5_fragment[1][8] = {};
    // Start copying the first slices before the first one is used.
    #pragma unroll
    for (int ahead = 0; ahead < 2; ++ahead) {
        const bool rows_whole = tile_row + 128 <= rows && ahead * 64 + 64 <= n;
        if (rows_whole) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = rows_line + u * 32;
                async_copy(&rows_slice[ahead][0][line][rows_part ^ line % 8 * 8],
                    rows_from + u * 32 * x0_stride_0 + ahead * 64, rows_whole);
            }
        } else {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = rows_line + u * 32;
                const int row = tile_row + line;
                const int step = ahead * 64 + rows_part;
                async_copy(&rows_slice[ahead][0][line][rows_part ^ line % 8 * 8],
                    rows_from + u * 32 * x0_stride_0 + ahead * 64, row < rows && step < n);
            }
        }
        const bool columns_whole = tile_column + 128 <= columns && ahead * 64 + 64 <= n;
        if (columns_whole) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = columns_line + u * 16;
                async_copy(&columns_slice[ahead][columns_panel][line][columns_part ^ line % 8 * 8],
                    columns_from + (ahead * 64 + u * 16) * x1_stride_2, columns_whole);
            }
        } else {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = columns_line + u * 16;
                const int column = tile_column + columns_panel * 64 + columns_part;
                const int step = ahead * 64 + line;
                async_copy(&columns_slice[ahead][columns_panel][line][columns_part ^ line % 8 * 8],
                    columns_from + (ahead * 64 + u * 16) * x1_stride_2, column < columns && step < n);
            }
        }
        asm volatile("cp.async.commit_group;");
    }
    const int slices = (n + 63) / 64;
    keep_in_order<8>(&sum_5_fragment[0][0]);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
        const int now = slice % 3;
        const int next = (slice + 2) % 3;
        const int first = (slice + 2) * 64;
        const bool more = first < n;
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (int step = 0; step < 64; step += 16) {
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                multiply_shared_64x128<0, 1>(&sum_5_fragment[i][0],
                    matrix_descriptor(&rows_slice[now][step / 64][group_row + i * 64][step % 64], 0),
                    matrix_descriptor(&columns_slice[now][group_column / 64][step][group_column % 64], 8192), true);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        __syncthreads();  // the products of the slice before are done
        if (more) {
            const bool rows_whole_b = tile_row + 128 <= rows && first + 64 <= n;
            if (rows_whole_b) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int line = rows_line + u * 32;
                    async_copy(&rows_slice[next][0][line][rows_part ^ line % 8 * 8],
                        rows_from + u * 32 * x0_stride_0 + first, rows_whole_b);
                }
            } else {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int line = rows_line + u * 32;
                    const int row = tile_row + line;
                    const int step = first + rows_part;
                    async_copy(&rows_slice[next][0][line][rows_part ^ line % 8 * 8],
                        rows_from + u * 32 * x0_stride_0 + first, row < rows && step < n);
                }
            }
            const bool columns_whole_b = tile_column + 128 <= columns && first + 64 <= n;
            if (columns_whole_b) {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int line = columns_line + u * 16;
                    async_copy(&columns_slice[next][columns_panel][line][columns_part ^ line % 8 * 8],
                        columns_from + (first + u * 16) * x1_stride_2, columns_whole_b);
                }
            } else {
                #pragma unroll
                for (int u = 0; u < 4; ++u) {
                    const int line = columns_line + u * 16;
                    const int column = tile_column + columns_panel * 64 + columns_part;
                    const int step = first + line;
                    async_copy(&columns_slice[next][columns_panel][line][columns_part ^ line % 8 * 8],
                        columns_from + (first + u * 16) * x1_stride_2, column < columns && step < n);
                }
            }
        }
        asm volatile("cp.async.commit_group;");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    keep_in_order<8>(&sum_5_fragment[0][0]);
    #pragma unroll
    for (int i = 0; i < 1; ++i) {
        #pragma unroll
        for (int below = 0; below < 2; ++below) {
            const int row = tile_row + warp_row + i * 64 + below * 8 + lane / 4;
            #pragma unroll
            for (int j = 0; j < 8; j += 2) {
                float exchanged[4][2];
                #pragma unroll
                for (int n = 0; n < 4; ++n) {
                    #pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        exchanged[n][e] = sum_5_fragment[i][j + n / 2].at[below * 2 + n % 2 * 4 + e];
                    }
                }
                const bool is_second = 0 < lane / 1 % 2;
                #pragma unroll
                for (int n = 0; n < 2; ++n) {
                    #pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const float taken = __shfl_xor_sync(0xffffffffu,
                            is_second ? exchanged[n * 2][e] : exchanged[n * 2 + 1][e], 1);
                        exchanged[n * 2][e] = is_second ? taken : exchanged[n * 2][e];
                        exchanged[n * 2 + 1][e] = is_second ? exchanged[n * 2 + 1][e] : taken;
                    }
                }
                const bool is_second_b = 0 < lane / 2 % 2;
                #pragma unroll
                for (int n = 0; n < 2; ++n) {
                    #pragma unroll
                    for (int e = 0; e < 2; ++e) {
                        const float taken = __shfl_xor_sync(0xffffffffu,
                            is_second_b ? exchanged[n][e] : exchanged[n + 2][e], 2);
                        exchanged[n][e] = is_second_b ? taken : exchanged[n][e];
                        exchanged[n + 2][e] = is_second_b ? exchanged[n + 2][e] : taken;
                    }
                }
                const int column = tile_column + group_column + j * 16 + lane % 4 * 8;
                const int column_inside = column < columns ? column : columns - 8;
                bfloat16_x8 x2_value_at;
                x2_value_at = *reinterpret_cast<const bfloat16_x8*>(x2 + column_inside);
                bfloat16_x8 out0_at;
                #pragma unroll
                for (int e = 0; e < 8; ++e) {
                    const float sum_5 = exchanged[e / 2][e % 2];
                    const float cast_7 = (float)x2_value_at.at[e];
                    const float add_8 = sum_5 + cast_7;
                    const float maximum_10 = larger<float>(add_8, 0.0f);
                    const bfloat16 cast_11 = (bfloat16)maximum_10;
                    out0_at.at[e] = cast_11;
                }
                if (row < rows && column < columns) {
                    *reinterpret_cast<bfloat16_x8*>(out0 + row * out0_stride_0 + column) = out0_at;
                }
            }
        }
    }
}
