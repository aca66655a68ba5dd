// cumsum(x0)
//
// rows: 256 threads per row, 1 row per block, 4 elements per access, 8 accumulators per thread, several
// blocks per row

using uint64 = unsigned long long;

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Publishes a result for other blocks, in pieces. Each word contains a piece and the launch's epoch, so a
// thread that reads the epoch has read the piece, too.
using result_word = volatile unsigned long long;

template <class T>
static __device__ __forceinline__ void publish_result(result_word* words, const unsigned int epoch,
                                                      const T result) {
    constexpr int pieces = (sizeof(T) + 3) / 4;
    unsigned int piece[pieces] = {};
    memcpy(piece, &result, sizeof(T));
    #pragma unroll
    for (int p = 0; p < pieces; ++p) words[p] = (unsigned long long)(epoch) << 32 | piece[p];
}

// Waits until this launch has published `count` results, each `distance` words after the previous one.
template <int count, class T>
static __device__ __forceinline__ void wait_for_results(const result_word* words, const int distance,
                                                        const unsigned int epoch, T* results) {
    constexpr int pieces = (sizeof(T) + 3) / 4;
    unsigned int piece[count][pieces];
    for (bool known = false; !known;) {
        known = true;
        #pragma unroll
        for (int i = 0; i < count * pieces; ++i) {
            const unsigned long long word = words[i / pieces * distance + i % pieces];
            known = known && (word >> 32) == epoch;
            piece[i / pieces][i % pieces] = (unsigned int)(word);
        }
        if (!known) __nanosleep(20);
    }
    #pragma unroll
    for (int i = 0; i < count; ++i) memcpy(results + i, piece[i], sizeof(T));
}

// One element of the result.
static __device__ __forceinline__ float element_0(const float running_sum_1) {
    return running_sum_1;
}

extern "C" __global__ void __launch_bounds__(256) cumulative_sum_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int n,
    unsigned char* workspace)
{
    const int lane = threadIdx.x;  // index among the 256 threads of a row
    // Each row is divided into tiles. Blocks acquire tiles in order, so the tiles that a block waits for have
    // been started. The ticket's high half counts launches (epochs); the block that acquires the last tile
    // resets the ticket for the next launch.
    __shared__ unsigned tile_number;
    __shared__ unsigned launch_epoch;
    if (threadIdx.x == 0) {
        uint64* tickets = reinterpret_cast<uint64*>(workspace);
        const uint64 ticket = atomicAdd(tickets, 1ull);
        tile_number = unsigned(ticket);
        launch_epoch = unsigned(ticket >> 32) + 1;
        if (unsigned(ticket) == gridDim.x - 1) {
            atomicAdd(tickets, 4294967296ull - gridDim.x);
        }
    }
    __syncthreads();
    const unsigned epoch = launch_epoch;
    const int part = tile_number;
    const int begin = part * 8192;

    float running_sum_1 = 0.0f;
    const int k = begin + lane / 32 * 1024 + lane % 32 * 4;
    float_x4 x0_at[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 128;
        if (i < n) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i);
        }
    }
    float running_sum_1_at[8][4];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 128;
        if (i < n) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_at[u][e] = x0_at[u].at[e];
            }
        } else {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_at[u][e] = 0.0f;
            }
        }
    }
    // Each thread scans its own elements. Then shuffles scan the threads' totals over the lanes.
    float running_sum_1_up[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        #pragma unroll
        for (int e = 1; e < 4; ++e) {
            running_sum_1_at[u][e] = sum_of(running_sum_1_at[u][e - 1], running_sum_1_at[u][e]);
        }
        running_sum_1_up[u] = running_sum_1_at[u][3];
    }
    #pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const float below = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], offset);
            if (lane % 32 >= offset) {
                running_sum_1_up[u] = sum_of(below, running_sum_1_up[u]);
            }
        }
    }
    // Then scan over the accesses of a warp, in order. Each warp stores its total in shared memory, and every
    // warp scans the totals of the row's warps.
    float running_sum_1_warp = 0.0f;
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const float of_lanes = __shfl_sync(0xffffffffu, running_sum_1_up[u], 31);
        const float below = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], 1);
        running_sum_1_up[u] = lane % 32 == 0 ? running_sum_1_warp : sum_of(running_sum_1_warp, below);
        running_sum_1_warp = sum_of(running_sum_1_warp, of_lanes);
    }
    __shared__ float running_sum_1_of_warp[8];
    if (lane % 32 == 0) {
        running_sum_1_of_warp[threadIdx.x / 32] = running_sum_1_warp;
    }
    __syncthreads();
    float running_sum_1_warps = running_sum_1_of_warp[lane % 8];
    #pragma unroll
    for (int offset = 1; offset < 8; offset *= 2) {
        const float below = __shfl_up_sync(0xffffffffu, running_sum_1_warps, offset, 8);
        if (lane % 8 >= offset) {
            running_sum_1_warps = sum_of(below, running_sum_1_warps);
        }
    }
    const float running_sum_1_total = __shfl_sync(0xffffffffu, running_sum_1_warps, 7, 8);
    __shared__ float running_sum_1_before;
    {
        // Publish this tile's aggregate. Then fold the aggregates of the tiles before it in its window, and
        // the result of all earlier windows.
        result_word* running_sum_1_tiles = reinterpret_cast<result_word*>(workspace + 128);
        result_word* running_sum_1_so_far = reinterpret_cast<result_word*>(workspace + 128) + uint64(1) * gridDim.x;
        if (threadIdx.x == 0) {
            publish_result(running_sum_1_tiles + part, epoch, running_sum_1_total);
        }
        __shared__ float running_sum_1_of_window[8];
        float before = 0.0f;
        {
            const int earlier = part % 256;  // in the window
            float folded;
            folded = 0.0f;
            if (lane < earlier) {
                wait_for_results<1>(running_sum_1_tiles + part - earlier + lane, 1, epoch, &folded);
            }
            #pragma unroll
            for (int offset = 16; offset >= 1; offset /= 2) {
                folded = sum_of(folded, __shfl_xor_sync(0xffffffffu, folded, offset));
            }
            if (threadIdx.x % 32 < 1) {
                running_sum_1_of_window[threadIdx.x / 32] = folded;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                before = sum_of(before, running_sum_1_of_window[r]);
            }
            float so_far = 0.0f;
            if (part >= 256) {
                wait_for_results<1>(running_sum_1_so_far + part / 256 - 1, 0, epoch, &so_far);
            }
            if (part % 256 == 255) {
                publish_result(running_sum_1_so_far + part / 256, epoch, sum_of(so_far, sum_of(before,
                    running_sum_1_total)));
            }
            running_sum_1_before = sum_of(so_far, before);
        }
    }
    __syncthreads();
    running_sum_1 = running_sum_1_before;
    const float warps_below = __shfl_sync(0xffffffffu, running_sum_1_warps, (lane / 32 + 7) % 8, 8);
    const float of_row = lane < 32 ? running_sum_1 : sum_of(running_sum_1, warps_below);
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const float before = sum_of(of_row, running_sum_1_up[u]);
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            running_sum_1_at[u][e] = sum_of(before, running_sum_1_at[u][e]);
        }
    }
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u * 128;
        if (i < n) {
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element_0(running_sum_1_at[u][e]);
            }
            *reinterpret_cast<float_x4*>(out0 + i) = out0_at;
        }
    }
}
