// relu(matmul(x0, x1) + x2)
//
// tensor: tiles of 128 x 128 results, 64 x 32 per warp on tensor cores, 4 slices of 32 steps in shared memory

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
struct alignas(4) bfloat16_x2 { bfloat16 at[2]; };
struct alignas(16) bfloat16_x8 { bfloat16 at[8]; };
struct alignas(16) float_x8 { float at[8]; };

// sum += a * transpose(b) of fragments of 16 x 16 elements, by the whole warp: two instructions, each for 8
// columns of the sum, whose operand is half of the registers of b. See PTX ISA, mma.m16n8k16.
static __device__ __forceinline__ void multiply_accumulate(float_x8& sum, const bfloat16_x8& a, const bfloat16_x8& b) {
    const uint4 x = __builtin_bit_cast(uint4, a), y = __builtin_bit_cast(uint4, b);
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum.at[0]), "+f"(sum.at[1]), "+f"(sum.at[2]), "+f"(sum.at[3])
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y));
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum.at[4]), "+f"(sum.at[5]), "+f"(sum.at[6]), "+f"(sum.at[7])
        : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.z), "r"(y.w));
}

// Loads a fragment from shared memory; each lane passes the address of a row of 8 elements. See PTX ISA,
// ldmatrix.
template <class T, class Fragment>
static __device__ __forceinline__ void load_matrix(Fragment& to, const T* row) {
    const unsigned int from = static_cast<unsigned int>(__cvta_generic_to_shared(row));
    uint4 x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(from)
                 : "memory");
    to = __builtin_bit_cast(Fragment, x);
}

// Loads a fragment from shared memory; each lane passes the address of a row of 8 elements. See PTX ISA,
// ldmatrix.
template <class T, class Fragment>
static __device__ __forceinline__ void load_matrix_transposed(Fragment& to, const T* row) {
    const unsigned int from = static_cast<unsigned int>(__cvta_generic_to_shared(row));
    uint4 x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(from)
                 : "memory");
    to = __builtin_bit_cast(Fragment, x);
}

// Starts copying 16 bytes to shared memory without using registers, or zeros if `is_there` is false. See PTX
// ISA, cp.async.
template <class T>
static __device__ __forceinline__ void async_copy(T* to, const T* from, const bool is_there) {
    const unsigned int at = static_cast<unsigned int>(__cvta_generic_to_shared(to));
    const int bytes = is_there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(256) sum_maximum_bfloat16_tensor(
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
    extern __shared__ __align__(16) unsigned char shared_memory[];
    // A block computes a tile of 128 x 128 results, a warp 64 x 32 of them, as sums of products of 16 x 16
    // fragments. Slices of 32 steps are staged in shared memory, 3 slices ahead.
    const int rows = extent_0;
    const int columns = extent_1;
    const int tiles = (columns + 127) / 128;  // side by side
    const int tile_row = blockIdx.x / tiles * 128;
    const int tile_column = blockIdx.x % tiles * 128;
    const int warp = threadIdx.x / 32;
    const int warp_row = warp / 4 * 64;
    const int warp_column = warp % 4 * 32;
    const int lane = threadIdx.x % 32;
    auto& rows_slice = *reinterpret_cast<bfloat16 (*)[4][128][40]>(shared_memory + 0);
    bfloat16_x8 rows_fragment[4];
    auto& columns_slice = *reinterpret_cast<bfloat16 (*)[4][32][136]>(shared_memory + 40960);
    bfloat16_x8 columns_fragment[2];
    float_x8 sum_5_fragment[4][2] = {};
    // Start copying the first slices before the first one is used.
    #pragma unroll
    for (int ahead = 0; ahead < 3; ++ahead) {
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int q = threadIdx.x + u * 256;
            const int line = q / 4;
            const int part = q % 4 * 8;
            const int row = tile_row + line;
            const int step = ahead * 32 + part;
            async_copy(&rows_slice[ahead][line][part], x0 + row * x0_stride_0 + step, row < rows && step < n);
        }
        #pragma unroll
        for (int u = 0; u < 2; ++u) {
            const int q = threadIdx.x + u * 256;
            const int line = q / 16;
            const int part = q % 16 * 8;
            const int column = tile_column + part;
            const int step = ahead * 32 + line;
            async_copy(&columns_slice[ahead][line][part], x1 + column + step * x1_stride_2,
                column < columns && step < n);
        }
        asm volatile("cp.async.commit_group;");
    }
    const int slices = (n + 31) / 32;
    #pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
        const int now = slice % 4;
        const int next = (slice + 3) % 4;
        const int first = (slice + 3) * 32;
        const bool more = first < n;
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (more) {
            #pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int q = threadIdx.x + u * 256;
                const int line = q / 4;
                const int part = q % 4 * 8;
                const int row = tile_row + line;
                const int step = first + part;
                async_copy(&rows_slice[next][line][part], x0 + row * x0_stride_0 + step, row < rows && step < n);
            }
            #pragma unroll
            for (int u = 0; u < 2; ++u) {
                const int q = threadIdx.x + u * 256;
                const int line = q / 16;
                const int part = q % 16 * 8;
                const int column = tile_column + part;
                const int step = first + line;
                async_copy(&columns_slice[next][line][part], x1 + column + step * x1_stride_2,
                    column < columns && step < n);
            }
        }
        asm volatile("cp.async.commit_group;");
        #pragma unroll
        for (int step = 0; step < 32; step += 16) {
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                load_matrix(rows_fragment[i], &rows_slice[now][warp_row + i * 16 + lane % 16][step + lane / 16 * 8]);
            }
            #pragma unroll
            for (int j = 0; j < 2; ++j) {
                load_matrix_transposed(columns_fragment[j],
                    &columns_slice[now][step + lane % 16][warp_column + j * 16 + lane / 16 * 8]);
            }
            #pragma unroll
            for (int i = 0; i < 4; ++i) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                    multiply_accumulate(sum_5_fragment[i][j], rows_fragment[i], columns_fragment[j]);
                }
            }
        }
    }
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        #pragma unroll
        for (int below = 0; below < 2; ++below) {
            const int row = tile_row + warp_row + i * 16 + below * 8 + lane / 4;
            if (row < rows) {
                #pragma unroll
                for (int j = 0; j < 2; ++j) {
                    #pragma unroll
                    for (int beside = 0; beside < 2; ++beside) {
                        const int column = tile_column + warp_column + j * 16 + beside * 8 + lane % 4 * 2;
                        if (column < columns) {
                            bfloat16_x2 out0_at;
                            #pragma unroll
                            for (int e = 0; e < 2; ++e) {
                                const float sum_5 = sum_5_fragment[i][j].at[below * 2 + beside * 4 + e];
                                const bfloat16 x2_value = x2[column + e];
                                const float cast_7 = (float)x2_value;
                                const float add_8 = sum_5 + cast_7;
                                const float maximum_10 = larger<float>(add_8, 0.0f);
                                const bfloat16 cast_11 = (bfloat16)maximum_10;
                                out0_at.at[e] = cast_11;
                            }
                            *reinterpret_cast<bfloat16_x2*>(out0 + row * out0_stride_0 + column) = out0_at;
                        }
                    }
                }
            }
        }
    }
}
