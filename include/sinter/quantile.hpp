// Medians and quantiles: elements by rank, with interpolation.
//
//     array<double, 1> m = median(x, axis=1);
//     array<double, 0> p = quantile(x, 0.95);
#pragma once

#include <sinter/op/composite/statistics.hpp>
#include <sinter/sort.hpp>

#include <cmath>

namespace sinter {

/// How a quantile interpolates between elements: NumPy's methods of these names (R. Hyndman and Y. Fan, "Sample
/// Quantiles in Statistical Packages", The American Statistician 50, 1996).
enum class quantile_method {
    linear,
    lower,
    higher,
    nearest,
    midpoint,
    inverted_cdf,
    averaged_inverted_cdf,
    closest_observation,
    interpolated_inverted_cdf,
    hazen,
    weibull,
    median_unbiased,
    normal_unbiased
};

namespace detail {

[[noreturn]] void throw_bad_quantile(const char* function, double q, double most);

/// A function's q, from 0 to `most`, as a quantile in [0, 1].
inline double checked_quantile(const char* function, double q, double most = 1) {
    if (!(q >= 0 && q <= most)) throw_bad_quantile(function, q, most);
    return q / most;
}

/// A quantile of sorted elements: interpolates from element `from` towards element `to` by the fraction `part`.
struct quantile_position {
    std::int64_t from, to;
    double part;
};

/// The position of quantile q in [0, 1] among `n` elements, n >= 1.
inline quantile_position position_of_quantile(std::int64_t n, double q, quantile_method method) {
    const auto count = static_cast<double>(n);
    const auto parameters = [&](double alpha, double beta) { return count * q + alpha + q * (1 - alpha - beta) - 1; };
    double at = (count - 1) * q;
    switch (method) {
        case quantile_method::lower: at = std::floor(at); break;
        case quantile_method::higher: at = std::ceil(at); break;
        case quantile_method::nearest: at = std::nearbyint(at); break;
        case quantile_method::midpoint: at = (std::floor(at) + std::ceil(at)) / 2; break;
        case quantile_method::inverted_cdf: at = std::ceil(count * q) - 1; break;
        case quantile_method::averaged_inverted_cdf:
            at = count * q == std::floor(count * q) ? count * q - 0.5 : std::ceil(count * q) - 1;
            break;
        case quantile_method::closest_observation: {
            // the element nearest to n q, counted from 1; halfway between two the even one
            const double before = std::floor(count * q - 1.5);
            at = before == count * q - 1.5 && std::fmod(before, 2) == 0 ? before : before + 1;
            break;
        }
        case quantile_method::interpolated_inverted_cdf: at = count * q - 1; break;
        case quantile_method::hazen: at = parameters(0.5, 0.5); break;
        case quantile_method::weibull: at = parameters(0, 0); break;
        case quantile_method::median_unbiased: at = parameters(1. / 3, 1. / 3); break;
        case quantile_method::normal_unbiased: at = parameters(3. / 8, 3. / 8); break;
        case quantile_method::linear: break;
    }
    at = at < 0 ? 0 : at > count - 1 ? count - 1 : at;
    const auto below = static_cast<std::int64_t>(at);
    const double part = at - static_cast<double>(below);
    const std::int64_t above = part == 0 ? below : below + 1;  // an infinite neighbour times 0 would be NaN
    // interpolate from the nearer element, so that both ends are exact
    return part < 0.5 ? quantile_position{below, above, part} : quantile_position{above, below, 1 - part};
}

/// The operand with the reduced axes merged into one last axis.
template <class A, class... Options>
auto with_axes_joined(const char* name, const A& a, const Options&... options) {
    constexpr int rank = A::rank;
    using set = axes_of<std::remove_const_t<decltype(find_axes(options...))>, rank>;
    const std::uint32_t mask = mask_of<rank>(name, options...);
    const auto extents = a.shape();
    if (reduced_size(extents, mask) == 0) throw_empty_reduction(name, extents.extent, rank);
    if constexpr (set::count == rank) {
        return reshape(a, shape<1>(extents.size()));
    } else if constexpr (set::count == 1) {
        return moveaxis(a, __builtin_ctz(mask), -1);
    } else {
        int to[rank];
        int kept = 0, folded = rank - set::count;
        shape<rank - set::count + 1> joined;
        joined.extent[rank - set::count] = reduced_size(extents, mask);
        for (int axis = 0; axis < rank; ++axis) {
            const bool folds = mask >> axis & 1;
            if (!folds) joined.extent[kept] = extents.extent[axis];
            to[axis] = folds ? folded++ : kept++;
        }
        return reshape(spread<rank>(a, to), joined);
    }
}

/// Restores the reduced axes with extent 1 if the options contain keepdims.
template <int Rank, class E, class... Options>
auto with_axes_kept(const char* name, E&& e, const Options&... options) {
    if constexpr (!keeps_dims<Options...>) {
        return std::forward<E>(e);
    } else {
        const std::uint32_t mask = mask_of<Rank>(name, options...);
        shape<Rank> kept;
        for (int axis = 0, own = 0; axis < Rank; ++axis)
            kept.extent[axis] = mask >> axis & 1 ? 1 : e.shape().extent[own++];
        return reshape(std::forward<E>(e), kept);
    }
}

/// Linear interpolation by the fraction `part`, above 0 and below 1 or between equal elements. Equal elements,
/// including infinities, give themselves; between a finite and an infinite one all is infinite.
template <class X, class Y, class P>
auto between(const X& from, const Y& to, const P& part) {
    return where(from == to, from,
                 where(isfinite(to - from), from + (to - from) * part, from * (1 - part) + to * part));
}

template <class A, class... Options>
auto quantile_of(const char* name, const A& a, double q, quantile_method method, const Options&... options) {
    constexpr dtype type = floating_dtype<A>;
    static_assert(!is_complex(type), "sinter: quantiles are of real numbers: complex numbers have no order");
    const auto joined = with_axes_joined(name, to_dtype<type>(a), options...);
    const std::int64_t n = joined.shape().extent[std::remove_cvref_t<decltype(joined)>::rank - 1];
    const quantile_position place = position_of_quantile(n, q, method);
    constexpr int last = std::remove_cvref_t<decltype(joined)>::rank - 1;
    const std::int64_t first = place.from < place.to ? place.from : place.to;
    const std::int64_t second = place.from < place.to ? place.to : place.from;
    auto found = let(selected<0, type>(joined, false, first, second - first + 1, true), [&](const auto& s) {
        return between(element_along(s, last, place.from - first), element_along(s, last, place.to - first),
                       place.part);
    });
    return with_axes_kept<A::rank>(name, std::move(found), options...);
}

template <class A, class... Options>
auto nanquantile_of(const char* name, const A& a, double q, const Options&... options) {
    constexpr dtype type = floating_dtype<A>;
    static_assert(!is_complex(type), "sinter: quantiles are of real numbers: complex numbers have no order");
    const auto joined = with_axes_joined(name, to_dtype<type>(a), options...);
    constexpr int last = std::remove_cvref_t<decltype(joined)>::rank - 1;
    const auto numbers = sum(!isnan(joined), axis=-1, keepdims);
    auto found = let(maximum(numbers - 1, 0), [&](const auto& highest) {
        return let(sort(joined), [&](const auto& s) {
            const auto at = astype<double>(highest) * q;
            const auto below = floor(at);
            const auto from = astype<std::int64_t>(below);
            const auto to = astype<std::int64_t>(ceil(at));
            return element_along(between(along(s, last, 1, expr_of<decltype(from)>(from)),
                                         along(s, last, 1, expr_of<decltype(to)>(to)), to_dtype<type>(at - below)),
                                 last, 0);
        });
    });
    return with_axes_kept<A::rank>(name, std::move(found), options...);
}

}  // namespace detail

/// The quantile q in [0, 1] of the elements along axes (default: all), by NumPy's linear method. NaN if any element is
/// NaN. Floating; integers and bool give the default float. Throws for no elements and for q outside [0, 1]. The two
/// neighbouring elements are found by a separate selection step, without a full sort. Options: axis=, keepdims.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto quantile(const A& a, double q, const Options&... options) {
    return detail::quantile_of("quantile", a, detail::checked_quantile("quantile", q), quantile_method::linear,
                               options...);
}
/// As above with another method: quantile(x, 0.9, quantile_method::hazen, axis=0).
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto quantile(const A& a, double q, quantile_method method, const Options&... options) {
    return detail::quantile_of("quantile", a, detail::checked_quantile("quantile", q), method, options...);
}

/// quantile(a, p / 100).
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto percentile(const A& a, double p, const Options&... options) {
    return detail::quantile_of("percentile", a, detail::checked_quantile("percentile", p, 100), quantile_method::linear,
                               options...);
}
/// As above with another method.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto percentile(const A& a, double p, quantile_method method, const Options&... options) {
    return detail::quantile_of("percentile", a, detail::checked_quantile("percentile", p, 100), method, options...);
}

/// The median along axes (default: all): the middle element, or the mean of the two middle ones. NaN if any element is
/// NaN. Dtype, errors and options as quantile.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto median(const A& a, const Options&... options) {
    return detail::quantile_of("median", a, 0.5, quantile_method::linear, options...);
}

/// The quantile of the non-NaN elements, by the linear method; NaN if all are NaN.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto nanquantile(const A& a, double q, const Options&... options) {
    return detail::nanquantile_of("nanquantile", a, detail::checked_quantile("nanquantile", q), options...);
}
template <operand A, class... Wrong>
auto nanquantile(const A& a, double, quantile_method, const Wrong&...) {
    static_assert(detail::never<A>,
                  "sinter: nanquantile is linear and takes no method; quantile takes one: "
                  "quantile(array(x(!isnan(x))), 0.9, quantile_method::hazen)");
    return detail::expr_of<const A&>(detail::as_expr(a));
}

/// The median of the non-NaN elements; NaN if all are NaN.
template <operand A, detail::option_among<>... Options>
[[nodiscard]] auto nanmedian(const A& a, const Options&... options) {
    return detail::nanquantile_of("nanmedian", a, 0.5, options...);
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(quantile, "quantile(x, 0.95, axis=1, keepdims)")
SINTER_DETAIL_USAGE(percentile, "percentile(x, 95, axis=1, keepdims)")
SINTER_DETAIL_USAGE(median, "median(x, axis=1, keepdims)")
SINTER_DETAIL_USAGE(nanquantile, "nanquantile(x, 0.95, axis=1, keepdims)")
SINTER_DETAIL_USAGE(nanmedian, "nanmedian(x, axis=1, keepdims)")

}  // namespace sinter
