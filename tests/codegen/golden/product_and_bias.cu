// relu(matmul(x0, x1) + x2)
//
// tensor: tiles of 128 x 256 results, 64 x 256 per group of 4 warps on tensor cores, 4 slices of 64 steps in
// shared memory, copied by threads of their own, one tile after the other

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

using uint8 = unsigned char;
using uint64 = unsigned long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) bfloat16_x8 { bfloat16 at[8]; };
struct alignas(16) float_x8 { float at[8]; };

static __device__ __forceinline__ unsigned int shared_place(const void* p) {
    return static_cast<unsigned int>(__cvta_generic_to_shared(p));
}

// Barriers whose phases take `arrivals` arrivals each. See PTX ISA, mbarrier.
template <int count>
static __device__ __forceinline__ void init_barriers(unsigned long long* first, const int arrivals) {
    if (threadIdx.x != 0) return;
    #pragma unroll
    for (int i = 0; i < count; ++i)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_place(first + i)), "r"(arrivals)
                     : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // copies see them, too
}
static __device__ __forceinline__ void arrive(unsigned long long* at) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_place(at)) : "memory");
}
static __device__ __forceinline__ void arrive_expecting(unsigned long long* at, const int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_place(at)),
                 "r"(bytes)
                 : "memory");
}
static __device__ __forceinline__ void wait_phase(unsigned long long* at, const int parity) {
    const unsigned int place = shared_place(at);
    for (int has_ended = 0; has_ended == 0;)
        asm volatile("{.reg .pred ended; mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2; "
                     "selp.s32 %0, 1, 0, ended;}"
                     : "=r"(has_ended)
                     : "r"(place), "r"(parity)
                     : "memory");
}

// Describes an array of lines of elements of 1 or 2 bytes, for copies of boxes of lines of 128 bytes to
// shared memory, swizzled; zeros beyond the ends. `map`: 128 bytes. See PTX ISA, tensormap.replace.
template <int neighbours, int lines, int axes, class T>
static __device__ __forceinline__ void map_boxes(void* map, const T* first, const long long (&extents)[axes],
                                                 const long long (&strides)[axes - 1]) {
    __shared__ __align__(128) unsigned int scratch[32];
    const unsigned int at = shared_place(scratch);
    scratch[threadIdx.x % 32] = 0;
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        constexpr int bytes = sizeof(T);
        // Older compilers take strides in 16 bytes.
        constexpr bool in_bytes = __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >=
            5);
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at), "l"(first)
                     : "memory");
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "n"(axes - 1)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at), "n"(neighbours)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at), "n"(lines)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at),
            "r"(static_cast<unsigned int>(extents[0]))
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at), "n"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at),
            "r"(static_cast<unsigned int>(extents[1]))
                     : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(at),
            "l"(strides[0] * bytes / (in_bytes ? 1 : 16))
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at), "n"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "n"(bytes ==
            1 ? 0 : 1)
                     : "memory");
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "n"(0)
                     : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "n"(3)
                     : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], %1;" ::"r"(at), "n"(0)
                     : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(map), "r"(at)
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    __syncwarp();
}

// Starts copying a box to shared memory; its bytes arrive at a barrier. See PTX ISA, cp.async.bulk.tensor.
template <class T>
static __device__ __forceinline__ void copy_box(T* to, const void* map, const int i0, const int i1,
                                                unsigned long long* barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_place(to)), "l"(map), "r"(i0), "r"(i1), "r"(shared_place(barrier))
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

// 128 sums of a lane, of 64 x 256 of a warpgroup, += 16 steps of products, or = where `adds` is false. See
// PTX ISA, wgmma.mma_async.
template <int TransposedLeft, int TransposedRight>
static __device__ __forceinline__ void multiply_shared_64x256(
    float_x8* sums, const unsigned long long left, const unsigned long long right, const bool adds) {
    asm volatile("{.reg .pred adds; setp.ne.b32 adds, %130, 0; "
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, "
        "%8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, "
        "%40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, "
        "%72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, "
        "%88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, "
        "%104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, "
        "%120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, adds, 1, 1, %131, %132;}"
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
          "+f"(sums[7].at[4]), "+f"(sums[7].at[5]), "+f"(sums[7].at[6]), "+f"(sums[7].at[7]),
          "+f"(sums[8].at[0]), "+f"(sums[8].at[1]), "+f"(sums[8].at[2]), "+f"(sums[8].at[3]),
          "+f"(sums[8].at[4]), "+f"(sums[8].at[5]), "+f"(sums[8].at[6]), "+f"(sums[8].at[7]),
          "+f"(sums[9].at[0]), "+f"(sums[9].at[1]), "+f"(sums[9].at[2]), "+f"(sums[9].at[3]),
          "+f"(sums[9].at[4]), "+f"(sums[9].at[5]), "+f"(sums[9].at[6]), "+f"(sums[9].at[7]),
          "+f"(sums[10].at[0]), "+f"(sums[10].at[1]), "+f"(sums[10].at[2]), "+f"(sums[10].at[3]),
          "+f"(sums[10].at[4]), "+f"(sums[10].at[5]), "+f"(sums[10].at[6]), "+f"(sums[10].at[7]),
          "+f"(sums[11].at[0]), "+f"(sums[11].at[1]), "+f"(sums[11].at[2]), "+f"(sums[11].at[3]),
          "+f"(sums[11].at[4]), "+f"(sums[11].at[5]), "+f"(sums[11].at[6]), "+f"(sums[11].at[7]),
          "+f"(sums[12].at[0]), "+f"(sums[12].at[1]), "+f"(sums[12].at[2]), "+f"(sums[12].at[3]),
          "+f"(sums[12].at[4]), "+f"(sums[12].at[5]), "+f"(sums[12].at[6]), "+f"(sums[12].at[7]),
          "+f"(sums[13].at[0]), "+f"(sums[13].at[1]), "+f"(sums[13].at[2]), "+f"(sums[13].at[3]),
          "+f"(sums[13].at[4]), "+f"(sums[13].at[5]), "+f"(sums[13].at[6]), "+f"(sums[13].at[7]),
          "+f"(sums[14].at[0]), "+f"(sums[14].at[1]), "+f"(sums[14].at[2]), "+f"(sums[14].at[3]),
          "+f"(sums[14].at[4]), "+f"(sums[14].at[5]), "+f"(sums[14].at[6]), "+f"(sums[14].at[7]),
          "+f"(sums[15].at[0]), "+f"(sums[15].at[1]), "+f"(sums[15].at[2]), "+f"(sums[15].at[3]),
          "+f"(sums[15].at[4]), "+f"(sums[15].at[5]), "+f"(sums[15].at[6]), "+f"(sums[15].at[7])
        : "l"(left), "l"(right), "r"(static_cast<int>(adds)), "n"(TransposedLeft), "n"(TransposedRight)
        : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1) sum_maximum_bfloat16_tensor(
    bfloat16* __restrict__ out0,
    const bfloat16* __restrict__ x0,
    const bfloat16* __restrict__ x1,
    const bfloat16* __restrict__ x2,
    const unsigned extent_0,
    const unsigned extent_1,
    const int n,
    const int x0_stride_0,
    const int x1_stride_2,
    const int out0_stride_0,
    unsigned char* workspace)
{
    // More shared memory than a block has by default; the launch requests it.
    extern __shared__ __align__(1024) unsigned char shared_memory[];
    // A block computes a tile of 128 x 256 results, a group of 4 warps 64 x 256 of them, as sums of products
    // of 64 x 16 fragments. Slices of 64 steps are staged in shared memory, 3 slices ahead.
    auto& rows_slice = *reinterpret_cast<bfloat16 (*)[4][1][128][64]>(shared_memory + 0);
    auto& columns_slice = *reinterpret_cast<bfloat16 (*)[4][4][64][64]>(shared_memory + 65536);
    auto& filled = *reinterpret_cast<uint64 (*)[4]>(shared_memory + 196608);
    auto& emptied = *reinterpret_cast<uint64 (*)[4]>(shared_memory + 196640);
    init_barriers<4>(&filled[0], 1);
    init_barriers<4>(&emptied[0], 8);
    __syncthreads();
    const int all_tiles = (extent_0 + 127) / 128 * ((extent_1 + 255) / 256);
    const int slices = (n + 63) / 64;
    if (0 < threadIdx.x / 256) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        const int lane = threadIdx.x % 32;
        if (threadIdx.x / 32 == 8) {
            uint8* rows_map = reinterpret_cast<uint8*>(workspace + blockIdx.x * 256);
            map_boxes<64, 128>(rows_map, x0 + 0 + 0 * x0_stride_0, {static_cast<long long>(n),
                static_cast<long long>(extent_0)}, {static_cast<long long>(x0_stride_0)});
            uint8* columns_map = reinterpret_cast<uint8*>(workspace + blockIdx.x * 256 + 128);
            map_boxes<64, 64>(columns_map, x1 + 0 + 0 * x1_stride_2, {static_cast<long long>(extent_1),
                static_cast<long long>(n)}, {static_cast<long long>(x1_stride_2)});
            if (lane == 0) {
                int slices_before = 0;
                #pragma unroll 1
                for (int tile_number = blockIdx.x; tile_number < all_tiles; tile_number += gridDim.x) {
                    const int rows = extent_0;
                    const int columns = extent_1;
                    const int tiles = (columns + 255) / 256;  // side by side
                    const int tiles_below = (rows + 127) / 128;
                    const int tile = tile_number;
                    const int tiles_above = tile / (tiles * 8) * 8;
                    const int tiles_left = tiles_below - tiles_above;
                    const int tiles_together = 0 < tiles_left && tiles_left < 8 ? tiles_left : 8;
                    const int within = tile % (tiles * 8);
                    const int tile_row = (tiles_above + within % tiles_together) * 128;
                    const int tile_column = within / tiles_together * 256;
                    #pragma unroll 1
                    for (int slice = 0; slice < slices; ++slice) {
                        const int now = slices_before % 4;
                        const int parity = slices_before / 4 % 2;
                        wait_phase(&emptied[now], 1 - parity);
                        arrive_expecting(&filled[now], 49152);
                        #pragma unroll
                        for (int panel = 0; panel < 1; ++panel) {
                            copy_box(&rows_slice[now][panel][0][0], rows_map, slice * 64 + panel * 64, tile_row,
                                &filled[now]);
                        }
                        #pragma unroll
                        for (int panel = 0; panel < 4; ++panel) {
                            copy_box(&columns_slice[now][panel][0][0], columns_map, tile_column + panel * 64,
                                slice * 64, &filled[now]);
                        }
                        slices_before = slices_before + 1;
                    }
                }
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0) % 2;
        const int group_row = group / 1 * 64;
        const int group_column = group % 1 * 256;
        const int warp_row = group_row + threadIdx.x / 32 % 4 * 16;
        const int lane = threadIdx.x % 32;
        int slices_before = 0;
        #pragma unroll 1
        for (int tile_number = blockIdx.x; tile_number < all_tiles; tile_number += gridDim.x) {
            const int rows = extent_0;
            const int columns = extent_1;
            const int tiles = (columns + 255) / 256;  // side by side
            const int tiles_below = (rows + 127) / 128;
            const int tile = tile_number;
            const int tiles_above = tile / (tiles * 8) * 8;
            const int tiles_left = tiles_below - tiles_above;
            const int tiles_together = 0 < tiles_left && tiles_left < 8 ? tiles_left : 8;
            const int within = tile % (tiles * 8);
            const int tile_row = (tiles_above + within % tiles_together) * 128;
            const int tile_column = within / tiles_together * 256;
            float_x8 sum_5_fragment[1][16];
            #pragma unroll 1
            for (int slice = 0; slice < slices; ++slice) {
                const int now = slices_before % 4;
                const int parity = slices_before / 4 % 2;
                wait_phase(&filled[now], parity);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                #pragma unroll
                for (int step = 0; step < 64; step += 16) {
                    #pragma unroll
                    for (int i = 0; i < 1; ++i) {
                        multiply_shared_64x256<0, 1>(&sum_5_fragment[i][0],
                            matrix_descriptor(&rows_slice[now][step / 64][group_row + i * 64][step % 64], 0),
                            matrix_descriptor(&columns_slice[now][group_column / 64][step][group_column % 64], 8192),
                            0 < slice + step);
                    }
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                if (0 < slice && lane == 0) {
                    arrive(&emptied[(slices_before + 3) % 4]);
                }
                slices_before = slices_before + 1;
            }
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            keep_in_order<16>(&sum_5_fragment[0][0]);
            if (lane == 0) {
                arrive(&emptied[(slices_before + 3) % 4]);
            }
            #pragma unroll
            for (int i = 0; i < 1; ++i) {
                #pragma unroll
                for (int below = 0; below < 2; ++below) {
                    const int row = tile_row + warp_row + i * 64 + below * 8 + lane / 4;
                    #pragma unroll
                    for (int j = 0; j < 16; j += 2) {
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
    }
}
