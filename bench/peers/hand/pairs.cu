// Reductions over pairs of points, with the loops of a matrix product: tiles in shared memory, R by S pairs per thread
// in registers.

// Loads `points` rows of K elements into shared memory, transposed, so that neighbouring points are adjacent.
template <int Points, int K, int Stride, int Threads>
DEVICE void stage(float* tile, const float4* rows) {
#pragma unroll
    for (int i = threadIdx.x; i < Points * K / 4; i += Threads) {
        // Neighbouring threads take neighbouring points: the stores to shared memory have no bank conflicts, and the
        // 16-byte loads of one point in several steps hit the L1 cache.
        const int point = i % Points, k = i / Points;
        const float4 v = rows[point * (K / 4) + k];
#pragma unroll
        for (int e = 0; e < 4; ++e) tile[(4 * k + e) * Stride + point] = at(v, e);
    }
}

// Squared distances of 128 by 128 points of 64 dimensions per block of 256 threads, 8 by 8 per thread.
template <bool ThroughNorms>
DEVICE void distances(float* out, const float4* x, const float4* y, int m) {
    constexpr int K = 64, stride = 128;
    extern __shared__ float4 memory[];
    float* xs = reinterpret_cast<float*>(memory);
    float* ys = xs + K * stride;
    const int tiles = m / 128, i0 = blockIdx.x / tiles * 128, j0 = blockIdx.x % tiles * 128;
    stage<128, K, stride, 256>(xs, x + (long long)i0 * (K / 4));
    stage<128, K, stride, 256>(ys, y + (long long)j0 * (K / 4));
    __syncthreads();
    // A thread's points are two groups of four, 64 apart, so that a warp's 16-byte reads have no bank conflicts.
    const int ti = threadIdx.x / 16 * 4, tj = threadIdx.x % 16 * 4;
    float sum[8][8] = {}, of_x[8] = {}, of_y[8] = {};
#pragma unroll 4
    for (int k = 0; k < K; ++k) {
        float a[8], b[8];
        *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(xs + k * stride + ti);
        *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(xs + k * stride + ti + 64);
        *reinterpret_cast<float4*>(b) = *reinterpret_cast<const float4*>(ys + k * stride + tj);
        *reinterpret_cast<float4*>(b + 4) = *reinterpret_cast<const float4*>(ys + k * stride + tj + 64);
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            if (ThroughNorms) {
                of_x[i] += a[i] * a[i];
                of_y[i] += b[i] * b[i];
            }
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                const float d = ThroughNorms ? a[i] : a[i] - b[j];
                sum[i][j] += d * (ThroughNorms ? b[j] : d);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float4 v;
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int j = 4 * half + e;
                at(v, e) = ThroughNorms ? of_x[i] + of_y[j] - 2.f * sum[i][j] : sum[i][j];
            }
            const int row = i0 + ti + i % 4 + i / 4 * 64;
            *reinterpret_cast<float4*>(out + (long long)row * m + j0 + tj + half * 64) = v;
        }
}
KERNEL __launch_bounds__(256, 2) pairwise(float* out, const float4* x, const float4* y, int m) {
    distances<false>(out, x, y, m);
}
KERNEL __launch_bounds__(256, 2) pairwise_through_norms(float* out, const float4* x, const float4* y, int m) {
    distances<true>(out, x, y, m);
}

// The nearest of 64 centres of 32 dimensions: 128 points per block of 128 threads, 8 points by 8 centres per thread.
template <bool ThroughNorms>
DEVICE void nearest(long long* out, const float4* x, const float4* centres) {
    constexpr int K = 32, points = 128, count = 64;
    __shared__ float4 x_memory[K * points / 4], c_memory[K * count / 4];
    float* xs = reinterpret_cast<float*>(x_memory);
    float* cs = reinterpret_cast<float*>(c_memory);
    const long long i0 = (long long)blockIdx.x * points;
    stage<points, K, points, 128>(xs, x + i0 * (K / 4));
    stage<count, K, count, 128>(cs, centres);
    __syncthreads();
    const int ti = threadIdx.x / 8 * 4, tc = threadIdx.x % 8 * 4;
    float sum[8][8] = {}, of_c[8] = {};
#pragma unroll 4
    for (int k = 0; k < K; ++k) {
        float a[8], c[8];
        *reinterpret_cast<float4*>(a) = *reinterpret_cast<const float4*>(xs + k * points + ti);
        *reinterpret_cast<float4*>(a + 4) = *reinterpret_cast<const float4*>(xs + k * points + ti + 64);
        *reinterpret_cast<float4*>(c) = *reinterpret_cast<const float4*>(cs + k * count + tc);
        *reinterpret_cast<float4*>(c + 4) = *reinterpret_cast<const float4*>(cs + k * count + tc + 32);
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            if (ThroughNorms) of_c[j] += c[j] * c[j];
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const float d = ThroughNorms ? a[i] : a[i] - c[j];
                sum[i][j] += d * (ThroughNorms ? c[j] : d);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float best = infinity;
        int place = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            const float d = ThroughNorms ? of_c[j] - 2.f * sum[i][j] : sum[i][j];
            if (d < best) {
                best = d;
                place = tc + j % 4 + j / 4 * 32;
            }
        }
#pragma unroll
        for (int o = 4; o > 0; o /= 2) {
            const float other = __shfl_xor_sync(whole_warp, best, o);
            const int other_place = __shfl_xor_sync(whole_warp, place, o);
            if (other < best || (other == best && other_place < place)) {
                best = other;
                place = other_place;
            }
        }
        if (threadIdx.x % 8 == 0) out[i0 + ti + i % 4 + i / 4 * 64] = place;
    }
}
KERNEL __launch_bounds__(128) kmeans(long long* out, const float4* x, const float4* centres) {
    nearest<false>(out, x, centres);
}
KERNEL __launch_bounds__(128) kmeans_through_norms(long long* out, const float4* x, const float4* centres) {
    nearest<true>(out, x, centres);
}
