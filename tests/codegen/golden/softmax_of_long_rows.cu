// softmax(x0, axis=1)
//
// rows: 256 threads per row, 1 row per block, 4 elements per access, 8 accumulators per thread, elements kept
// in registers, several blocks per row synchronised by grid barriers

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

// A vector of neighbouring elements, moved by one access.
struct alignas(16) float_x4 { float at[4]; };

// Combines two values of a reduction.
static __device__ __forceinline__ float max_of(const float x, const float y) {
    return larger<float>(x, y);
}
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
static __device__ __forceinline__ void fold_0(float& max_1, const float x0) {
    max_1 = max_of(max_1, x0);
}

// One element of loop 1, folded into the accumulators.
static __device__ __forceinline__ void fold_1(float& sum_5, const float x0, const float max_1) {
    const float subtract_3 = x0 - max_1;
    const float exp_4 = exp(subtract_3);
    sum_5 = sum_of(sum_5, exp_4);
}

// One element of the result.
static __device__ __forceinline__ float element_2(const float x0, const float max_1, const float sum_5) {
    const float subtract_7 = x0 - max_1;
    const float exp_8 = exp(subtract_7);
    const float divide_9 = exp_8 / sum_5;
    return divide_9;
}

extern "C" __global__ void __launch_bounds__(256, 4) max_exp_sum_float32_rows(
    float* __restrict__ out0,
    const float* __restrict__ x0,
    const int rows,
    const int n,
    const int x0_stride_0,
    const int parts,
    unsigned char* workspace)
{
    const int lane = threadIdx.x;  // index among the 256 threads of a block
    // A group of blocks shares each row, one part per block. All blocks of the launch are resident at the
    // same time, so they may wait for each other. A group processes the rows block_group, block_group +
    // block_groups, ...
    const int block_groups = gridDim.x / parts;
    const int block_group = blockIdx.x / parts;
    const int part = blockIdx.x % parts;
    const int share = ((n + 1023) / 1024 + parts - 1) / parts * 1024;
    const int begin = part * share;
    const int end = n - begin < share ? n : begin + share;

    // In the workspace: a counter for the barrier of each group of blocks, then the parts' partial results.
    unsigned* arrived = reinterpret_cast<unsigned*>(workspace + block_group * 128);
    unsigned char* results = reinterpret_cast<unsigned char*>(workspace + block_groups * 128);
    int parity = 0;  // selects one of two sets of results: some blocks may be one row ahead
    for (int row = block_group; row < rows; row += block_groups) {
        const float* x0_row = x0 + row * x0_stride_0;
        float* out0_row = out0 + row * x0_stride_0;

        // A thread's elements of the row are read once and kept in registers for all loops.
        const int k = begin + lane * 4;
        float_x4 x0_at[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 1024;
            if (i < end) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0_row + i);
            }
        }

        float max_1_parts[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            max_1_parts[u] = -__int_as_float(0x7f800000 /* infinity */);
        }
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 1024;
            if (i < end) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(max_1_parts[u], x0_at[u].at[e]);
                }
            }
        }
        float max_1 = max_1_parts[0];
        #pragma unroll
        for (int u = 1; u < 8; ++u) {
            max_1 = max_of(max_1, max_1_parts[u]);
        }
        // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes
        // have the result of all.
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
        }
        // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
        __shared__ float max_1_of_warp[8];
        if (threadIdx.x % 32 == 0) {
            max_1_of_warp[threadIdx.x / 32] = max_1;
        }
        __syncthreads();
        max_1 = max_1_of_warp[threadIdx.x % 8];
        #pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) {
            max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
        }

        // Publish the part's partial result. Once all blocks of the group have done so, each folds the
        // results of all parts, in the order of the parts.
        float* max_1_of_part = reinterpret_cast<float*>(results + parity * 8 * gridDim.x) + block_group * parts;
        if (threadIdx.x == 0) {
            max_1_of_part[part] = max_1;
        }
        grid_sync(arrived, part, parts);
        max_1 = -__int_as_float(0x7f800000 /* infinity */);
        #pragma unroll 1
        for (int p = threadIdx.x; p < parts; p += 256) {
            max_1 = max_of(max_1, max_1_of_part[p]);
        }
        // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes
        // have the result of all.
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
        }
        // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
        if (threadIdx.x % 32 == 0) {
            max_1_of_warp[threadIdx.x / 32] = max_1;
        }
        __syncthreads();
        max_1 = max_1_of_warp[threadIdx.x % 8];
        #pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) {
            max_1 = max_of(max_1, __shfl_xor_sync(0xffffffffu, max_1, offset));
        }

        float sum_5_parts[8];
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            sum_5_parts[u] = 0.0f;
        }
        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 1024;
            if (i < end) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_1(sum_5_parts[u], x0_at[u].at[e], max_1);
                }
            }
        }
        float sum_5 = sum_5_parts[0];
        #pragma unroll
        for (int u = 1; u < 8; ++u) {
            sum_5 = sum_of(sum_5, sum_5_parts[u]);
        }
        // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes
        // have the result of all.
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
        }
        // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
        __shared__ float sum_5_of_warp[8];
        if (threadIdx.x % 32 == 0) {
            sum_5_of_warp[threadIdx.x / 32] = sum_5;
        }
        __syncthreads();
        sum_5 = sum_5_of_warp[threadIdx.x % 8];
        #pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) {
            sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
        }

        // Publish the part's partial result. Once all blocks of the group have done so, each folds the
        // results of all parts, in the order of the parts.
        float* sum_5_of_part = reinterpret_cast<float*>(results + (16 + parity * 8) * gridDim.x) + block_group * parts;
        if (threadIdx.x == 0) {
            sum_5_of_part[part] = sum_5;
        }
        grid_sync(arrived, part, parts);
        sum_5 = 0.0f;
        #pragma unroll 1
        for (int p = threadIdx.x; p < parts; p += 256) {
            sum_5 = sum_of(sum_5, sum_5_of_part[p]);
        }
        // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes
        // have the result of all.
        #pragma unroll
        for (int offset = 16; offset > 0; offset /= 2) {
            sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
        }
        // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
        if (threadIdx.x % 32 == 0) {
            sum_5_of_warp[threadIdx.x / 32] = sum_5;
        }
        __syncthreads();
        sum_5 = sum_5_of_warp[threadIdx.x % 8];
        #pragma unroll
        for (int offset = 4; offset > 0; offset /= 2) {
            sum_5 = sum_of(sum_5, __shfl_xor_sync(0xffffffffu, sum_5, offset));
        }

        #pragma unroll
        for (int u = 0; u < 8; ++u) {
            const int i = k + u * 1024;
            if (i < end) {
                float_x4 out0_at;
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    out0_at.at[e] = element_2(x0_at[u].at[e], max_1, sum_5);
                }
                *reinterpret_cast<float_x4*>(out0_row + i) = out0_at;
            }
        }
        parity = 1 - parity;
        __syncthreads();  // the next row reuses the shared arrays
    }
}
