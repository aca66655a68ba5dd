// matmul(transpose(exp(matmul(x0, x1) * s0 - x2)), x3)
//
// tensor: tiles of 128 x 64 results, 16 x 64 per warp on tensor cores, 2 slices of 64 steps in shared memory

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

extern "C" __global__ void __launch_bounds__(256) sum_exp_bfloat16_tensor(
    bfloat16* __restrict__ out0,
    const bfloat16* __restrict__ x0,
    const bfloat16* __restrict__ x1,
    const float* __restrict__ x2,
    const bfloat16* __restrict__ x3,
    const float s0,
    const unsigned extent_1,
    const unsigned extent_2,
    const unsigned extent_3,
    const int n_0,
    const int n_1,
    const int x0_stride_0,
    const int x0_stride_3,
    const int x1_stride_0,
    const int x1_stride_1,
    const int x2_stride_0,
    const int x3_stride_0,
    const int x3_stride_4,
    const int out0_stride_0,
    const int out0_stride_1)
{
    // A block computes 128 rows of results, a warp 16 of them, over slices of 32 elements. What they sum is
    // computed, for each row and element, of a product along short axes, on tensor cores.
    const int rows = extent_1;
    const int columns = extent_2;
    const int tiles = (columns + 63) / 64;  // side by side
    const int tiles_below = (rows + 127) / 128;
    const int tile_row = blockIdx.x / tiles % tiles_below * 128;
    const int layer = blockIdx.x / tiles / tiles_below;
    const int tile_column = blockIdx.x % tiles * 64;
    const int elements = extent_3;
    const int warp_row = threadIdx.x / 32 * 16;
    const int lane = threadIdx.x % 32;
    __shared__ __align__(16) bfloat16 rows_slice[1][128][72];
    bfloat16_x8 rows_fragment[1][4];
    __shared__ __align__(16) bfloat16 elements_slice[2][32][72];
    bfloat16_x8 elements_fragment[2];
    __shared__ __align__(16) bfloat16 columns_slice[2][32][72];
    bfloat16_x8 columns_fragment[4];
    float_x8 sum_16_so_far[1][4] = {};
    const int slices = (elements + 31) / 32;
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int q = threadIdx.x + u * 256;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int row = tile_row + line;
        const int step = 0 + part;
        async_copy<16>(&rows_slice[0][line][part], x1 + layer * x1_stride_0 + row * x1_stride_1 + step,
            row < rows && step < n_0);
    }
    const int buffer = 0 % 2;
    const int start = 0 * 32;
    #pragma unroll
    for (int u = 0; u < 1; ++u) {
        const int q = threadIdx.x + u * 256;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int element = start + line;
        const int step = 0 + part;
        async_copy<16>(&elements_slice[buffer][line][part], x0 + layer * x0_stride_0 + element * x0_stride_3 + step,
            element < elements && step < n_0);
    }
    #pragma unroll
    for (int u = 0; u < 1; ++u) {
        const int q = threadIdx.x + u * 256;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int column = tile_column + part;
        const int step = start + line;
        async_copy<16>(&columns_slice[buffer][line][part], x3 + layer * x3_stride_0 + column + step * x3_stride_4,
            column < columns && step < n_1);
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    #pragma unroll
    for (int step = 0; step < 64; step += 16) {
        #pragma unroll
        for (int i = 0; i < 1; ++i) {
            load_matrix(rows_fragment[i][step / 16],
                &rows_slice[0][warp_row + i * 16 + lane % 16][step + lane / 16 * 8]);
        }
    }
    #pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
        const int now = slice % 2;
        const int next = (slice + 1) % 2;
        const int first = slice * 32;
        const int then = first + 32;
        const bool more = slice + 1 < slices;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (more) {
            #pragma unroll
            for (int u = 0; u < 1; ++u) {
                const int q = threadIdx.x + u * 256;
                const int line = q / 8;
                const int part = q % 8 * 8;
                const int element = then + line;
                const int step = 0 + part;
                async_copy<16>(&elements_slice[next][line][part],
                    x0 + layer * x0_stride_0 + element * x0_stride_3 + step, element < elements && step < n_0);
            }
            #pragma unroll
            for (int u = 0; u < 1; ++u) {
                const int q = threadIdx.x + u * 256;
                const int line = q / 8;
                const int part = q % 8 * 8;
                const int column = tile_column + part;
                const int step = then + line;
                async_copy<16>(&columns_slice[next][line][part],
                    x3 + layer * x3_stride_0 + column + step * x3_stride_4, column < columns && step < n_1);
            }
        }
        asm volatile("cp.async.commit_group;");
        float_x8 sum_5_fragment[1][2] = {};
        #pragma unroll
        for (int step = 0; step < 64; step += 16) {
            #pragma unroll
            for (int j = 0; j < 2; ++j) {
                load_matrix(elements_fragment[j],
                    &elements_slice[now][j * 16 + lane % 8 + lane / 16 * 8][step + lane / 8 % 2 * 8]);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    multiply_accumulate(sum_5_fragment[i][j], rows_fragment[i][step / 16], elements_fragment[j]);
                }
            }
        }
        bfloat16_x8 weights[1][2];
        if (0 <= first && first + 32 <= elements) {
            #pragma unroll
            for (int j = 0; j < 2; ++j) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int element = first + j * 16 + lane % 4 * 2 + e / 2 * 8 + e % 2;
                    const float x2_value = x2[layer * x2_stride_0 + element];
                    #pragma unroll
                    for (int i = 0; i < 1; ++i) {
                        #pragma unroll
                        for (int h = 0; h < 2; ++h) {
                            const float multiply_7 = sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] * s0;
                            const float subtract_9 = multiply_7 - x2_value;
                            const float log2_weight = subtract_9 * 1.442695f;
                            const float exp_10 =
                                [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_weight);
                            const bfloat16 cast_11 = (bfloat16)exp_10;
                            weights[i][j].at[h * 2 + e % 2 + e / 2 * 4] = cast_11;
                        }
                    }
                }
            }
        } else {
            #pragma unroll
            for (int j = 0; j < 2; ++j) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int element = first + j * 16 + lane % 4 * 2 + e / 2 * 8 + e % 2;
                    const bool exists = element < elements;
                    const int element_inside = exists ? element : elements - 1;
                    const float x2_value = x2[layer * x2_stride_0 + element_inside];
                    #pragma unroll
                    for (int i = 0; i < 1; ++i) {
                        #pragma unroll
                        for (int h = 0; h < 2; ++h) {
                            const float multiply_7 = sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] * s0;
                            const float subtract_9 = multiply_7 - x2_value;
                            const float log2_weight_b = subtract_9 * 1.442695f;
                            const float exp_10 =
                                [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_weight_b);
                            const bfloat16 cast_11 = (bfloat16)exp_10;
                            weights[i][j].at[h * 2 + e % 2 + e / 2 * 4] = exists ? cast_11 : (bfloat16)0.0f;
                        }
                    }
                }
            }
        }
        #pragma unroll
        for (int k = 0; k < 2; ++k) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                load_matrix_transposed(columns_fragment[j],
                    &columns_slice[now][k * 16 + lane % 16][j * 16 + lane / 16 * 8]);
                #pragma unroll
                for (int i = 0; i < 1; ++i) {
                    multiply_accumulate(sum_16_so_far[i][j], weights[i][k], columns_fragment[j]);
                }
            }
        }
    }
    #pragma unroll
    for (int i = 0; i < 1; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            const int row = tile_row + warp_row + i * 16 + h * 8 + lane / 4;
            if (row < rows) {
                #pragma unroll
                for (int j = 0; j < 8; ++j) {
                    const int column = tile_column + j * 8 + lane % 4 * 2;
                    if (column < columns) {
                        bfloat16_x2 out0_at;
                        #pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            const float sum_16 = sum_16_so_far[i][j / 2].at[h * 2 + j % 2 * 4 + e];
                            const bfloat16 cast_17 = (bfloat16)sum_16;
                            out0_at.at[e] = cast_17;
                        }
                        *reinterpret_cast<bfloat16_x2*>(out0 + layer * out0_stride_0 + row * out0_stride_1 + column) =
                            out0_at;
                    }
                }
            }
        }
    }
}
