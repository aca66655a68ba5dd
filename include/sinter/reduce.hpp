// Reductions of the op table as expressions: options, result shape, accumulator dtype.
#pragma once

#include <sinter/options.hpp>

namespace sinter::op {
struct where;  // the row of that name
}

namespace sinter::detail {

[[noreturn]] void throw_empty_reduction(const char* op, const std::int64_t* extents, int rank);

/// The reduced axes of an operand of rank `Rank`, as a mask.
template <int Rank, class... Options>
constexpr std::uint32_t mask_of(const char* op, const Options&... options) {
    const auto axes = find_axes(options...);
    using set = axes_of<std::remove_const_t<decltype(axes)>, Rank>;
    if constexpr (set::known)
        return set::mask;
    else
        return axis_mask(op, axes, Rank);
}

/// The number of elements reduced into each result element.
template <int Rank>
constexpr std::int64_t reduced_size(const shape<Rank>& s, std::uint32_t mask) {
    shape<Rank> folded;
    for (int a = 0; a < Rank; ++a) folded.extent[a] = mask >> a & 1 ? s.extent[a] : 1;
    return folded.size();
}

/// The result shape of a reduction.
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

/// Reduces an operand of accumulator dtype over axes with `Op`. `any_number` allows zero elements.
template <class Op, bool Keep, class In, class Axes>
auto fold_over(In&& operand, const Axes& axes, bool any_number) {
    using in = std::remove_cvref_t<In>;
    using set = axes_of<Axes, in::rank>;
    expr<tree::fold<Op, typename in::tree_type, set::known, set::mask, set::count, Keep>> reduced;
    const std::uint32_t mask = mask_of<in::rank>(Op::row.name, axes);
    reduce_shape(reduced.shape_, operand.shape_, mask, Keep);
    if (!any_number && reduced_size(operand.shape_, mask) == 0 && reduced.shape_.size() != 0)
        throw_empty_reduction(Op::row.name, operand.shape_.extent, in::rank);

    tree::counts at{};
    reduced.append(at, std::forward<In>(operand));
    if constexpr (!set::known) reduced.integers_.item[at.integers] = mask;
    return reduced;
}

/// Reduces an operand over the axes among `options`. A mask replaces excluded elements by the row's identity; an
/// initial value is combined with the result by the row.
template <class Op, class A, class... Options>
auto reduce(A&& a, const Options&... options) {
    constexpr dtype accumulator = compute_dtype(Op::row.rule, info_of<A>());
    check_kind<Op, accumulator>();
    constexpr bool starts = has_option<initial_tag, Options...>, masked = has_option<where_tag, Options...>;
    static_assert(!masked || starts || Op::row.has_identity,
                  "sinter: this reduction has no value for no elements: where= needs initial= as well");
    const auto finished = [&](auto&& operand) {
        const auto over = find_axes(options...);
        return fold_over<Op, keeps_dims<Options...>>(std::forward<decltype(operand)>(operand), over,
                                                     starts || Op::row.has_identity);
    };
    const auto folded = [&]() {
        if constexpr (masked) {
            const auto& mask = option_or<where_tag>(absent, options...);
            auto&& operand = to_dtype<accumulator>(std::forward<A>(a));
            check_mask(Op::row.name, mask, operand.shape_);
            const auto identity = to_dtype<accumulator>(Op::start::template value<element_t<computed_in(accumulator)>>);
            return finished(join<op::where, accumulator>(mask, std::forward<decltype(operand)>(operand), identity));
        } else {
            return finished(to_dtype<accumulator>(std::forward<A>(a)));
        }
    };
    if constexpr (starts) {
        const auto& from = option_or<initial_tag>(absent, options...);
        static_assert(assignable(accumulator, scalar_dtype<decltype(from)>),
                      "sinter: initial= has a higher kind than the result; convert the operand with astype<T>(...)");
        return join<Op, accumulator>(to_dtype<accumulator>(from, Op::row.name), folded());
    } else {
        return folded();
    }
}

/// A reduction row as a function object: sum(a), sum(a, axis=1), sum(a, axis={0, 2}, keepdims). It is an object, so
/// that `all` can also be an index: x(all, 0).
template <class Op>
struct reduction {
    template <operand A, reduction_option... Options>
    [[nodiscard]] auto operator()(A&& a, const Options&... options) const {
        return reduce<Op>(std::forward<A>(a), options...);
    }
    /// For x(mask): where=mask.
    template <class A, class... Options>
        requires(std::remove_cvref_t<A>::is_chosen)
    [[nodiscard]] auto operator()(const A& a, const Options&... options) const {
        return a.reduced(*this, options...);
    }
    template <class... A>
    nothing operator()(const A&...) const {
        static_assert(never<A...>,
                      "sinter: a reduction takes one array or expression, then axis=... and keepdims by name: sum(x, "
                      "axis=1, keepdims); from_host(v) makes an array from a container");
        return {};
    }
    template <class... None>
    nothing operator()(const braces&, const braces::value& = {}) const {
        return (*this)(nothing());
    }
    template <class... None, int R>
    nothing operator()(const no_container<R>&, const braces&) const {
        return (*this)(nothing());
    }
};

/// The selection function where(mask, a, b); as an option, where=mask restricts a reduction.
template <class Op>
struct choice {
    template <class A, class B, class C>
        requires(operand<A> || operand<B> || operand<C>)
    [[nodiscard]] auto operator()(A&& a, B&& b, C&& c) const {
        return apply<Op>(std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
    }
    /// For C++ scalars: where(more, 1.0, 2.0) is a scalar.
    template <scalar A, scalar B, scalar C>
    [[nodiscard]] constexpr auto operator()(const A& a, const B& b, const C& c) const {
        constexpr operand_info operands[] = {info_of<A>(), info_of<B>(), info_of<C>()};
        constexpr dtype type = compute_dtype(Op::row.rule, operands);
        using T = element_t<type>;
        return scalar_value<dtype::bool_>(number_of_scalar(a))
                   ? static_cast<T>(scalar_value<type>(number_of_scalar(b)))
                   : static_cast<T>(scalar_value<type>(number_of_scalar(c)));
    }
    template <class... A>
    nothing operator()(const A&...) const {
        static_assert(
            never<A...>,
            "sinter: where takes a condition and two choices, arrays, expressions and numbers: where(x > 0, x, "
            "0); array{1, 2} makes an array from values");
        return {};
    }
    template <class... None>
    nothing operator()(const braces&, const braces::value& = {}, const braces::value& = {}) const {
        return (*this)(nothing());
    }
    template <class... None, int R>
    nothing operator()(const no_container<R>&, const braces&, const braces::value& = {}) const {
        return (*this)(nothing());
    }
    template <class... None, int R, class V>
    nothing operator()(const no_container<R>&, const V&, const braces&) const {
        return (*this)(nothing());
    }
    template <operand Mask>
    auto operator=(Mask&& mask) const {
        return option<where_tag, expr_of<Mask>>{expr_of<Mask>(as_expr(std::forward<Mask>(mask)))};
    }
    choice& operator=(const choice&) = delete;
};

}  // namespace sinter::detail
