// Convolution and correlation in one to three dimensions, as sums over windows, which fuse like other reductions.
#pragma once

#include <sinter/join.hpp>
#include <sinter/sliding_window.hpp>

namespace sinter {
namespace detail {

enum class overlap { full, same, valid };
template <overlap Mode>
struct overlap_t {};

[[noreturn]] void throw_bad_filter(const char* function, const std::int64_t* filter, int filter_rank,
                                   const std::int64_t* operand, int rank);

/// All axes of a filter, as the last axes of the windows that it multiplies.
template <int... I>
constexpr auto last_axes(std::integer_sequence<int, I...>) {
    return static_axes<(-1 - I)...>{};
}

/// The operand padded with zeros along its last axes, as the mode requires.
template <overlap Mode, int Filter, class E>
auto with_margins(const E& e, const shape<Filter>& filter) {
    if constexpr (Mode == overlap::valid) {
        return e;
    } else {
        any_integer widths[E::rank][2] = {};
        for (int i = 0; i < Filter; ++i) {
            const std::int64_t extent = filter.extent[i];
            any_integer(&width)[2] = widths[E::rank - Filter + i];
            width[0] = Mode == overlap::full ? extent - 1 : extent / 2;
            width[1] = extent - 1 - (Mode == overlap::full ? 0 : extent / 2);
        }
        return pad(e, widths);
    }
}

/// The sums of products of a filter with the windows over the operand's last axes.
template <overlap Mode, class A, class F>
auto filtered(const char* function, const A& a, const F& filter) {
    static_assert(
        F::rank >= 1 && F::rank <= 3 && F::rank <= A::rank,
        "sinter: a filter has one to three axes, and no more than the operand, to whose last axes it is applied");
    constexpr operand_info operands[] = {info_of<A>(), info_of<F>()};
    constexpr dtype type = common_dtype(operands, 0);
    static_assert(type != dtype::bool_, "sinter: a convolution takes no bools: convert them with astype<int>(p)");
    const shape<F::rank> extents = filter.shape();
    const shape<A::rank> of = a.shape();
    std::int64_t sizes[F::rank];
    int axes[F::rank];
    for (int i = 0; i < F::rank; ++i) {
        sizes[i] = extents.extent[i];
        axes[i] = A::rank - F::rank + i;
        const bool fits = Mode != overlap::valid || sizes[i] <= of.extent[axes[i]];
        if (sizes[i] < 1 || of.extent[axes[i]] < 1 || !fits)
            throw_bad_filter(function, extents.extent, F::rank, of.extent, A::rank);
    }
    auto windows = windows_from<0>(sizes, axes, with_margins<Mode>(to_dtype<type>(a), extents));
    return to_dtype<type>(
        sum(std::move(windows) * to_dtype<type>(filter), last_axes(std::make_integer_sequence<int, F::rank>())));
}

}  // namespace detail

/// How far a convolution's filter may extend beyond the operand.
namespace overlap {
inline constexpr detail::overlap_t<detail::overlap::full> full{};    ///< wherever they overlap: longer results
inline constexpr detail::overlap_t<detail::overlap::same> same{};    ///< the centre: results of the operand's extents
inline constexpr detail::overlap_t<detail::overlap::valid> valid{};  ///< not at all: shorter results
}  // namespace overlap

/// The convolution of an operand with a filter of one to three axes, which run along the operand's last axes; the axes
/// before them are batches. The mode is overlap::full (the default), overlap::same (the operand's extents) or
/// overlap::valid. Zeros surround the operand; for other margins use pad(x, widths, pad_mode::reflect) and
/// overlap::valid. The dtype is the common one; storage types are summed in float32. Each result takes one step per
/// filter element. Throws if the filter or the operand has no elements, or overlap::valid has no result.
template <operand A, operand F, detail::overlap Mode = detail::overlap::full>
[[nodiscard]] auto convolve(const A& a, const F& filter, detail::overlap_t<Mode> = {}) {
    return detail::filtered<Mode>("convolve", a, flip(filter));
}

/// The correlation of an operand with a filter: the sums of products of the filter (conjugated if complex) with each
/// window of the operand. Unlike in convolve, the filter is not reversed. The default is overlap::valid.
template <operand A, operand F, detail::overlap Mode = detail::overlap::valid>
[[nodiscard]] auto correlate(const A& a, const F& filter, detail::overlap_t<Mode> = {}) {
    return detail::filtered<Mode>("correlate", a, conj(filter));
}

// what the compiler says where a call matches none of these
SINTER_DETAIL_USAGE(convolve, "convolve(x, filter, overlap::same)")
SINTER_DETAIL_USAGE(correlate, "correlate(x, filter, overlap::same)")

}  // namespace sinter
