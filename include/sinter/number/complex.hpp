// Complex numbers for ops, on the host and in kernels: the type, its operators, and the complex functions of <cmath>.
//
// Branch cuts and special values follow C99's annex G, as in NumPy; products and quotients are NumPy's, without annex
// G's recovery of infinities. The inverse functions are Kahan's ("Branch Cuts for Complex Elementary Functions, or Much
// Ado About Nothing's Sign Bit", 1987).
#pragma once

#include <sinter/number/both.hpp>

#include <cmath>
#include <limits>

namespace sinter::detail::number {

using std::atan2, std::asinh, std::copysign, std::fabs, std::fma, std::isinf, std::isnan, std::isfinite, std::rint;
using std::sin, std::cos, std::tan, std::sinh, std::cosh, std::exp, std::log, std::log1p, std::sqrt, std::hypot;

// <kernel text>

// complex: laid out as std::complex.
template <class R>
struct SINTER_ALIGNED(2 * sizeof(R)) complex {
    R re, im;
    complex() = default;
    SINTER_BOTH complex(const R real, const R imaginary = R(0)) : re(real), im(imaginary) {}
    template <class S>
    SINTER_BOTH explicit complex(const complex<S> z) : re(static_cast<R>(z.re)), im(static_cast<R>(z.im)) {}
    SINTER_BOTH explicit operator bool() const { return re != 0 || im != 0; }
    template <class S>
    SINTER_BOTH explicit operator S() const {
        return static_cast<S>(re);
    }
    SINTER_BOTH complex operator-() const { return complex(-re, -im); }
    friend SINTER_BOTH complex operator+(const complex x, const complex y) { return complex(x.re + y.re, x.im + y.im); }
    friend SINTER_BOTH complex operator-(const complex x, const complex y) { return complex(x.re - y.re, x.im - y.im); }
    friend SINTER_BOTH complex operator*(const complex x, const complex y) {
        return complex(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
    }
    friend SINTER_BOTH complex operator/(const complex x,
                                         const complex y) {  // Smith's algorithm: no part of y is squared
        const R along = y.re < 0 ? -y.re : y.re, across = y.im < 0 ? -y.im : y.im;
        if (along == 0 && across == 0) return complex(x.re / along, x.im / along);
        if (along >= across) {
            const R ratio = y.im / y.re, scale = R(1) / (y.re + y.im * ratio);
            return complex((x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale);
        }
        const R ratio = y.re / y.im, scale = R(1) / (y.im + y.re * ratio);
        return complex((x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale);
    }
    friend SINTER_BOTH bool operator==(const complex x, const complex y) { return x.re == y.re && x.im == y.im; }
    friend SINTER_BOTH bool operator!=(const complex x, const complex y) { return !(x == y); }
};

// __shfl_xor_sync: CUDA has no complex overload; the parts are exchanged one by one.
template <class R>
SINTER_BOTH complex<R> __shfl_xor_sync(const unsigned mask, const complex<R> z, const int offset) {
    return complex<R>(__shfl_xor_sync(mask, z.re, offset), __shfl_xor_sync(mask, z.im, offset));
}

// __shfl_up_sync: as __shfl_xor_sync.
template <class R>
SINTER_BOTH complex<R> __shfl_up_sync(const unsigned mask, const complex<R> z, const int offset, const int width = 32) {
    return complex<R>(__shfl_up_sync(mask, z.re, offset, width), __shfl_up_sync(mask, z.im, offset, width));
}

// __shfl_sync: as __shfl_xor_sync.
template <class R>
SINTER_BOTH complex<R> __shfl_sync(const unsigned mask, const complex<R> z, const int lane, const int width = 32) {
    return complex<R>(__shfl_sync(mask, z.re, lane, width), __shfl_sync(mask, z.im, lane, width));
}

// number_limits: of the parts, as far as the functions below need them.
template <class R>
struct number_limits {
    static constexpr bool wide = sizeof(R) == 8;
    static constexpr R exp_most = R(wide ? 709.0 : 88.0);        // exp of more overflows
    static constexpr R tanh_most = R(wide ? 22.0 : 11.0);        // tanh of more rounds to 1
    static constexpr R large = R(wide ? 0x1p1021 : 0x1p125);     // four times this overflows
    static constexpr R small = R(wide ? 0x1p-1021 : 0x1p-125);   // next to the subnormals
    static constexpr R scale = R(wide ? 0x1p54 : 0x1p24);        // a power of 4 that makes subnormals normal
    static constexpr R max_precise = R(wide ? 0x1p54 : 0x1p25);  // adding 1 to more changes nothing
};

// swapped: i times the conjugate; sin(z) is swapped(sinh(swapped(z))), and so for the other functions of an angle.
template <class R>
SINTER_BOTH complex<R> swapped(const complex<R> z) {
    return complex<R>(z.im, z.re);
}

// conj: the conjugate.
template <class R>
SINTER_BOTH complex<R> conj(const complex<R> z) {
    return complex<R>(z.re, -z.im);
}

// abs: the modulus.
template <class R>
SINTER_BOTH R abs(const complex<R> z) {
    return hypot(z.re, z.im);
}

// exp_times: e^x (c + i s), where e^x alone may overflow.
template <class R>
SINTER_BOTH complex<R> exp_times(const R x, const R c, const R s) {
    if (x <= number_limits<R>::exp_most || isinf(x)) {
        const R e = exp(x);
        return complex<R>(e * c, e * s);
    }
    const R e = exp(x / 2);
    return complex<R>(e * c * e, e * s * e);
}

// exp: e^z.
template <class R>
SINTER_BOTH complex<R> exp(const complex<R> z) {
    if (z.im == 0) return complex<R>(exp(z.re), z.im);
    if (!isfinite(z.im)) {
        if (isinf(z.re)) return z.re < 0 ? complex<R>(R(0), copysign(R(0), z.im)) : complex<R>(z.re, z.im - z.im);
        return complex<R>(z.im - z.im, z.im - z.im);
    }
    return exp_times(z.re, cos(z.im), sin(z.im));
}

// log_abs: log |z|, accurate also where |z| is about 1.
template <class R>
SINTER_BOTH R log_abs(const complex<R> z) {
    const R re = fabs(z.re), im = fabs(z.im);
    const R x = re > im ? re : im, y = re > im ? im : re;
    if (x > R(0.5) && x < R(2) && y < R(2)) {
        // x^2 - 1 and x^2 + y^2 - 1 by fused multiply-adds, and the rounding errors of each
        const R first = fma(x, x, R(-1)), beyond = 1 + first, lost = fma(x, x, -beyond) - (first - (beyond - 1));
        const R both = fma(y, y, first), rest = first - both, lost_too = fma(y, y, rest) + (first - rest - both);
        return log1p(both + (lost + lost_too)) / 2;
    }
    if (x > number_limits<R>::large) return log(hypot(x / 2, y / 2)) + R(0.6931471805599453);
    if (x < number_limits<R>::small && x > 0)
        return log(hypot(x * number_limits<R>::scale, y * number_limits<R>::scale)) - log(number_limits<R>::scale);
    return log(hypot(x, y));
}

// log: the principal logarithm, cut along the negative axis.
template <class R>
SINTER_BOTH complex<R> log(const complex<R> z) {
    return complex<R>(log_abs(z), atan2(z.im, z.re));
}

// log2: log(z) / log(2).
template <class R>
SINTER_BOTH complex<R> log2(const complex<R> z) {
    return complex<R>(log_abs(z) * R(1.4426950408889634), atan2(z.im, z.re) * R(1.4426950408889634));
}

// log10: log(z) / log(10).
template <class R>
SINTER_BOTH complex<R> log10(const complex<R> z) {
    return complex<R>(log_abs(z) * R(0.4342944819032518), atan2(z.im, z.re) * R(0.4342944819032518));
}

// sqrt: the principal root, cut along the negative axis.
template <class R>
SINTER_BOTH complex<R> sqrt(const complex<R> z) {
    if (z.re == 0 && z.im == 0) return complex<R>(R(0), z.im);
    if (isinf(z.im)) return complex<R>(fabs(z.im), z.im);
    if (isnan(z.re)) return complex<R>(z.re, z.re);
    if (isinf(z.re)) {
        const R none = z.im - z.im;  // 0, or NaN for NaN
        return z.re > 0 ? complex<R>(z.re, copysign(none, z.im)) : complex<R>(fabs(none), copysign(z.re, z.im));
    }
    R x = fabs(z.re), y = fabs(z.im), scale = R(1);
    if (x > number_limits<R>::large || y > number_limits<R>::large) {
        x /= 4, y /= 4;
        scale = R(2);
    } else if (x < number_limits<R>::small && y < number_limits<R>::small) {
        x *= number_limits<R>::scale, y *= number_limits<R>::scale;
        scale = 1 / sqrt(number_limits<R>::scale);
    }
    const R longer = sqrt((x + hypot(x, y)) / 2), shorter = y / (2 * longer) * scale;
    return z.re >= 0 ? complex<R>(longer * scale, copysign(shorter, z.im))
                     : complex<R>(shorter, copysign(longer * scale, z.im));
}

// rsqrt: 1 over the principal root.
template <class R>
SINTER_BOTH complex<R> rsqrt(const complex<R> z) {
    return complex<R>(R(1)) / sqrt(z);
}

// sinh: the hyperbolic sine.
template <class R>
SINTER_BOTH complex<R> sinh(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return complex<R>(sinh(x), y);
    if (!isfinite(y)) return complex<R>(x == 0 || isinf(x) ? x : y - y, y - y);
    if (fabs(x) > number_limits<R>::exp_most) {
        const complex<R> half = exp_times(fabs(x), cos(y) / 2, sin(y) / 2);
        return complex<R>(copysign(R(1), x) * half.re, half.im);
    }
    return complex<R>(sinh(x) * cos(y), cosh(x) * sin(y));
}

// cosh: the hyperbolic cosine.
template <class R>
SINTER_BOTH complex<R> cosh(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return complex<R>(cosh(x), copysign(R(1), x) * y);
    if (!isfinite(y)) return complex<R>(isinf(x) ? fabs(x) : y - y, x == 0 ? x : y - y);
    if (fabs(x) > number_limits<R>::exp_most) {
        const complex<R> half = exp_times(fabs(x), cos(y) / 2, sin(y) / 2);
        return complex<R>(half.re, copysign(R(1), x) * half.im);
    }
    return complex<R>(cosh(x) * cos(y), sinh(x) * sin(y));
}

// tanh: the hyperbolic tangent, by Kahan's formula.
template <class R>
SINTER_BOTH complex<R> tanh(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (fabs(x) > number_limits<R>::tanh_most && (isinf(x) || isfinite(y))) {
        const R e = exp(-fabs(x));
        const R im = isfinite(y) ? 4 * sin(y) * cos(y) * e * e : y;
        return complex<R>(copysign(R(1), x), isinf(x) ? copysign(R(0), im) : im);
    }
    if (isnan(x)) return complex<R>(x, y == 0 ? y : x);
    if (!isfinite(y)) return complex<R>(x == 0 ? x : y - y, y - y);
    const R t = tan(y), s = sinh(x), beta = 1 + t * t, below = 1 + beta * s * s;
    return complex<R>(beta * sqrt(1 + s * s) * s / below, t / below);
}

// sin: the sine.
template <class R>
SINTER_BOTH complex<R> sin(const complex<R> z) {
    return swapped(sinh(swapped(z)));
}

// cos: the cosine.
template <class R>
SINTER_BOTH complex<R> cos(const complex<R> z) {
    return cosh(complex<R>(-z.im, z.re));
}

// tan: the tangent.
template <class R>
SINTER_BOTH complex<R> tan(const complex<R> z) {
    return swapped(tanh(swapped(z)));
}

// is_huge: whether adding 1 to z changes nothing; true for infinities, whatever the other part is.
template <class R>
SINTER_BOTH bool is_huge(const complex<R> z) {
    return fabs(z.re) > number_limits<R>::max_precise || fabs(z.im) > number_limits<R>::max_precise;
}

// asin: the arc sine, cut along the real axis beyond -1 and 1.
template <class R>
SINTER_BOTH complex<R> asin(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (is_huge(z)) return complex<R>(atan2(x, fabs(y)), copysign(log_abs(z) + R(0.6931471805599453), y));
    if (isnan(y)) return complex<R>(x == 0 ? x : y, y);
    if (isnan(x)) return complex<R>(x, x);
    const complex<R> a = sqrt(complex<R>(1 - x, -y)), b = sqrt(complex<R>(1 + x, y));
    return complex<R>(atan2(x, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re));
}

// acos: the arc cosine, cut as asin is.
template <class R>
SINTER_BOTH complex<R> acos(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (is_huge(z)) return complex<R>(atan2(fabs(y), x), -copysign(log_abs(z) + R(0.6931471805599453), y));
    if (isnan(y)) return complex<R>(x == 0 ? R(1.5707963267948966) : y, y);
    if (isnan(x)) return complex<R>(x, x);
    const complex<R> a = sqrt(complex<R>(1 - x, -y)), b = sqrt(complex<R>(1 + x, y));
    return complex<R>(2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re));
}

// asinh: the inverse hyperbolic sine, cut along the imaginary axis beyond -i and i.
template <class R>
SINTER_BOTH complex<R> asinh(const complex<R> z) {
    return swapped(asin(swapped(z)));
}

// acosh: the inverse hyperbolic cosine, cut along the real axis below 1.
template <class R>
SINTER_BOTH complex<R> acosh(const complex<R> z) {
    const R x = z.re, y = z.im;
    if (is_huge(z)) return complex<R>(log_abs(z) + R(0.6931471805599453), atan2(y, x));
    if (isnan(x) || isnan(y)) return complex<R>(x + y, x == 0 ? R(1.5707963267948966) : x + y);
    const complex<R> a = sqrt(complex<R>(x - 1, y)), b = sqrt(complex<R>(x + 1, y));
    return complex<R>(asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re));
}

// atanh: the inverse hyperbolic tangent, cut along the real axis beyond -1 and 1.
template <class R>
SINTER_BOTH complex<R> atanh(const complex<R> z) {
    constexpr R quarter_turn = R(1.5707963267948966);
    const R x = fabs(z.re), y = fabs(z.im);
    if (isinf(x) || isinf(y)) return complex<R>(copysign(R(0), z.re), isnan(y) ? y : copysign(quarter_turn, z.im));
    if (isnan(x) || isnan(y)) return complex<R>(x == 0 ? z.re : x + y, x + y);
    R re, im;
    if (is_huge(z)) {
        const R longer = x > y ? x : y, shorter = x > y ? y : x, ratio = shorter / longer;
        re = x / longer / (1 + ratio * ratio) / longer;  // the real part of 1 / z
        im = quarter_turn;
    } else {
        re = x == 1 && y < 1 / number_limits<R>::max_precise ? (log(R(2)) - log(y)) / 2
                                                             : log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
        im = atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
    }
    return complex<R>(copysign(re, z.re), copysign(im, z.im));
}

// atan: the arc tangent, cut along the imaginary axis beyond -i and i.
template <class R>
SINTER_BOTH complex<R> atan(const complex<R> z) {
    return swapped(atanh(swapped(z)));
}

// pow: z^w: small integer powers by multiplication, 0^w as in NumPy, otherwise exp(w log z).
template <class R>
SINTER_BOTH complex<R> pow(const complex<R> z, const complex<R> w) {
    if (w == complex<R>(R(0))) return complex<R>(R(1));
    if (z == complex<R>(R(0))) {
        return w.re > 0 ? complex<R>(R(0)) : complex<R>(z.re / z.re, z.re / z.re);
    }
    if (w.im == 0 && w.re == rint(w.re) && fabs(w.re) < 100) {
        complex<R> power(R(1)), square = z;
        for (int n = static_cast<int>(fabs(w.re)); n > 0; n /= 2, square = square * square)
            if (n % 2 == 1) power = power * square;
        return w.re < 0 ? complex<R>(R(1)) / power : power;
    }
    return exp(w * log(z));
}
// </kernel text>

}  // namespace sinter::detail::number
