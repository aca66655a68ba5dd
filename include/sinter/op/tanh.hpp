// The host's tanh: without branches and calls, so that loops vectorise. The C library's vector version of floats
// computes in double and takes twice the time, as does that of doubles.
#pragma once

#include <sinter/number/double_functions.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace sinter::detail {

/// a b + c, rounded once if the target has an FMA instruction.
[[gnu::always_inline]] inline float multiply_add(float a, float b, float c) {
#if defined(__FMA__)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}

/// tanh(x) = e / (e + 2) for e = exp(2 x) - 1 and x >= 0; it is odd. With 2 x = k log(2) + r, |r| <= log(2) / 2, e =
/// 2^k p + (2^k - 1), where p = exp(r) - 1 is r + r^2 times a polynomial with minimax relative error of p, 2^-26. The
/// maximum error over all floats is 2.61 ulp.
[[gnu::always_inline]] inline float tanh_of_float(float x) {
    constexpr float most = 9.1f;                  // tanh rounds to 1 beyond
    constexpr float to_whole = 12582912.f + 127;  // adding it rounds to an integer; its low bits become an exponent
    const float size = std::fabs(x), capped = size > most ? most : size;
    const float doubled = capped + capped;
    const float shifted = multiply_add(doubled, 1.44269504f, to_whole);
    const float r = multiply_add(shifted - to_whole, -0x1.62e43p-1f, doubled);
    const float r2 = r * r;
    const float low = multiply_add(r, 0x1.5554b0p-3f, 0x1.fffffep-2f);
    const float high = multiply_add(r, 0x1.122772p-7f, 0x1.555674p-5f);
    const float p = multiply_add(r2, multiply_add(r2, multiply_add(r2, 0x1.6bec06p-10f, high), low), r);
    const float power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
    const float e = multiply_add(power, p, power - 1);
    return std::copysign(e / (e + 2), x);
}

/// With a fused multiply-add, on which its precision depends; else the C library's.
[[gnu::always_inline]] inline double tanh_of_double(double x) {
#if defined(__FMA__)
    return number::double_tanh(x);
#else
    return std::tanh(x);
#endif
}

}  // namespace sinter::detail
