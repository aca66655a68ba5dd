// x0 / sum(x0)
//
// rows: 512 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread, several
// blocks per row synchronised by grid barriers

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}

// Waits until every block of the group has arrived. An arrival adds 1 to the counter, and that of part 0 adds
// 2^31 less the other arrivals: the last arrival flips the top bit, and the counter is ready for the next
// barrier.
static __device__ __forceinline__ void grid_sync(unsigned int* arrived, const int part, const int parts) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // the block's writes are visible before its arrival
        const unsigned int before = atomicAdd(arrived, part == 0 ? 0x80000001u - unsigned(parts) : 1u);
        const volatile unsigned int* now = arrived;
        while (((*now ^ before) & 0x80000000u) == 0) __nanosleep(20);
        __threadfence();  // the other blocks' writes are visible after it
    }
    __syncthreads();
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_1, const float x0) {
    sum_1 = sum_of(sum_1, x0);
}

// One element of the result.
static __device__ __forceinline__ float element_1(const float x0, const float sum_1) {
    const float divide_3 = x0 / sum_1;
    return divide_3;
}

extern "C" __global__ void __launch_bounds__(512, 2) sum_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int n_0,
    const int n_1,
    unsigned char* workspace)
{
    const int lane = threadIdx.x;  // index among the 512 threads of a block
    // A group of blocks shares each row, one part per block. All blocks of the launch are resident at the
    // same time, so they may wait for each other.
    const int parts = gridDim.x;
    const int part = blockIdx.x;
    const int share_0 = ((n_0 + 2047) / 2048 + parts - 1) / parts * 2048;
    const int begin_0 = part * share_0;
    const int end_0 = n_0 - begin_0 < share_0 ? n_0 : begin_0 + share_0;
    const int share_1 = ((n_1 + 2047) / 2048 + parts - 1) / parts * 2048;
    const int begin_1 = part * share_1;
    const int end_1 = n_1 - begin_1 < share_1 ? n_1 : begin_1 + share_1;

    // In the workspace: a counter for the barrier, then the parts' partial results.
    unsigned* arrived = reinterpret_cast<unsigned*>(workspace);
    unsigned char* results = reinterpret_cast<unsigned char*>(workspace + 128);

    float sum_1_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_1_parts[u] = 0.0f;
    }
    const int whole = end_0 - end_0 % 4;
    #pragma unroll 1
    for (int k = begin_0 + lane * 4; k < whole; k += 8192) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 2048;
            if (i < whole) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 2048;
            if (i < whole) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_1_parts[u], x0_at[u].at[e]);
                }
            }
        }
    }
    // The elements after the last whole vector, one per thread.
    const int tail = whole + lane;
    if (tail >= begin_0 && tail < end_0) {
        fold_0(sum_1_parts[0], x0[tail]);
    }
    float sum_1 = sum_1_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_1 = sum_of(sum_1, sum_1_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float sum_1_of_warp[16];
    if (threadIdx.x % 32 == 0) {
        sum_1_of_warp[threadIdx.x / 32] = sum_1;
    }
    __syncthreads();
    sum_1 = sum_1_of_warp[threadIdx.x % 16];
    #pragma unroll
    for (int offset = 8; offset > 0; offset /= 2) {
        sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
    }

    // Publish the part's partial result. Once all blocks of the group have done so, each folds the results of
    // all parts, in the order of the parts.
    float* sum_1_of_part = reinterpret_cast<float*>(results);
    if (threadIdx.x == 0) {
        sum_1_of_part[part] = sum_1;
    }
    grid_sync(arrived, part, parts);
    sum_1 = 0.0f;
    #pragma unroll 1
    for (int p = threadIdx.x; p < parts; p += 512) {
        sum_1 = sum_of(sum_1, sum_1_of_part[p]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    if (threadIdx.x % 32 == 0) {
        sum_1_of_warp[threadIdx.x / 32] = sum_1;
    }
    __syncthreads();
    sum_1 = sum_1_of_warp[threadIdx.x % 16];
    #pragma unroll
    for (int offset = 8; offset > 0; offset /= 2) {
        sum_1 = sum_of(sum_1, __shfl_xor_sync(0xffffffffu, sum_1, offset));
    }

    const int whole_b = end_1 - end_1 % 4;
    #pragma unroll 1
    for (int k = begin_1 + lane * 4; k < whole_b; k += 8192) {
        float_x4 x0_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 2048;
            if (i < whole_b) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 2048;
            if (i < whole_b) {
                float_x4 out0_at;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out0_at.at[e] = element_1(x0_at[u].at[e], sum_1);
                }
                *reinterpret_cast<float_x4*>(out0 + i) = out0_at;
            }
        }
    }
    // The elements after the last whole vector, one per thread.
    const int tail_b = whole_b + lane;
    if (tail_b >= begin_1 && tail_b < end_1) {
        out0[tail_b] = element_1(x0[tail_b], sum_1);
    }
}
