// pack(sum(x0 * x1), max(x0))
//
// rows: 256 threads per row, 1 row per block, 4 elements per access, 4 accumulators per thread, several
// blocks per row

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
static __device__ __forceinline__ float sum_of(const float x, const float y) {
    return x + y;
}
static __device__ __forceinline__ float max_of(const float x, const float y) {
    return larger<float>(x, y);
}

// One element of loop 0, folded into the accumulators.
static __device__ __forceinline__ void fold_0(float& sum_3, float& max_4, const float x0, const float x1) {
    const float multiply_2 = x0 * x1;
    sum_3 = sum_of(sum_3, multiply_2);
    max_4 = max_of(max_4, x0);
}

extern "C" __global__ void __launch_bounds__(256) sum_max_float32_rows(
    float* __restrict__ out0,
    float* __restrict__ out1,
    const float* __restrict__ x0,
    const float* __restrict__ x1,
    const int n,
    unsigned char* workspace)
{
    const int lane = threadIdx.x;  // index among the 256 threads of a row
    // Several blocks share each row, one part per block.
    const int parts = gridDim.x;
    const int part = blockIdx.x;
    const int share = ((n + 1023) / 1024 + parts - 1) / parts * 1024;
    const int begin = part * share;
    const int end = n - begin < share ? n : begin + share;

    float sum_3_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        sum_3_parts[u] = 0.0f;
    }
    float max_4_parts[4];
    #pragma unroll
    for (int u = 0; u < 4; ++u) {
        max_4_parts[u] = -__int_as_float(0x7f800000 /* infinity */);
    }
    const int whole = end - end % 4;
    #pragma unroll 1
    for (int k = begin + lane * 4; k < whole; k += 4096) {
        float_x4 x0_at[4];
        float_x4 x1_at[4];
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 1024;
            if (i < whole) {
                x0_at[u] = *reinterpret_cast<const float_x4*>(x0 + i);
                x1_at[u] = *reinterpret_cast<const float_x4*>(x1 + i);
            }
        }
        #pragma unroll
        for (int u = 0; u < 4; ++u) {
            const int i = k + u * 1024;
            if (i < whole) {
                #pragma unroll
                for (int e = 0; e < 4; ++e) {
                    fold_0(sum_3_parts[u], max_4_parts[u], x0_at[u].at[e], x1_at[u].at[e]);
                }
            }
        }
    }
    // The elements after the last whole vector, one per thread.
    const int tail = whole + lane;
    if (tail >= begin && tail < end) {
        fold_0(sum_3_parts[0], max_4_parts[0], x0[tail], x1[tail]);
    }
    float sum_3 = sum_3_parts[0];
    float max_4 = max_4_parts[0];
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        sum_3 = sum_of(sum_3, sum_3_parts[u]);
    }
    #pragma unroll
    for (int u = 1; u < 4; ++u) {
        max_4 = max_of(max_4, max_4_parts[u]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_3 = sum_of(sum_3, __shfl_xor_sync(0xffffffffu, sum_3, offset));
        max_4 = max_of(max_4, __shfl_xor_sync(0xffffffffu, max_4, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    __shared__ float sum_3_of_warp[8];
    if (threadIdx.x % 32 == 0) {
        sum_3_of_warp[threadIdx.x / 32] = sum_3;
    }
    __shared__ float max_4_of_warp[8];
    if (threadIdx.x % 32 == 0) {
        max_4_of_warp[threadIdx.x / 32] = max_4;
    }
    __syncthreads();
    sum_3 = sum_3_of_warp[threadIdx.x % 8];
    max_4 = max_4_of_warp[threadIdx.x % 8];
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        sum_3 = sum_of(sum_3, __shfl_xor_sync(0xffffffffu, sum_3, offset));
        max_4 = max_of(max_4, __shfl_xor_sync(0xffffffffu, max_4, offset));
    }

    // Publish the part's partial result in the workspace, and draw a ticket. The block that draws the last
    // ticket of its row folds all parts, in the order of the parts.
    unsigned* ticket = reinterpret_cast<unsigned*>(workspace);
    float* sum_3_of_part = reinterpret_cast<float*>(workspace + 4096);
    float* max_4_of_part = reinterpret_cast<float*>(workspace + 4096 + gridDim.x * 8);
    if (threadIdx.x == 0) {
        sum_3_of_part[blockIdx.x] = sum_3;
        max_4_of_part[blockIdx.x] = max_4;
        __threadfence();  // the part is visible before the ticket is drawn
    }
    __shared__ bool last;
    if (threadIdx.x == 0) {
        const unsigned drawn = atomicAdd(ticket, 1u);
        last = drawn == unsigned(parts) - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum_3 = 0.0f;
    max_4 = -__int_as_float(0x7f800000 /* infinity */);
    #pragma unroll 1
    for (int p = threadIdx.x; p < parts; p += 256) {
        sum_3 = sum_of(sum_3, sum_3_of_part[p]);
        max_4 = max_of(max_4, max_4_of_part[p]);
    }
    // Butterfly: in each step a lane folds in the value of the lane `offset` away. In the end all lanes have
    // the result of all.
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        sum_3 = sum_of(sum_3, __shfl_xor_sync(0xffffffffu, sum_3, offset));
        max_4 = max_of(max_4, __shfl_xor_sync(0xffffffffu, max_4, offset));
    }
    // Partial results of the row's warps, in shared memory. Every warp then folds all of them.
    if (threadIdx.x % 32 == 0) {
        sum_3_of_warp[threadIdx.x / 32] = sum_3;
    }
    if (threadIdx.x % 32 == 0) {
        max_4_of_warp[threadIdx.x / 32] = max_4;
    }
    __syncthreads();
    sum_3 = sum_3_of_warp[threadIdx.x % 8];
    max_4 = max_4_of_warp[threadIdx.x % 8];
    #pragma unroll
    for (int offset = 4; offset > 0; offset /= 2) {
        sum_3 = sum_of(sum_3, __shfl_xor_sync(0xffffffffu, sum_3, offset));
        max_4 = max_of(max_4, __shfl_xor_sync(0xffffffffu, max_4, offset));
    }
    if (threadIdx.x == 0) {
        ticket[0] = 0;  // ready for the next launch
    }
    if (lane == 0) {
        out0[0] = sum_3;
        out1[0] = max_4;
    }
}
