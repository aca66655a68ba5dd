// matmul(softmax(matmul(x0, x1) * s0, axis=2), x2)
//
// tensor: tiles of 128 x 64 results, 64 x 64 per group of 4 warps on tensor cores, 2 slices of 64 steps in
// shared memory

// larger: the larger of two numbers, or NaN if either is. For float it is one instruction instead of three.
template <class T>
__device__ T larger(const T x, const T y) {
    const T more = x > y ? x : y;
    return (x != x ? x : more);
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
struct alignas(4) bfloat16_x2 { bfloat16 at[2]; };
struct alignas(16) bfloat16_x8 { bfloat16 at[8]; };
struct alignas(16) float_x8 { float at[8]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float max_of(const float x, const float y) {
    return larger<float>(x, y);
}
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Starts copying 4, 8 or 16 bytes to shared memory without using registers, or zeros if `is_there` is false.
// See PTX ISA, cp.async.
template <int size, class T>
static __device__ __forceinline__ void async_copy(T* to, const T* from, const bool is_there) {
    const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(to));
    const int bytes = is_there ? size : 0;
    if constexpr (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(size),
                     "r"(bytes)
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

// 32 sums of a lane, of 64 x 64 of a warpgroup, += 16 steps of products, or = where `adds` is false. See PTX
// ISA, wgmma.mma_async.
template <int TransposedRight>
static __device__ __forceinline__ void multiply_64x64(
    float_x8* sums, const bfloat16_x8& left, const unsigned long long right, const bool adds) {
    const uint4 x = __builtin_bit_cast(uint4, left);
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %37, 0; "
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, adds, 1, 1, %38;}"
        : "+f"(sums[0].at[0]), "+f"(sums[0].at[1]), "+f"(sums[0].at[2]), "+f"(sums[0].at[3]),
          "+f"(sums[0].at[4]), "+f"(sums[0].at[5]), "+f"(sums[0].at[6]), "+f"(sums[0].at[7]),
          "+f"(sums[1].at[0]), "+f"(sums[1].at[1]), "+f"(sums[1].at[2]), "+f"(sums[1].at[3]),
          "+f"(sums[1].at[4]), "+f"(sums[1].at[5]), "+f"(sums[1].at[6]), "+f"(sums[1].at[7]),
          "+f"(sums[2].at[0]), "+f"(sums[2].at[1]), "+f"(sums[2].at[2]), "+f"(sums[2].at[3]),
          "+f"(sums[2].at[4]), "+f"(sums[2].at[5]), "+f"(sums[2].at[6]), "+f"(sums[2].at[7]),
          "+f"(sums[3].at[0]), "+f"(sums[3].at[1]), "+f"(sums[3].at[2]), "+f"(sums[3].at[3]),
          "+f"(sums[3].at[4]), "+f"(sums[3].at[5]), "+f"(sums[3].at[6]), "+f"(sums[3].at[7])
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "l"(right), "r"(static_cast<int>(adds)), "n"(TransposedRight)
        : "memory");
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

extern "C" __global__ void __launch_bounds__(256, 2) sum_max_exp_bfloat16_tensor(
    bfloat16* __restrict__ out0,
    const bfloat16* __restrict__ x0,
    const bfloat16* __restrict__ x1,
    const bfloat16* __restrict__ x2,
    const float s0,
    const unsigned extent_1,
    const unsigned extent_2,
    const unsigned extent_7,
    const int n_0,
    const int n_3,
    const int x0_stride_0,
    const int x0_stride_1,
    const int x1_stride_0,
    const int x1_stride_2,
    const int x2_stride_0,
    const int x2_stride_6,
    const int out0_stride_0,
    const int out0_stride_1)
{
    // More shared memory than a block has by default; the launch requests it.
    extern __shared__ __align__(1024) unsigned char shared_memory[];
    // A block computes 128 rows of results, a warp 16 of them, over slices of 128 elements. A slice's scores
    // are a product; their exponentials, relative to the greatest score so far, are added to the running
    // sums, which are rescaled when that score changes.
    const int rows = extent_1;
    const int columns = extent_7;
    const int tiles = (columns + 63) / 64;  // side by side
    const int tiles_below = (rows + 127) / 128;
    const int tile_row = blockIdx.x / tiles % tiles_below * 128;
    const int layer = blockIdx.x / tiles / tiles_below;
    const int tile_column = blockIdx.x % tiles * 64;
    const int keys = extent_2;
    const int group_row = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0) * 64;
    const int warp_row = group_row + threadIdx.x / 32 % 4 * 16;
    const int lane = threadIdx.x % 32;
    auto& rows_slice = *reinterpret_cast<bfloat16 (*)[1][1][128][64]>(shared_memory + 0);
    auto& keys_slice = *reinterpret_cast<bfloat16 (*)[2][1][128][64]>(shared_memory + 16384);
    const int keys_line = threadIdx.x / 8;
    const int keys_part = threadIdx.x % 8 * 8;
    const bfloat16* keys_from = x1 + layer * x1_stride_0 + (0 + keys_line) * x1_stride_2 + keys_part;
    auto& columns_slice = *reinterpret_cast<bfloat16 (*)[2][1][128][64]>(shared_memory + 49152);
    const int columns_line = threadIdx.x / 8;
    const int columns_part = threadIdx.x % 8 * 8;
    const bfloat16* columns_from = x2 + layer * x2_stride_0 + (tile_column + columns_part) + columns_line * x2_stride_6;
    float_x8 sum_22_fragment[1][4] = {};
    float max_8_so_far[1][2];
    float sum_12_so_far[1][2] = {};
    #pragma unroll
    for (int i = 0; i < 1; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            max_8_so_far[i][h] = (-__int_as_float(0x7f800000 /* infinity */));
        }
    }
    const int slices = (keys + 127) / 128;
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int q = threadIdx.x + u * 256;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int row = tile_row + line;
        const int step = 0 + part;
        async_copy<16>(&rows_slice[0][0][line][part ^ line % 8 * 8],
            x0 + layer * x0_stride_0 + row * x0_stride_1 + step, row < rows && step < n_0);
    }
    const int buffer = 0 % 2;
    const int start = 0 * 128;
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int line = keys_line + u * 32;
        const int key = start + line;
        const int step = 0 + keys_part;
        async_copy<16>(&keys_slice[buffer][0][line][keys_part ^ line % 8 * 8],
            keys_from + (start + u * 32) * x1_stride_2, key < keys && step < n_0);
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int line = columns_line + u * 32;
        const int column = tile_column + columns_part;
        const int step = start + line;
        async_copy<16>(&columns_slice[buffer][0][line][columns_part ^ line % 8 * 8],
            columns_from + (start + u * 32) * x2_stride_6, column < columns && step < n_3);
    }
    asm volatile("cp.async.commit_group;");
    #pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
        const int now = slice % 2;
        const int next = (slice + 1) % 2;
        const int first = slice * 128;
        const int then = first + 128;
        const bool more = slice + 1 < slices;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (more) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = keys_line + u * 32;
                const int key = then + line;
                const int step = 0 + keys_part;
                async_copy<16>(&keys_slice[next][0][line][keys_part ^ line % 8 * 8],
                    keys_from + (then + u * 32) * x1_stride_2, key < keys && step < n_0);
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int line = columns_line + u * 32;
                const int column = tile_column + columns_part;
                const int step = then + line;
                async_copy<16>(&columns_slice[next][0][line][columns_part ^ line % 8 * 8],
                    columns_from + (then + u * 32) * x2_stride_6, column < columns && step < n_3);
            }
        }
        asm volatile("cp.async.commit_group;");
        float_x8 sum_5_fragment[1][8];
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (int step = 0; step < 64; step += 16) {
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                multiply_shared_64x128<0, 0>(&sum_5_fragment[i][0],
                    matrix_descriptor(&rows_slice[0][step / 64][group_row + i * 64][step % 64], 0),
                    matrix_descriptor(&keys_slice[now][step / 64][0][step % 64], 0), 0 < step);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        keep_in_order<8>(&sum_5_fragment[0][0]);
        float unit = 1.0f;
        if (0 <= first && first + 128 <= keys && (s0 > 0.0f)) {
            unit = s0;
        } else {
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    #pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        #pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            const int key = first + j * 16 + lane % 4 * 2 + e % 2 + e / 2 * 8;
                            const float sum_5 = sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4];
                            const float multiply_7 = sum_5 * s0;
                            sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] =
                                key < keys ? multiply_7 : (-__int_as_float(0x7f800000 /* infinity */));
                        }
                    }
                }
            }
        }
        float shift[1][2];
        float bounded[1][2];
        float factor[1][2];
        float largest_square = 0.0f;
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
            #pragma unroll
            for (int h = 0; h < 2; ++h) {
                float largest = (-__int_as_float(0x7f800000 /* infinity */));
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        largest = max_of(largest, sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4]);
                    }
                }
                #pragma unroll
                for (int offset = 2; offset > 0; offset /= 2) {
                    largest = max_of(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
                }
                largest = max_of(max_8_so_far[i][h], largest * unit);
                largest = ((largest - max_8_so_far[i][h]) > 5.0f) ? largest : max_8_so_far[i][h];
                bounded[i][h] = max_of(largest, (-3.4028235e+38f));
                shift[i][h] = bounded[i][h] * (-1.442695f);
                largest_square = max_of(largest_square, bounded[i][h] * bounded[i][h]);
                const float log2_of_factor = (max_8_so_far[i][h] - bounded[i][h]) * 1.442695f;
                factor[i][h] = [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_of_factor);
                max_8_so_far[i][h] = largest;
                sum_12_so_far[i][h] = sum_12_so_far[i][h] * factor[i][h];
            }
        }
        float scale = unit * 1.442695f;
        if (largest_square > 1099511600000.0f) {
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    #pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        #pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] =
                                (sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] * unit) - bounded[i][h];
                        }
                    }
                }
                #pragma unroll
                for (int h = 0; h < 2; ++h) {
                    shift[i][h] = 0.0f;
                }
            }
            scale = 1.442695f;
        }
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
            if (!((factor[i][0] == 1.0f) && (factor[i][1] == 1.0f))) {
                #pragma unroll
                for (int h = 0; h < 2; ++h) {
                    #pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        #pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            sum_22_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] =
                                sum_22_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] * factor[i][h];
                        }
                    }
                }
            }
        }
        bfloat16_x8 weights[1][8];
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
            #pragma unroll
            for (int k = 0; k < 8; ++k) {
                #pragma unroll
                for (int e = 0; e < 8; ++e) {
                    const float log2_of_term = (sum_5_fragment[i][k].at[e] * scale) + shift[i][e / 2 % 2];
                    const float term =
                        [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_of_term);
                    sum_12_so_far[i][e / 2 % 2] = sum_of(sum_12_so_far[i][e / 2 % 2], term);
                    weights[i][k].at[e] = (bfloat16)term;
                }
            }
        }
        keep_in_order<4>(&sum_22_fragment[0][0]);
        keep_in_order<8>(&weights[0][0]);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                multiply_64x64<1>(&sum_22_fragment[i][0], weights[i][k],
                    matrix_descriptor(&columns_slice[now][0 / 64][k * 16][0 % 64], 16384), true);
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        keep_in_order<4>(&sum_22_fragment[0][0]);
    }
    #pragma unroll
    for (int i = 0; i < 1; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            #pragma unroll
            for (int offset = 2; offset > 0; offset /= 2) {
                sum_12_so_far[i][h] = sum_of(sum_12_so_far[i][h], __shfl_xor_sync(0xffffffffu, sum_12_so_far[i][h],
                    offset));
            }
        }
    }
    #pragma unroll
    for (int i = 0; i < 1; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = tile_row + warp_row + i * 64 + h * 8 + lane / 4;
            if (row < rows) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    const int column = tile_column + j * 8 + lane % 4 * 2;
                    if (column < columns) {
                        bfloat16_x2 out0_at;
                        #pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            const float sum_22 =
                                sum_22_fragment[i][j / 2].at[h * 2 + j % 2 * 4 + e] / sum_12_so_far[i][h];
                            const bfloat16 cast_23 = (bfloat16)sum_22;
                            out0_at.at[e] = cast_23;
                        }
                        *reinterpret_cast<bfloat16_x2*>(out0 + layer * out0_stride_0 + row * out0_stride_1 + column) =
                            out0_at;
                    }
                }
            }
        }
    }
}
