// Shared by the hand-written kernels: vectors of floats and reductions over a warp.
#pragma nv_diag_suppress 177  // not every file uses all of it
#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 whole_warp = 0xffffffffu;
#define infinity __int_as_float(0x7f800000)

DEVICE float& at(float4& v, int i) { return reinterpret_cast<float*>(&v)[i]; }
DEVICE float at(const float4& v, int i) { return reinterpret_cast<const float*>(&v)[i]; }

template <class T>
DEVICE T warp_sum(T v) {
#pragma unroll
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(whole_warp, v, o);
    return v;
}

DEVICE float warp_max(float v) {
#pragma unroll
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(whole_warp, v, o));
    return v;
}

// The sum over a block of Warps warps, returned to all threads. `shared` holds Warps floats, for this use alone.
template <int Warps>
DEVICE float block_sum(float v, float* shared) {
    v = warp_sum(v);
    if (Warps == 1) return v;
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = v;
    __syncthreads();
    float total = 0.f;
#pragma unroll
    for (int w = 0; w < Warps; ++w) total += shared[w];
    return total;
}

// A maximum and the sum of exponentials relative to it, merged in one pass: Milakov and Gimelshein, Online normalizer
// calculation for softmax, 2018.
struct max_sum {
    float max, sum;
};

DEVICE max_sum join(max_sum a, max_sum b) {
    const float m = fmaxf(a.max, b.max);
    return {m, a.sum * __expf(a.max - m) + b.sum * __expf(b.max - m)};
}

template <int Warps>
DEVICE max_sum block_join(float warp_maximum, float warp_total, max_sum* shared) {
    max_sum all{warp_maximum, warp_total};
    if (Warps == 1) return all;
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = all;
    __syncthreads();
    all = shared[0];
#pragma unroll
    for (int w = 1; w < Warps; ++w) all = join(all, shared[w]);
    return all;
}

// Whether this block is the last of `blocks` to arrive at a counter, which it then resets to zero. The other blocks'
// writes before their arrival are visible.
DEVICE bool last_to_arrive(u32* counter, u32 blocks) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1) == blocks - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
