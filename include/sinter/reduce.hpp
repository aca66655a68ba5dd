// Reductions of the op table as expressions: options, result shape, accumulator dtype.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/expr.hpp>

namespace sinter::detail {

[[noreturn]] void throw_empty_reduction(const char* op, const std::int64_t* extents, int rank);

/// The reduced axes of an operand of rank `Rank` as a mask.
template <int Rank, class... Options>
constexpr std::uint32_t mask_of(const char* op, const Options&... options) {
    const auto axes = find_axes(options...);
    using set = axes_of<std::remove_const_t<decltype(axes)>, Rank>;
    if constexpr (set::known)
        return set::mask;
    else
        return axis_mask(op, axes, Rank);
}

/// The number of elements that fold into each element of the result.
template <int Rank>
constexpr std::int64_t reduced_size(const shape<Rank>& s, std::uint32_t mask) {
    std::int64_t n = 1;
    for (int a = 0; a < Rank; ++a)
        if (mask >> a & 1) n *= s.extent[a];
    return n;
}

/// The shape that a reduction leaves.
template <int To, int From>
constexpr void reduce_shape(shape<To>& to, const shape<From>& from, std::uint32_t mask, bool keep) {
    int kept = 0;
    for (int i = 0; i < From; ++i) {
        if (!(mask >> i & 1))
            to.extent[kept++] = from.extent[i];
        else if (keep)
            to.extent[kept++] = 1;
    }
}

/// The reduction `Op` of an operand over the axes among `options`.
template <class Op, class A, class... Options>
auto reduce(A&& a, const Options&... options) {
    constexpr dtype accumulator = compute_dtype(Op::row.rule, info_of<A>());
    check_complex<Op, accumulator>();
    constexpr bool keep = (std::is_same_v<Options, keepdims_t> || ...);
    auto&& operand = to_dtype<accumulator>(std::forward<A>(a));
    using in = std::remove_cvref_t<decltype(operand)>;
    using set = axes_of<decltype(find_axes(options...)), in::rank>;

    expr<tree::fold<Op, typename in::tree_type, set::known, set::mask, set::count, keep>> reduced;
    const std::uint32_t mask = mask_of<in::rank>(Op::row.name, options...);
    reduce_shape(reduced.shape_, operand.shape_, mask, keep);
    if (!Op::row.has_identity && reduced_size(operand.shape_, mask) == 0 && reduced.shape_.size() != 0)
        throw_empty_reduction(Op::row.name, operand.shape_.extent, in::rank);

    tree::counts at{};
    reduced.append(at, std::forward<decltype(operand)>(operand));
    if constexpr (!set::known) reduced.integers_.item[at.integers] = mask;
    return reduced;
}

/// A reduction row as a function object: sum(a), sum(a, axis=1), sum(a, axis={0, 2}, keepdims). An object rather than a
/// function, so that `all` can also be an index: x(all, 0).
template <class Op>
struct reduction {
    template <operand A, reduction_option... Options>
    [[nodiscard]] auto operator()(A&& a, const Options&... options) const {
        return reduce<Op>(std::forward<A>(a), options...);
    }
};

}  // namespace sinter::detail
