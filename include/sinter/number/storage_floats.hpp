// The floating types of 8 and 16 bits, for storage: expressions load them as float32, compute in float32, and round
// once, to nearest even, when they store.
//
// The formats are IEEE 754's binary16, the upper half of a binary32 ("bfloat16"), and both of the Open Compute
// Project's "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0, 2023. Conversions to the latter do not
// saturate: what is beyond the largest number is NaN for e4m3, which has no infinity, and infinity for e5m2.
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

// float8_e4m3_bits: the float8_e4m3 nearest to a float.
SINTER_BOTH unsigned char float8_e4m3_bits(const float x) {
    const unsigned sign = as_bits(x) >> 24 & 0x80u, size = as_bits(x) & 0x7fffffffu;
#if __CUDA_ARCH__ >= 890
    unsigned short pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
    const unsigned nearest = pair & 0x7fu;
#else
    // Below 2^-6 the last place is 2^-9, which is that of a float beside 2^14; above, 20 bits are dropped.
    const unsigned small = as_bits(as_float(size) + 0x1p14f) - 0x46800000u;
    const unsigned normal = (size - 0x3c000000u + 0x7ffffu + (size >> 20 & 1u)) >> 20;
    const unsigned nearest = size < 0x3c800000u ? small : normal;
#endif
    return static_cast<unsigned char>(sign | (size > 0x43e80000u ? 0x7fu : nearest));  // 464 rounds to 448
}

// float8_e4m3_half: a float8_e4m3 as the bits of a float16.
SINTER_BOTH unsigned short float8_e4m3_half(const unsigned char bits) {
#if __CUDA_ARCH__ >= 890
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<unsigned short>(bits)));
    return static_cast<unsigned short>(pair);
#else
    // A float16's exponent has a bias that is 8 larger.
    const unsigned size = bits & 0x7fu, small = float16_bits(static_cast<float>(size) * 0x1p-9f);
    const unsigned nearest = size == 0x7fu ? 0x7e00u : size < 8u ? small : (size << 7) + 0x2000u;
    return static_cast<unsigned short>((bits & 0x80u) << 8 | nearest);
#endif
}

// float8_e4m3_value: a float8_e4m3 as a float.
SINTER_BOTH float float8_e4m3_value(const unsigned char bits) {
#if __CUDA_ARCH__ >= 890
    return float16_value(float8_e4m3_half(bits));
#else
    const unsigned size = bits & 0x7fu;
    const float finite = float16_value(static_cast<unsigned short>((bits & 0x80u) << 8 | size << 7)) * 256.0f;
    return size == 0x7fu ? as_float(0x7fc00000u) : finite;
#endif
}

// float8_e5m2_bits: the float8_e5m2 nearest to a float.
SINTER_BOTH unsigned char float8_e5m2_bits(const float x) {
    const unsigned sign = as_bits(x) >> 24 & 0x80u, size = as_bits(x) & 0x7fffffffu;
#if __CUDA_ARCH__ >= 890
    unsigned short pair;
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
    const unsigned nearest = pair & 0x7fu;
#else
    // Below 2^-14 the last place is 2^-16, which is that of a float beside 2^7; above, 21 bits are dropped.
    const unsigned small = as_bits(as_float(size) + 0x1p7f) - 0x43000000u;
    const unsigned normal = (size - 0x38000000u + 0xfffffu + (size >> 21 & 1u)) >> 21;
    const unsigned nearest = size < 0x38800000u ? small : normal;
#endif
    const unsigned beyond = size > 0x7f800000u ? 0x7eu : 0x7cu;
    return static_cast<unsigned char>(sign | (size >= 0x47700000u ? beyond : nearest));  // 61440 rounds to infinity
}

// float8_e5m2_half: a float8_e5m2 as the bits of a float16, of which it is the upper half.
SINTER_BOTH unsigned short float8_e5m2_half(const unsigned char bits) { return static_cast<unsigned short>(bits << 8); }

// float8_e5m2_value: a float8_e5m2 as a float.
SINTER_BOTH float float8_e5m2_value(const unsigned char bits) { return float16_value(float8_e5m2_half(bits)); }

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

// float8_e4m3: OFP8's format of 4 bits of exponent and 3 of fraction, up to 448, for storage; arithmetic is in float.
struct float8_e4m3 {
    unsigned char bits;
    float8_e4m3() = default;
    SINTER_BOTH explicit float8_e4m3(const float x) : bits(float8_e4m3_bits(x)) {}
    SINTER_BOTH explicit float8_e4m3(const double x) : float8_e4m3(rounded_to_odd(x)) {}
    SINTER_BOTH explicit operator float() const { return float8_e4m3_value(bits); }
    template <class N>
    SINTER_BOTH explicit float8_e4m3(const N x) : float8_e4m3(static_cast<float>(x)) {}
    template <class N>
    SINTER_BOTH explicit operator N() const {
        return static_cast<N>(static_cast<float>(*this));
    }
};

// float8_e5m2: OFP8's format of 5 bits of exponent and 2 of fraction, up to 57344, for storage; arithmetic is in float.
struct float8_e5m2 {
    unsigned char bits;
    float8_e5m2() = default;
    SINTER_BOTH explicit float8_e5m2(const float x) : bits(float8_e5m2_bits(x)) {}
    SINTER_BOTH explicit float8_e5m2(const double x) : float8_e5m2(rounded_to_odd(x)) {}
    SINTER_BOTH explicit operator float() const { return float8_e5m2_value(bits); }
    template <class N>
    SINTER_BOTH explicit float8_e5m2(const N x) : float8_e5m2(static_cast<float>(x)) {}
    template <class N>
    SINTER_BOTH explicit operator N() const {
        return static_cast<N>(static_cast<float>(*this));
    }
};

// float16_of_e4m3: the float16 that a float8_e4m3 is.
SINTER_BOTH float16 float16_of_e4m3(const float8_e4m3 x) {
    float16 h;
    h.bits = float8_e4m3_half(x.bits);
    return h;
}

// float16_of_e5m2: the float16 that a float8_e5m2 is.
SINTER_BOTH float16 float16_of_e5m2(const float8_e5m2 x) {
    float16 h;
    h.bits = float8_e5m2_half(x.bits);
    return h;
}
// </kernel text>
}  // namespace detail

/// An element of 8 or 16 bits with representation `bits`. Explicit conversions from and to all numbers: float16(0.1),
/// float(h).
using detail::bfloat16;
using detail::float16;
using detail::float8_e4m3;
using detail::float8_e5m2;

}  // namespace sinter
