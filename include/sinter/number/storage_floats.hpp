// The 16-bit floating types, for storage: expressions load them as float32, compute in float32, and round once, to
// nearest even, when they store.
//
// The formats are IEEE 754's binary16, and the upper half of a binary32 ("bfloat16").
#pragma once

#include <sinter/number/both.hpp>

namespace sinter {
namespace detail {
// <kernel text>

// rounded_to_odd: a double as a float, so that rounding the float again, to fewer bits, gives what rounding the double
// once would have (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE TC 57, 2008).
SINTER_BOTH float rounded_to_odd(const double x) {
    const float nearest = static_cast<float>(x);
    const double back = nearest;
    if (back == x || x != x) return nearest;
    const bool beyond = x < 0 ? back < x : back > x;  // steps towards zero, then marks the result as inexact
    return as_float((as_bits(nearest) - (beyond ? 1u : 0u)) | 1u);
}

// float16_bits: the float16 nearest to a float.
SINTER_BOTH unsigned short float16_bits(const float x) {
#if __CUDA_ARCH__
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const unsigned sign = as_bits(x) >> 16 & 0x8000u, size = as_bits(x) & 0x7fffffffu;
    if (size > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u | (size >> 13 & 0x3ffu));  // NaN
    if (size >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);                         // infinity
    // Below 2^-14 the last place is 2^-24, which is that of a float beside 0.5; above, 13 bits are dropped.
    const unsigned small = as_bits(as_float(size) + 0.5f) - 0x3f000000u;
    const unsigned normal = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
    return static_cast<unsigned short>(sign | (size < 0x38800000u ? small : normal));
#endif
}

// float16_value: a float16 as a float.
SINTER_BOTH float float16_value(const unsigned short bits) {
#if __CUDA_ARCH__
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    const unsigned sign = (bits & 0x8000u) << 16, size = (bits & 0x7fffu) << 13;
    // The scale is that of the biases of the exponents, 127 - 15; multiplying makes subnormals normal.
    const unsigned finite = as_bits(as_float(size) * 0x1p112f);
    return as_float(sign | (size < 0x0f800000u ? finite : size > 0x0f800000u ? size | 0x7fc00000u : 0x7f800000u));
#endif
}

// bfloat16_bits: the bfloat16 nearest to a float.
SINTER_BOTH unsigned short bfloat16_bits(const float x) {
#if __CUDA_ARCH__ >= 800
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const unsigned bits = as_bits(x);
    const unsigned nearest = bits + 0x7fffu + (bits >> 16 & 1u);
    return static_cast<unsigned short>((x == x ? nearest : bits | 0x400000u) >> 16);
#endif
}

// float16: IEEE's binary16, for storage; arithmetic is in float.
struct float16 {
    unsigned short bits;
    float16() = default;
    SINTER_BOTH explicit float16(const float x) : bits(float16_bits(x)) {}
    SINTER_BOTH explicit float16(const double x) : float16(rounded_to_odd(x)) {}
    SINTER_BOTH explicit operator float() const { return float16_value(bits); }
    template <class N>
    SINTER_BOTH explicit float16(const N x) : float16(static_cast<float>(x)) {}
    template <class N>
    SINTER_BOTH explicit operator N() const {
        return static_cast<N>(static_cast<float>(*this));
    }
};

// bfloat16: the upper half of a float, for storage; arithmetic is in float.
struct bfloat16 {
    unsigned short bits;
    bfloat16() = default;
    SINTER_BOTH explicit bfloat16(const float x) : bits(bfloat16_bits(x)) {}
    SINTER_BOTH explicit bfloat16(const double x) : bfloat16(rounded_to_odd(x)) {}
    SINTER_BOTH explicit operator float() const { return as_float(static_cast<unsigned>(bits) << 16); }
    template <class N>
    SINTER_BOTH explicit bfloat16(const N x) : bfloat16(static_cast<float>(x)) {}
    template <class N>
    SINTER_BOTH explicit operator N() const {
        return static_cast<N>(static_cast<float>(*this));
    }
};
// </kernel text>
}  // namespace detail

/// A 16-bit element with representation `bits`. Explicit conversions from and to all numbers: float16(0.1), float(h).
using detail::bfloat16;
using detail::float16;

}  // namespace sinter
