// Quotients that take fewer instructions than the division of a GPU, which is correctly rounded and branches.
//
// quotient_by is correctly rounded (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000
// processor", 1990). Let x and y have significands in [1, 2), and u be half an ulp of 1. z is within u / 2 of 1 / y. q
// = RN(x z) has an error e: where x >= y below x u / 2 + u, less than an ulp, which is 2 u; else below x u / 2 + u / 2,
// less than 3/2 ulps, of u. q + r z is within |y e| u / 2 of x / y before it is rounded, so RN(q + r z) is wrong only
// if a midpoint m of two numbers is as near to x / y. But |x / y - m| = |x - y m| / y is k u / y ulps, where k is an
// integer above 0. That near to a midpoint, |e| is half an ulp and at most k u / y ulps more, so k would be at most y^2
// / 4 + k y u / 2; as y <= 2 - 2 u, it is not. (Or 3/2 ulps: only x = 2 - 4 u and y = 2 - 2 u come near them, and there
// e is one ulp.) r is exact there, since |e| <= 2 / y ulps; elsewhere its rounding reaches no midpoint. Where q
// overflows, p is NaN; `small` and the largest y keep q and r normal.
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>

namespace sinter::detail::number {

using std::fabs, std::fma;

// <kernel text>

// near_quotient: x / y within two ulps, subnormal numbers included: PTX ISA, "Floating Point Instructions: div".
template <class T>
SINTER_BOTH T near_quotient(const T x, const T y) {
    return x / y;
}
#if __CUDA_ARCH__
template <>
SINTER_BOTH float near_quotient(const float x, const float y) {
    float quotient;
    asm("div.full.f32 %0, %1, %2;" : "=f"(quotient) : "f"(x), "f"(y));
    return quotient;
}
#endif

// quick_quotient: x / y by the instructions of CUDA's division without its branch, which is_usual_quotient replaces.
template <class T>
SINTER_BOTH T quick_quotient(const T x, const T y) {
    return x / y;
}
#if __CUDA_ARCH__
template <>
SINTER_BOTH float quick_quotient(const float x, const float y) {
    float near;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(y));
    const float reciprocal = fma(near, fma(-y, near, 1.0f), near);
    const float quotient = x * reciprocal;
    return fma(fma(-y, quotient, x), reciprocal, quotient);
}
#endif

// is_usual_quotient: whether a quick quotient of x is the correctly rounded one. Then y is x / quotient, so y and its
// reciprocal are normal, and so is the last digit of the remainder, which is 2^-48 of x; what overflows is no number.
template <class T>
SINTER_BOTH bool is_usual_quotient(const T x, const T quotient) {
    const T size = fabs(quotient);
    const int is_usual = int(fabs(x) > T(0x1p-85)) & int(size > T(0x1p-120)) & int(size < T(as_float(0x7f800000u)));
    return is_usual != 0;
}

// shared_reciprocal: 1 / y, for quotient_by; NaN where that may not multiply by it.
template <class T>
SINTER_BOTH T shared_reciprocal(const T y) {
    const T least = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022), most = sizeof(T) == 4 ? T(0x1p40) : T(0x1p100);
    return fabs(y) >= least && fabs(y) <= most ? T(1) / y : T(as_float(0x7fc00000u));
}

// rarely_quotient: x / y, where quotient_by has no quotient, or where x is 0: then q is one, with its sign.
template <class T>
SINTER_BOTH T rarely_quotient(const T x, const T y, const T q) {
    return x == T(0) && q == T(0) ? q : x / y;
}

// quotient_by: x / y, correctly rounded, by z = shared_reciprocal(y): Brisebarre, Muller and Raina, "Accelerating
// correctly rounded floating-point division when the divisor is known in advance", IEEE TC 53, 2004.
template <class T>
SINTER_BOTH T quotient_by(const T x, const T y, const T z) {
    const T small = sizeof(T) == 4 ? T(0x1p-85) : T(0x1p-900), infinity = T(as_float(0x7f800000u));
    const T q = x * z;
    const T r = fma(-y, q, x);
    const T p = fma(r, z, q);
    if (fabs(x) > small && fabs(p) < infinity) return p;
    return rarely_quotient<T>(x, y, q);
}

// </kernel text>

}  // namespace sinter::detail::number
