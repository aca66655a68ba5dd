// Accumulator of count, mean and variance for reductions on the host and in kernels: one pass, without the cancellation
// of the sum of squares minus the squared sum.
//
// The mean is represented by an origin (the first element) and the mean distance from it: elements of 10^8 plus noise
// have exact distances, whereas a mean stored as one number would lose the noise. One element is added after Welford,
// "Note on a method for calculating corrected sums of squares and products" (Technometrics 4, 1962); two accumulators
// are merged after Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
// (Stanford, STAN-CS-79-773, 1979).
#pragma once

#include <sinter/number/both.hpp>

#include <cstddef>
#include <type_traits>

namespace sinter::detail::number {

// <kernel text>

// inverse_of_count: 1 / n for n >= 1. On a device it is within two roundings and takes fewer instructions than a
// division; it scales a correction, whose last digits do not matter.
template <class R>
SINTER_BOTH R inverse_of_count(const R n) {
#if __CUDA_ARCH__
    R inverse;
    if constexpr (sizeof(R) == 4) {
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(n));
        return inverse;
    } else {
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(n));  // 20 bits; one third-order step gives 60
        const R error = fma(-n, inverse, R(1));
        return fma(fma(error, error, error), inverse, inverse);
    }
#else
    return R(1) / n;
#endif
}

// moments: the mean is origin + offset; squares is the sum of the squared distances from it, NaN where an element is
// infinite. T() is no element.
template <class R>
struct SINTER_ALIGNED(16) moments {
    R origin, offset, squares, count;
    moments() = default;
    SINTER_BOTH moments(const R x) : origin(x), offset(0), squares(x - x), count(1) {}
    SINTER_BOTH moments(const R first, const R mean, const R sum, const R n)
        : origin(first), offset(mean), squares(sum), count(n) {}
    SINTER_BOTH moments(const bool chosen, const moments x)
        : origin(chosen ? x.origin : R(0)),
          offset(chosen ? x.offset : R(0)),
          squares(chosen ? x.squares : R(0)),
          count(chosen ? x.count : R(0)) {}
};

// __shfl_xor_sync: CUDA has no overload for moments; the parts are exchanged one by one.
template <class R>
SINTER_BOTH moments<R> __shfl_xor_sync(const unsigned mask, const moments<R> x, const int offset) {
    return moments<R>(__shfl_xor_sync(mask, x.origin, offset), __shfl_xor_sync(mask, x.offset, offset),
                      __shfl_xor_sync(mask, x.squares, offset), __shfl_xor_sync(mask, x.count, offset));
}

// merged: the moments with one more element.
template <class R>
SINTER_BOTH moments<R> merged(const moments<R> x, const R y) {
    const R origin = x.count == 0 ? y : x.origin, count = x.count + 1;
    const R distance = y - origin, off = distance - x.offset;
    const R offset = x.offset + off * inverse_of_count(count);
    return moments<R>(origin, offset, x.squares + off * (distance - offset), count);
}

// merged: the moments of the elements of both. Either may have none.
template <class R>
SINTER_BOTH moments<R> merged(const moments<R> x, const moments<R> y) {
    const R origin = x.count == 0 ? y.origin : x.origin, count = x.count + y.count;
    const R apart = (y.origin - origin) + (y.offset - x.offset);
    const R moved = apart * (y.count * inverse_of_count(count > 1 ? count : R(1)));
    return moments<R>(origin, x.offset + moved, x.squares + y.squares + moved * x.count * apart, count);
}

// mean_of: the mean; NaN for no elements.
template <class R>
SINTER_BOTH R mean_of(const moments<R> x) {
    return x.count > 0 ? x.origin + x.offset : x.count / x.count;
}
// </kernel text>

/// The moments of elements that are in the cache. Reading these twice is faster than adding them one by one. The number
/// of partial sums fills the vector registers, whatever their width.
template <class M, class R>
    requires(std::is_same_v<M, moments<R>>)
[[gnu::always_inline]] inline M folded(const R* x, std::size_t n) {
    constexpr std::size_t lanes = 128 / sizeof(R);
    if (n == 0) return moments<R>();
    const R origin = x[0], count = static_cast<R>(n);
    const std::size_t whole = n / lanes * lanes;
    R sum[lanes] = {}, squares[lanes] = {};
    for (std::size_t k = 0; k < whole; k += lanes)
        for (std::size_t j = 0; j < lanes; ++j) sum[j] += x[k + j] - origin;
    for (std::size_t k = whole; k < n; ++k) sum[k - whole] += x[k] - origin;
    for (std::size_t j = 1; j < lanes; ++j) sum[0] += sum[j];
    const R offset = sum[0] / count;
    const auto square = [=](R y) __attribute__((always_inline)) {
        const R off = (y - origin) - offset;
        return off * off;
    };
    for (std::size_t k = 0; k < whole; k += lanes)
        for (std::size_t j = 0; j < lanes; ++j) squares[j] += square(x[k + j]);
    for (std::size_t k = whole; k < n; ++k) squares[k - whole] += square(x[k]);
    for (std::size_t j = 1; j < lanes; ++j) squares[0] += squares[j];
    return moments<R>(origin, offset, squares[0], count);
}

}  // namespace sinter::detail::number
