// matmul(softmax(matmul(x0, x1) * s0, axis=2), x2)
//
// tensor: tiles of 128 x 64 results, 32 x 64 per warp on tensor cores, 2 slices of 64 steps in shared memory

// floats: whether T is a floating type.
template <class T>
constexpr bool floats = T(0) < T(0.5) && T(0.5) < T(1);

// negates: whether T has negative numbers.
template <class T>
constexpr bool negates = T(-1) < T(0);

// narrowed: the low 16 bits. ptxas widens neg.s16 and abs.s16 of the lowest number as if the result were positive, so
// int16 is computed in 32 bits.
template <class T>
__device__ T narrowed(int x) {
#if __CUDA_ARCH__
    asm("" : "+r"(x));
#endif
    return T(x);
}

// opposite: 0 - x. Integers wrap: the signed overflow of the lowest number would be undefined.
template <class T>
__device__ T opposite(const T x) {
    if constexpr (floats<T>)
        return T(0) - x;
    else if constexpr (sizeof(T) == 2)
        return narrowed<T>(-int(x));
    else
        return T(0ull - (unsigned long long)x);
}

// larger: the larger of two numbers, or NaN if either is. For float it is one instruction instead of three.
// Two choices, since g++ does not vectorise a choice by two conditions within another one, as in clip.
template <class T>
__device__ T larger(const T x, const T y) {
    const T more = x > y ? x : y;
    return x != x ? x : more;
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ float larger(const float x, const float y) {
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
#endif

// magnitude: the absolute value; the lowest integer is unchanged.
template <class T>
__device__ T magnitude(const T x) {
    if constexpr (negates<T>)
        return x < T(0) ? opposite<T>(x) : x;
    else
        return x;
}

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

extern "C" __global__ void __launch_bounds__(128) sum_max_exp_bfloat16_tensor(
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
    extern __shared__ __align__(16) unsigned char shared_memory[];
    // A block computes 128 rows of results, a warp 32 of them, over slices of 64 elements. A slice's scores
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
    const int warp_row = threadIdx.x / 32 * 32;
    const int lane = threadIdx.x % 32;
    auto& rows_slice = *reinterpret_cast<bfloat16 (*)[1][128][72]>(shared_memory + 0);
    bfloat16_x8 rows_fragment[2][4];
    auto& keys_slice = *reinterpret_cast<bfloat16 (*)[2][64][72]>(shared_memory + 18432);
    bfloat16_x8 keys_fragment[4];
    auto& columns_slice = *reinterpret_cast<bfloat16 (*)[2][64][72]>(shared_memory + 36864);
    bfloat16_x8 columns_fragment[4];
    float_x8 sum_22_fragment[2][4] = {};
    float max_8_so_far[2][2];
    float sum_12_so_far[2][2] = {};
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        #pragma unroll
        for (int h = 0; h < 2; ++h) {
            max_8_so_far[i][h] = (-__int_as_float(0x7f800000 /* infinity */));
        }
    }
    const int slices = (keys + 63) / 64;
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int q = threadIdx.x + u * 128;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int row = tile_row + line;
        const int step = 0 + part;
        async_copy(&rows_slice[0][line][part], x0 + layer * x0_stride_0 + row * x0_stride_1 + step,
            row < rows && step < n_0);
    }
    const int buffer = 0 % 2;
    const int start = 0 * 64;
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int q = threadIdx.x + u * 128;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int key = start + line;
        const int step = 0 + part;
        async_copy(&keys_slice[buffer][line][part], x1 + layer * x1_stride_0 + key * x1_stride_2 + step,
            key < keys && step < n_0);
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int q = threadIdx.x + u * 128;
        const int line = q / 8;
        const int part = q % 8 * 8;
        const int column = tile_column + part;
        const int step = start + line;
        async_copy(&columns_slice[buffer][line][part], x2 + layer * x2_stride_0 + column + step * x2_stride_6,
            column < columns && step < n_3);
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    #pragma unroll
    for (int step = 0; step < 64; step += 16) {
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
            load_matrix(rows_fragment[i][step / 16],
                &rows_slice[0][warp_row + i * 16 + lane % 16][step + lane / 16 * 8]);
        }
    }
    #pragma unroll 1
    for (int slice = 0; slice < slices; ++slice) {
        const int now = slice % 2;
        const int next = (slice + 1) % 2;
        const int first = slice * 64;
        const int then = first + 64;
        const bool more = slice + 1 < slices;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (more) {
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int q = threadIdx.x + u * 128;
                const int line = q / 8;
                const int part = q % 8 * 8;
                const int key = then + line;
                const int step = 0 + part;
                async_copy(&keys_slice[next][line][part], x1 + layer * x1_stride_0 + key * x1_stride_2 + step,
                    key < keys && step < n_0);
            }
            #pragma unroll
            for (int u = 0; u < 4; ++u) {
                const int q = threadIdx.x + u * 128;
                const int line = q / 8;
                const int part = q % 8 * 8;
                const int column = tile_column + part;
                const int step = then + line;
                async_copy(&columns_slice[next][line][part], x2 + layer * x2_stride_0 + column + step * x2_stride_6,
                    column < columns && step < n_3);
            }
        }
        asm volatile("cp.async.commit_group;");
        float_x8 sum_5_fragment[2][4] = {};
        #pragma unroll
        for (int step = 0; step < 64; step += 16) {
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                load_matrix(keys_fragment[j],
                    &keys_slice[now][j * 16 + lane % 8 + lane / 16 * 8][step + lane / 8 % 2 * 8]);
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    multiply_accumulate(sum_5_fragment[i][j], rows_fragment[i][step / 16], keys_fragment[j]);
                }
            }
        }
        if (0 <= first && first + 64 <= keys) {
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int h = 0; h < 2; ++h) {
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) {
                        #pragma unroll
                        for (int e = 0; e < 2; ++e) {
                            const float sum_5 = sum_5_fragment[i][j / 2].at[h * 2 + j % 2 * 4 + e];
                            const float multiply_7 = sum_5 * s0;
                            sum_5_fragment[i][j / 2].at[h * 2 + j % 2 * 4 + e] = multiply_7;
                        }
                    }
                }
            }
        } else {
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
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
        float shift[2][2];
        float bounded[2][2];
        float magnitude = 0.0f;
        #pragma unroll
        for (int i = 0; i < 2; ++i) {
            #pragma unroll
            for (int h = 0; h < 2; ++h) {
                float largest = max_8_so_far[i][h];
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        largest = max_of(largest, sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4]);
                    }
                }
                #pragma unroll
                for (int offset = 2; offset > 0; offset /= 2) {
                    largest = max_of(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
                }
                bounded[i][h] = max_of(largest, (-3.4028235e+38f));
                shift[i][h] = bounded[i][h] * (-1.442695f);
                magnitude = max_of(magnitude, bounded[i][h] * bounded[i][h]);
                const float log2_of_factor = (max_8_so_far[i][h] - bounded[i][h]) * 1.442695f;
                const float factor =
                    [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_of_factor);
                max_8_so_far[i][h] = largest;
                sum_12_so_far[i][h] = sum_12_so_far[i][h] * factor;
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    #pragma unroll
                    for (int e = 0; e < 4; ++e) {
                        sum_22_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] =
                            sum_22_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] * factor;
                    }
                }
            }
        }
        if (magnitude > 1099511600000.0f) {
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int j = 0; j < 4; ++j) {
                    #pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        #pragma unroll
                        for (int e = 0; e < 4; ++e) {
                            sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] =
                                sum_5_fragment[i][j].at[h * 2 + e % 2 + e / 2 * 4] - bounded[i][h];
                        }
                    }
                }
                #pragma unroll
                for (int h = 0; h < 2; ++h) {
                    shift[i][h] = 0.0f;
                }
            }
        }
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            bfloat16_x8 weights[2];
            #pragma unroll
            for (int i = 0; i < 2; ++i) {
                #pragma unroll
                for (int e = 0; e < 8; ++e) {
                    const float log2_of_term = (sum_5_fragment[i][k].at[e] * 1.442695f) + shift[i][e / 2 % 2];
                    const float term =
                        [](float a) { asm("ex2.approx.ftz.f32\t%0,%0;" : "+f"(a)); return a; }(log2_of_term);
                    sum_12_so_far[i][e / 2 % 2] = sum_of(sum_12_so_far[i][e / 2 % 2], term);
                    weights[i].at[e] = (bfloat16)term;
                }
            }
            #pragma unroll
            for (int j = 0; j < 4; ++j) {
                load_matrix_transposed(columns_fragment[j],
                    &columns_slice[now][k * 16 + lane % 16][j * 16 + lane / 16 * 8]);
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    multiply_accumulate(sum_22_fragment[i][j], weights[i], columns_fragment[j]);
                }
            }
        }
    }
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
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
    for (int i = 0; i < 2; ++i) {
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
