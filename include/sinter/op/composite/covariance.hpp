// Covariance and correlation of variables: cov, corrcoef.
#pragma once

#include <sinter/join.hpp>
#include <sinter/matmul.hpp>
#include <sinter/op/composite/statistics.hpp>
#include <sinter/reshape.hpp>

namespace sinter {

/// The covariance matrix of variables whose observations are the rows of a matrix: element (i, j) is for rows i and j,
/// divided by the number of observations minus ddof= (default 1). For a single vector it is the variance, of rank 0.
/// Use transpose(x) for variables in columns. Integers give the default float; for complex rows the second factor is
/// conjugated.
template <operand A, detail::option_among<detail::ddof_tag>... Options>
[[nodiscard]] auto cov(const A& x, const Options&... options) {
    const detail::called_as self(__func__);
    static_assert(A::rank == 1 || A::rank == 2, "sinter: cov takes a vector, or a matrix with one variable per row");
    static_assert((detail::is_option<Options, detail::ddof_tag> && ...),
                  "sinter: the only option of cov is ddof=: cov(x, ddof=0)");
    const auto v = detail::to_dtype<detail::floating_dtype<A>>(x);
    const auto less = static_cast<double>(detail::option_or<detail::ddof_tag>(1, options...));
    const auto n = static_cast<double>(x.shape().extent[A::rank - 1]);
    const auto off = v - mean(v, detail::static_axes<-1>{}, keepdims);
    const double degrees = n > less ? n - less : 0.0;
    if constexpr (A::rank == 1)
        return sum(abs2(off)) / degrees;
    else
        return matmul(off, conj(transpose(off))) / degrees;
}
/// For two vectors: their 2 x 2 covariance matrix.
template <operand A, operand B, detail::option_among<detail::ddof_tag>... Options>
[[nodiscard]] auto cov(const A& x, const B& y, const Options&... options) {
    const detail::called_as self(__func__);
    static_assert(A::rank == 1 && B::rank == 1, "sinter: cov of two operands takes two vectors");
    return cov(stack(x, y), options...);
}

/// The correlation coefficients of variables whose observations are the rows of a matrix: cov divided by the standard
/// deviations, clamped to [-1, 1]; NaN for a row without variance. Real.
template <operand A>
[[nodiscard]] auto corrcoef(const A& x) {
    const detail::called_as self(__func__);
    static_assert(A::rank == 2, "sinter: corrcoef takes a matrix with one variable per row, or two vectors");
    static_assert(!is_complex(A::type), "sinter: corrcoef takes real variables");
    const auto deviation = stddev(x, detail::static_axes<-1>{}, keepdims);
    return clip(cov(x, ddof=0) / deviation / transpose(deviation), -1, 1);
}
/// For two vectors: the matrix of their coefficients.
template <operand A, operand B>
[[nodiscard]] auto corrcoef(const A& x, const B& y) {
    const detail::called_as self(__func__);
    static_assert(A::rank == 1 && B::rank == 1, "sinter: corrcoef of two operands takes two vectors");
    return corrcoef(stack(x, y));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(cov, "cov(x, ddof=1) or cov(x, y)")
SINTER_DETAIL_USAGE(corrcoef, "corrcoef(x) or corrcoef(x, y)")

}  // namespace sinter
