// cumsum(x0, axis=0)
//
// columns: 8 threads per column, 128 columns per block, 4 elements per access, 8 accesses per thread, several
// blocks per tile

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

extern "C" __global__ void __launch_bounds__(256) cumulative_sum_float32_columns(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int columns,
    const int n,
    const int x0_stride_1,
    unsigned char* workspace)
{
    // A block covers 128 columns, 4 per thread across. Threads past the last column repeat it and store
    // nothing, because all threads must reach the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int tiles = (columns + 127) / 128;
    // Each tile is divided into tiles. Blocks acquire tiles in order, so the tiles that a block waits for
    // have been started. The ticket's high half counts launches (epochs); the block that acquires the last
    // tile resets the ticket for the next launch.
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
    const int tile = tile_number % tiles;
    const int part = tile_number / tiles;
    const int first = tile * (gridDim.x / tiles);  // index of the group's first result
    const int begin = part * 64;
    const int position = tile * 128 + thread_column * 4;
    const int column = position < columns ? position : columns - 4;
    const float* x0_column = x0 + column;
    float* out0_column = out0 + column;

    const int k = begin + thread_row * 8;
    float_x4 x0_at[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
        if (i < n) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0_column + i * x0_stride_1);
        }
    }
    float running_sum_1_at[8][4];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
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
    // Each thread scans its own elements. Each thread row stores its total in shared memory. Then the totals
    // above are folded in.
    __shared__ float running_sum_1_of_layer[8][128];
    #pragma unroll
    for (int u = 1; u < 8; ++u) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            running_sum_1_at[u][e] = sum_of(running_sum_1_at[u - 1][e], running_sum_1_at[u][e]);
        }
    }
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        running_sum_1_of_layer[thread_row][e * 32 + thread_column] = running_sum_1_at[7][e];
    }
    __syncthreads();
    float running_sum_1_total = 0.0f;
    if (threadIdx.x < 128) {
        #pragma unroll
        for (int r = 0; r < 8; ++r) {
            const float of_this = running_sum_1_of_layer[r][threadIdx.x];
            running_sum_1_of_layer[r][threadIdx.x] = running_sum_1_total;
            running_sum_1_total = sum_of(running_sum_1_total, of_this);
        }
    }
    {
        // Publish this tile's aggregate. Then fold the aggregates of the tiles before it in its window, and
        // the result of all earlier windows.
        result_word* running_sum_1_tiles = reinterpret_cast<result_word*>(workspace + 128) + uint64(128) * first;
        result_word* running_sum_1_windows =
            reinterpret_cast<result_word*>(workspace + 128) + uint64(128) * gridDim.x + uint64(128) * first;
        result_word* running_sum_1_so_far =
            reinterpret_cast<result_word*>(workspace + 128) + uint64(256) * gridDim.x + uint64(128) * first;
        if (threadIdx.x < 128) {
            publish_result(running_sum_1_tiles + part * 128 + threadIdx.x, epoch, running_sum_1_total);
        }
        __shared__ float running_sum_1_of_window[8][128];
        float before = 0.0f;
        {
            const int earlier = part % 16;  // in the window
            float folded[4];
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                folded[e] = 0.0f;
            }
            #pragma unroll 1
            for (int r = thread_row; r < earlier; r += 8) {
                float other[4];
                wait_for_results<4>(running_sum_1_tiles + (part - earlier + r) * 128 + thread_column, 32, epoch, other);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    folded[e] = sum_of(folded[e], other[e]);
                }
            }
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_of_window[threadIdx.x / 32][e * 32 + thread_column] = folded[e];
            }
        }
        __syncthreads();
        if (threadIdx.x < 128) {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                before = sum_of(before, running_sum_1_of_window[r][threadIdx.x]);
            }
            if (part % 16 == 15) {
                publish_result(running_sum_1_windows + part / 16 * 128 + threadIdx.x, epoch, sum_of(before,
                    running_sum_1_total));
            }
        }
        __syncthreads();  // the shared array is reused
        {
            const int earlier = part / 16 % 16;  // in the window
            float folded[4];
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                folded[e] = 0.0f;
            }
            #pragma unroll 1
            for (int r = thread_row; r < earlier; r += 8) {
                float other[4];
                wait_for_results<4>(running_sum_1_windows + (part / 16 - earlier + r) * 128 + thread_column, 32, epoch,
                    other);
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    folded[e] = sum_of(folded[e], other[e]);
                }
            }
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                running_sum_1_of_window[threadIdx.x / 32][e * 32 + thread_column] = folded[e];
            }
        }
        __syncthreads();
        if (threadIdx.x < 128) {
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                before = sum_of(before, running_sum_1_of_window[r][threadIdx.x]);
            }
            float so_far = 0.0f;
            if (part >= 256) {
                wait_for_results<1>(running_sum_1_so_far + (part / 256 - 1) * 128 + threadIdx.x, 0, epoch, &so_far);
            }
            if (part % 256 == 255) {
                publish_result(running_sum_1_so_far + part / 256 * 128 + threadIdx.x, epoch, sum_of(so_far,
                    sum_of(before, running_sum_1_total)));
            }
            const float above = sum_of(so_far, before);
            #pragma unroll
            for (int r = 0; r < 8; ++r) {
                running_sum_1_of_layer[r][threadIdx.x] = sum_of(above, running_sum_1_of_layer[r][threadIdx.x]);
            }
        }
    }
    __syncthreads();
    #pragma unroll
    for (int e = 0; e < 4; ++e) {
        float before = running_sum_1_of_layer[thread_row][e * 32 + thread_column];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            running_sum_1_at[u][e] = sum_of(before, running_sum_1_at[u][e]);
        }
    }
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
        if (i < n && position < columns) {
            float_x4 out0_at;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                out0_at.at[e] = element_0(running_sum_1_at[u][e]);
            }
            *reinterpret_cast<float_x4*>(out0_column + i * x0_stride_1) = out0_at;
        }
    }
}
