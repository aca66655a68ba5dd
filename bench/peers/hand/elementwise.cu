// Elementwise kernels: each thread has U vectors of 16 bytes in flight, adjacent within a block.

// U vectors per thread; `body` combines v with the other operands' vectors, element by element.
template <int U, class F, class... In>
DEVICE void each(float4* out, int vectors, F body, const In*... in) {
    const int first = blockIdx.x * (blockDim.x * U) + threadIdx.x;
    const int step = blockDim.x;
    struct operands {
        float4 of[sizeof...(In)];
    } at_u[U];
#pragma unroll
    for (int u = 0; u < U; ++u)
        if (first + u * step < vectors) at_u[u] = operands{{in[first + u * step]...}};
#pragma unroll
    for (int u = 0; u < U; ++u) {
        if (first + u * step >= vectors) continue;
        float4 r;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            float x[sizeof...(In)];
#pragma unroll
            for (int k = 0; k < int(sizeof...(In)); ++k) x[k] = at(at_u[u].of[k], e);
            at(r, e) = body(x);
        }
        out[first + u * step] = r;
    }
}

#define ONE_OPERAND(name, U, body)                                                    \
    KERNEL __launch_bounds__(256) name##_##U(float4* out, const float4* x, int n) {   \
        each<U>(out, n, [](const float* v) { const float a = v[0]; return body; }, x); \
    }
#define TWO_OPERANDS(name, U, body)                                                                      \
    KERNEL __launch_bounds__(256) name##_##U(float4* out, const float4* x, const float4* y, int n) {     \
        each<U>(out, n, [](const float* v) { const float a = v[0], b = v[1]; return body; }, x, y);      \
    }
#define THREE_OPERANDS(name, U, body)                                                                              \
    KERNEL __launch_bounds__(256) name##_##U(float4* out, const float4* x, const float4* y, const float4* z, int n) { \
        each<U>(out, n, [](const float* v) { const float a = v[0], b = v[1], c = v[2]; return body; }, x, y, z);    \
    }

ONE_OPERAND(exp, 1, expf(a))
ONE_OPERAND(exp, 2, expf(a))
ONE_OPERAND(exp, 4, expf(a))

ONE_OPERAND(chain, 1, tanhf(0.75f * a + 0.25f) * expf(-0.5f * (a * a)) + 0.125f)
ONE_OPERAND(chain, 2, tanhf(0.75f * a + 0.25f) * expf(-0.5f * (a * a)) + 0.125f)

THREE_OPERANDS(linear, 1, 1.5f * a + 2.5f * b + 3.5f * c)
THREE_OPERANDS(linear, 2, 1.5f * a + 2.5f * b + 3.5f * c)

TWO_OPERANDS(multiply_add, 1, a * b + 1.f)

// x * y + 1 of few elements: one element per thread, to use several multiprocessors.
KERNEL multiply_add_single(float* out, const float* x, const float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * y[i] + 1.f;
}

DEVICE float call_price(float price, float strike, float years) {
    const float deviation = 0.3f * sqrtf(years);
    const float d = (logf(price / strike) + (0.02f + 0.5f * 0.3f * 0.3f) * years) / deviation;
    const float n1 = 0.5f + 0.5f * erff(d * 0.70710678f);
    const float n2 = 0.5f + 0.5f * erff((d - deviation) * 0.70710678f);
    return price * n1 - strike * expf(-0.02f * years) * n2;
}

// The error function to 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
DEVICE float fast_erf(float x) {
    const float a = fabsf(x);
    const float t = __fdividef(1.f, 1.f + 0.3275911f * a);
    const float p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
    return copysignf(1.f - p * __expf(-a * a), x);
}

DEVICE float fast_call_price(float price, float strike, float years) {
    const float reciprocal = rsqrtf(years);
    const float deviation = 0.3f * years * reciprocal;
    const float d = (__logf(__fdividef(price, strike)) + (0.02f + 0.5f * 0.3f * 0.3f) * years) * (reciprocal / 0.3f);
    const float n1 = 0.5f + 0.5f * fast_erf(d * 0.70710678f);
    const float n2 = 0.5f + 0.5f * fast_erf((d - deviation) * 0.70710678f);
    return price * n1 - strike * __expf(-0.02f * years) * n2;
}

THREE_OPERANDS(black_scholes, 1, call_price(a, b, c))
THREE_OPERANDS(black_scholes, 2, call_price(a, b, c))
THREE_OPERANDS(fast_black_scholes, 1, fast_call_price(a, b, c))
THREE_OPERANDS(fast_black_scholes, 2, fast_call_price(a, b, c))

template <int N>
DEVICE float steps(float x) {
#pragma unroll
    for (int i = 0; i < N; ++i) x = x * 0.875f + 0.125f;
    return x;
}

ONE_OPERAND(steps_1, 2, steps<1>(a))
ONE_OPERAND(steps_2, 2, steps<2>(a))
ONE_OPERAND(steps_4, 2, steps<4>(a))
ONE_OPERAND(steps_8, 2, steps<8>(a))
ONE_OPERAND(steps_16, 2, steps<16>(a))
ONE_OPERAND(steps_32, 2, steps<32>(a))
