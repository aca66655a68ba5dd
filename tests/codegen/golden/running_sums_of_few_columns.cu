// cumsum(x0, axis=0)
//
// columns: 8 threads a column, 32 columns a block, 8 accumulators a thread, several blocks a tile

// How a reduction folds two values.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Waits until another block has marked its result; then it is visible.
static __device__ __forceinline__ void wait_for_tile(const volatile unsigned int* mark, const unsigned int turn) {
    while (*mark != turn) __nanosleep(20);
    __threadfence();
}

// One element of the result.
static __device__ __forceinline__ float element_0(const float running_sum_1) {
    return running_sum_1;
}

extern "C" __global__ void __launch_bounds__(256) sinter_kernel(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int columns,
    const int n,
    const int x0_stride_1,
    unsigned char* workspace)
{
    // A block is 32 columns wide. Threads past the last column repeat it and store nothing: they must be
    // there for the barriers.
    const int thread_column = threadIdx.x % 32;
    const int thread_row = threadIdx.x / 32;
    const int tiles = (columns + 31) / 32;
    // Every tile is cut into tiles. Blocks draw theirs in order: the tiles that a block waits for have been
    // begun. The ticket counts on from launch to launch, and tells which one this is.
    __shared__ int drawn_tile;
    __shared__ unsigned int launch;
    if (threadIdx.x == 0) {
        const unsigned long long ticket = atomicAdd(reinterpret_cast<unsigned long long*>(workspace), 1ull);
        drawn_tile = int(ticket % gridDim.x);
        launch = unsigned(ticket / gridDim.x) + 1;
    }
    __syncthreads();
    const int drawn = drawn_tile;
    const unsigned int turn = launch;
    const int parts = gridDim.x / tiles;
    const int tile = drawn / parts;
    const int part = drawn % parts;
    const int begin = part * 64;
    const int place = tile * 32 + thread_column;
    const int column = place < columns ? place : columns - 1;
    const float* x0_column = x0 + column;
    float* out0_column = out0 + column;

    float running_sum_1 = 0.0f;
    const int k = begin + thread_row * 8;
    float x0_at[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
        if (i < n) {
            x0_at[u] = x0_column[i * x0_stride_1];
        }
    }
    float running_sum_1_at[8];
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
        if (i < n) {
            running_sum_1_at[u] = x0_at[u];
        }
        else {
            running_sum_1_at[u] = 0.0f;
        }
    }
    // Every thread runs down its neighbours and leaves what they come to; then each folds what the thread
    // rows above it have left.
    __shared__ float running_sum_1_of_thread[8][32];
    #pragma unroll
    for (int u = 1; u < 8; ++u) {
        running_sum_1_at[u] = sum_of(running_sum_1_at[u - 1], running_sum_1_at[u]);
    }
    running_sum_1_of_thread[thread_row][thread_column] = running_sum_1_at[7];
    __syncthreads();
    float running_sum_1_total = running_sum_1_of_thread[0][thread_column];
    #pragma unroll
    for (int r = 1; r < 8; ++r)
        running_sum_1_total = sum_of(running_sum_1_total, running_sum_1_of_thread[r][thread_column]);
    {
        float* running_sum_1_of_tile = reinterpret_cast<float*>(workspace + 128);
        float* running_sum_1_of_windows = reinterpret_cast<float*>(workspace + 128 + 256 * gridDim.x);
        unsigned int* running_sum_1_tile_known = reinterpret_cast<unsigned int*>(workspace + 128 + 512 * gridDim.x);
        unsigned int* running_sum_1_window_known = reinterpret_cast<unsigned int*>(workspace + 128 + 516 * gridDim.x);
        // The tile leaves what it comes to. Then its threads look back at the others of its window, and the
        // first one at the windows before.
        if (thread_row == 0)
            running_sum_1_of_tile[drawn * 32 + thread_column] = running_sum_1_total;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();  // it is visible before the mark is
            volatile unsigned int* mark = running_sum_1_tile_known + drawn;
            *mark = turn;
        }
        const int before = part % 64;  // tiles in the window
        float folded = 0.0f;
        for (int r = thread_row; r < before; r += 8) {
            wait_for_tile(running_sum_1_tile_known + (drawn - before + r), turn);
            folded = sum_of(folded, running_sum_1_of_tile[(drawn - before + r) * 32 + thread_column]);
        }
        __shared__ float running_sum_1_before[9][32];
        running_sum_1_before[thread_row][thread_column] = folded;
        if (thread_row == 0) {
            float windows = 0.0f;
            if (part > before) {
                wait_for_tile(running_sum_1_window_known + (drawn - before - 1), turn);
                windows = running_sum_1_of_windows[(drawn - before - 1) * 32 + thread_column];
            }
            running_sum_1_before[8][thread_column] = windows;
        }
        __syncthreads();
        running_sum_1 = running_sum_1_before[8][thread_column];
        #pragma unroll
        for (int r = 0; r < 8; ++r)
            running_sum_1 = sum_of(running_sum_1, running_sum_1_before[r][thread_column]);
        if (before == 63) {
            if (thread_row == 0)
                running_sum_1_of_windows[drawn * 32 + thread_column] = sum_of(running_sum_1, running_sum_1_total);
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();  // it is visible before the mark is
                volatile unsigned int* mark = running_sum_1_window_known + drawn;
                *mark = turn;
            }
        }
    }
    float before = running_sum_1;
    #pragma unroll
    for (int r = 0; r < 8; ++r) {
        if (r == thread_row) before = running_sum_1;
        running_sum_1 = sum_of(running_sum_1, running_sum_1_of_thread[r][thread_column]);
    }
    #pragma unroll
    for (int u = 0; u < 8; ++u)
        running_sum_1_at[u] = sum_of(before, running_sum_1_at[u]);
    #pragma unroll
    for (int u = 0; u < 8; ++u) {
        const int i = k + u;
        if (i < n && place < columns) {
            out0_column[i * x0_stride_1] = element_0(running_sum_1_at[u]);
        }
    }
}
