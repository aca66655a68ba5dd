// Softmax of rows too long for one block: a cluster of blocks shares a row, caches it in registers, and reduces through
// distributed shared memory.

DEVICE void cluster_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Reads the float at the same index in another block's shared memory.
DEVICE float of_block(const float* ours, u32 block) {
    u32 local = (u32)__cvta_generic_to_shared(ours), remote;
    float v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(block));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(remote));
    return v;
}

// C blocks of 32 W threads, V vectors per thread: rows of 128 C W V elements.
template <int C, int W, int V>
DEVICE void softmax_of_cluster(float4* out, const float4* x) {
    __shared__ max_sum of_warps[W];
    __shared__ float2 of_us;
    const u32 block = blockIdx.x % C;
    const long long first = (long long)blockIdx.x * (32 * W * V) + threadIdx.x;
    float4 h[V];
#pragma unroll
    for (int i = 0; i < V; ++i) h[i] = __ldcs(x + first + i * (32 * W));
    float top = -infinity, total = 0.f;
#pragma unroll
    for (int i = 0; i < V; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e) top = fmaxf(top, at(h[i], e));
    top = warp_max(top);
#pragma unroll
    for (int i = 0; i < V; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e) total += at(h[i], e) = __expf(at(h[i], e) - top);
    const max_sum ours = block_join<W>(top, warp_sum(total), of_warps);
    if (threadIdx.x == 0) of_us = {ours.max, ours.sum};
    cluster_barrier();
    const u32 from = threadIdx.x % C;
    max_sum all{of_block(&of_us.x, from), of_block(&of_us.y, from)};
#pragma unroll
    for (int o = C / 2; o > 0; o /= 2)
        all = join(all, {__shfl_xor_sync(whole_warp, all.max, o), __shfl_xor_sync(whole_warp, all.sum, o)});
    const float scale = __expf(top - all.max) / all.sum;
#pragma unroll
    for (int i = 0; i < V; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) at(h[i], e) *= scale;
        __stcs(out + first + i * (32 * W), h[i]);
    }
    cluster_barrier();  // no block may exit while another reads its shared memory
}

#define SOFTMAX_OF_CLUSTER(C, W, V)                                                                     \
    KERNEL __cluster_dims__(C, 1, 1) __launch_bounds__(32 * W)                                          \
        softmax_cluster_##C##_##W##_##V(float4* out, const float4* x) {                                 \
        softmax_of_cluster<C, W, V>(out, x);                                                            \
    }
SOFTMAX_OF_CLUSTER(8, 32, 8)
SOFTMAX_OF_CLUSTER(16, 16, 8)
SOFTMAX_OF_CLUSTER(16, 32, 4)
