// Quotients that take fewer instructions than the division of a GPU, which is correctly rounded and branches.
#pragma once

#include <sinter/number/both.hpp>

namespace sinter::detail::number {

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

// </kernel text>

}  // namespace sinter::detail::number
