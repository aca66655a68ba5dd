// cumsum(x0)
//
// rows: 256 threads a row, 1 row a block, 4 elements an access, 4 accumulators a thread, several blocks a row

// Neighbours that one access moves.
struct alignas(16) float_x4 { float at[4]; };

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
    const int n,
    unsigned char* workspace)
{
    const int lane = threadIdx.x;  // place among the 256 threads of a row
    // Every row is cut into tiles. Blocks draw theirs in order: the tiles that a block waits for have been
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
    const int part = drawn;
    const int begin = part * 4096;

    float running_sum_1 = 0.0f;
    const int k = begin + lane * 4;
    float_x4 x0_at[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i);
        }
    }
    float running_sum_1_at[4][4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
        if (i < n) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) running_sum_1_at[u][e] = x0_at[u].at[e];
        }
        else {
            #pragma unroll
            for (int e = 0; e < 4; ++e) running_sum_1_at[u][e] = 0.0f;
        }
    }
    // Every thread runs along its neighbours. Then shuffles give each lane what it and the lanes before it
    // come to.
    float running_sum_1_up[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        #pragma unroll
        for (int e = 1; e < 4; ++e)
            running_sum_1_at[u][e] = sum_of(running_sum_1_at[u][e - 1], running_sum_1_at[u][e]);
        running_sum_1_up[u] = running_sum_1_at[u][3];
    }
    #pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const float below = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], offset);
            if (lane % 32 >= offset) running_sum_1_up[u] = sum_of(below, running_sum_1_up[u]);
        }
    }
    // The last lane of each warp leaves that for the others of the row, and every warp runs along what they
    // all have left.
    __shared__ float running_sum_1_of_warp[32];
    if (lane % 32 == 31) {
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            running_sum_1_of_warp[u * 8 + lane / 32] = running_sum_1_up[u];
        }
    }
    __syncthreads();
    float running_sum_1_warps = running_sum_1_of_warp[threadIdx.x % 32];
    #pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const float below = __shfl_up_sync(0xffffffffu, running_sum_1_warps, offset);
        if (int(threadIdx.x % 32) >= offset) running_sum_1_warps = sum_of(below, running_sum_1_warps);
    }
    const float running_sum_1_total = __shfl_sync(0xffffffffu, running_sum_1_warps, 31);
    {
        float* running_sum_1_of_tile = reinterpret_cast<float*>(workspace + 128);
        float* running_sum_1_of_windows = reinterpret_cast<float*>(workspace + 128 + 8 * gridDim.x);
        unsigned int* running_sum_1_tile_known = reinterpret_cast<unsigned int*>(workspace + 128 + 16 * gridDim.x);
        unsigned int* running_sum_1_window_known = reinterpret_cast<unsigned int*>(workspace + 128 + 20 * gridDim.x);
        // The tile leaves what it comes to. Then its threads look back at the others of its window, and the
        // first one at the windows before.
        if (lane == 0) {
            running_sum_1_of_tile[drawn] = running_sum_1_total;
            __threadfence();  // it is visible before the mark is
            volatile unsigned int* mark = running_sum_1_tile_known + drawn;
            *mark = turn;
        }
        const int before = part % 256;  // tiles in the window
        float folded = 0.0f;
        if (lane < before) {
            wait_for_tile(running_sum_1_tile_known + (drawn - before + lane), turn);
            folded = sum_of(folded, running_sum_1_of_tile[(drawn - before + lane)]);
        }
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            folded = sum_of(folded, __shfl_xor_sync(0xffffffffu, folded, offset));
        __shared__ float running_sum_1_before[9];
        if (lane % 32 == 0) running_sum_1_before[lane / 32] = folded;
        if (lane == 0) {
            float windows = 0.0f;
            if (part > before) {
                wait_for_tile(running_sum_1_window_known + (drawn - before - 1), turn);
                windows = running_sum_1_of_windows[(drawn - before - 1)];
            }
            running_sum_1_before[8] = windows;
        }
        __syncthreads();
        running_sum_1 = running_sum_1_before[8];
        #pragma unroll
        for (int r = 0; r < 8; ++r)
            running_sum_1 = sum_of(running_sum_1, running_sum_1_before[r]);
        if (before == 255) {
            if (lane == 0) {
                running_sum_1_of_windows[drawn] = sum_of(running_sum_1, running_sum_1_total);
                __threadfence();  // it is visible before the mark is
                volatile unsigned int* mark = running_sum_1_window_known + drawn;
                *mark = turn;
            }
        }
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int warps_before = u * 8 + lane / 32;
        const float below = __shfl_sync(0xffffffffu, running_sum_1_warps, (warps_before + 31) % 32);
        const float of_lanes = __shfl_up_sync(0xffffffffu, running_sum_1_up[u], 1);
        const float of_warps = warps_before == 0 ? running_sum_1 : sum_of(running_sum_1, below);
        const float before = lane % 32 == 0 ? of_warps : sum_of(of_warps, of_lanes);
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            running_sum_1_at[u][e] = sum_of(before, running_sum_1_at[u][e]);
    }
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        const int i = k + u * 1024;
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
