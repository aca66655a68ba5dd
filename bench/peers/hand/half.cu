// gelu(x + b) in float16: eight elements per access, arithmetic in float32.

DEVICE float2 halves(u32 two) {
    float2 f;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }" : "=f"(f.x), "=f"(f.y) : "r"(two));
    return f;
}

DEVICE u32 to_halves(float low, float high) {
    u32 two;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
    return two;
}

DEVICE float rounded_sum(u32 a, u32 b, int e) {
    const float2 x = halves(a), y = halves(b);
    return e ? x.y + y.y : x.x + y.x;
}

DEVICE float gelu(float v) { return 0.5f * v * (1.f + erff(v * 0.70710678f)); }

// The error function to 1.5e-7, far below float16's rounding: Abramowitz and Stegun, Handbook of Mathematical Functions,
// 7.1.26. erfc keeps the small results of large negative arguments.
DEVICE float short_gelu(float v) {
    const float a = fabsf(v) * 0.70710678f;
    const float t = __fdividef(1.f, 1.f + 0.3275911f * a);
    const float p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
    const float erfc = p * __expf(-a * a);
    return 0.5f * v * (v > 0.f ? 2.f - erfc : erfc);
}

template <int U, class F>
DEVICE void gelu_bias(uint4* out, const uint4* x, const uint4* bias, int vectors, int row_vectors, F f) {
    const int first = blockIdx.x * (blockDim.x * U) + threadIdx.x;
    uint4 v[U];
#pragma unroll
    for (int u = 0; u < U; ++u)
        if (first + u * blockDim.x < vectors) v[u] = x[first + u * blockDim.x];
#pragma unroll
    for (int u = 0; u < U; ++u) {
        const int i = first + u * blockDim.x;
        if (i >= vectors) continue;
        const uint4 b = bias[i % row_vectors];
        uint4 r;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const u32 xs = reinterpret_cast<const u32*>(&v[u])[k], bs = reinterpret_cast<const u32*>(&b)[k];
            reinterpret_cast<u32*>(&r)[k] = to_halves(f(rounded_sum(xs, bs, 0)), f(rounded_sum(xs, bs, 1)));
        }
        out[i] = r;
    }
}

#define GELU(name, U, function)                                                                                     \
    KERNEL __launch_bounds__(256) name##_##U(uint4* out, const uint4* x, const uint4* bias, int vectors, int row) { \
        gelu_bias<U>(out, x, bias, vectors, row, [](float v) { return function(v); });                              \
    }
GELU(gelu, 1, gelu)
GELU(gelu, 2, gelu)
GELU(short_gelu, 1, short_gelu)
GELU(short_gelu, 2, short_gelu)
