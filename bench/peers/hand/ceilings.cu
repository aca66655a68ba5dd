// The machine's ceilings: copy, read only, write only, and float32 arithmetic.

KERNEL __launch_bounds__(256) copy(float4* out, const float4* x) {
    const long long i = (long long)blockIdx.x * 1024 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int u = 0; u < 4; ++u) v[u] = __ldcs(x + i + 256 * u);
#pragma unroll
    for (int u = 0; u < 4; ++u) __stcs(out + i + 256 * u, v[u]);
}

KERNEL __launch_bounds__(256) read(float* out, const float4* x) {
    const long long i = (long long)blockIdx.x * 2048 + threadIdx.x;
    float sum = 0.f;
    float4 v[8];
#pragma unroll
    for (int u = 0; u < 8; ++u) v[u] = __ldcs(x + i + 256 * u);
#pragma unroll
    for (int u = 0; u < 8; ++u) sum += (v[u].x + v[u].y) + (v[u].z + v[u].w);
    if (sum == 12345.678f) *out = sum;  // never true; keeps the loads from being eliminated
}

KERNEL __launch_bounds__(256) fill(float4* out) {
    const long long i = (long long)blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int u = 0; u < 4; ++u) out[i + 256 * u] = {1.f, 2.f, 3.f, 4.f};
}

// 4096 multiply-adds per thread in eight independent chains.
KERNEL __launch_bounds__(256) arithmetic(float* out, float a, float b) {
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = threadIdx.x + i;
#pragma unroll 16
    for (int k = 0; k < 512; ++k)
#pragma unroll
        for (int i = 0; i < 8; ++i) v[i] = v[i] * a + b;
    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += v[i];
    if (sum == 12345.678f) *out = sum;
}
