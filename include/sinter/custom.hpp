// Functions given as source strings at run time. On devices that compile kernels they fuse like built-in ones; the host
// cannot compile strings and throws.
//
//     array<float, 1> r = custom<float>("x * x + y", a, b) - 1;
//     array<float, 1> m = custom_reduce<float>("x > y ? x : y", "T(0)", a, axis=1);
#pragma once

#include <sinter/reduce.hpp>

#include <string>

namespace sinter {
namespace detail {

/// Interned rows of run-time ops: equal strings give the same row, which lives until the program ends.
const op_row* map_of_text(const std::string& body, int arity);
const op_row* fold_of_text(const std::string& combine, const std::string& identity);

/// The placeholder row in programs; an integer argument names the actual one.
template <int Arity>
inline constexpr op_row map_placeholder{"custom", "",    nullptr,  Arity,  dtype_rule::same,
                                        false,    false, text_row, nullptr};
inline constexpr op_row fold_placeholder{"custom_reduce", "",     nullptr, 2, dtype_rule::same, true, true,
                                         text_row,        nullptr};

}  // namespace detail

namespace tree {

/// An elementwise run-time op; its row is an integer argument.
template <dtype D, class... In>
struct text_map : map<void, D, In...> {
    static constexpr counts size = (In::size + ... + counts{1, 0, 0, 1});
    template <class B>
    static constexpr int emit(B& b) {
        ir::node n{.what = ir::kind::elementwise,
                   .type = D,
                   .rank = text_map::rank,
                   .op = &detail::map_placeholder<static_cast<int>(sizeof...(In))>};
        int i = 0;
        ((n.in[i++] = static_cast<std::int16_t>(In::emit(b))), ...);
        n.argument = take(&B::integers, b);
        return b.add(n);
    }
};

/// A run-time reduction: its row is an integer argument, after the axes if those are also arguments.
template <class In, bool Known, std::uint32_t Mask, int Count, bool Keep>
struct text_fold {
    static constexpr dtype type = In::type;
    static constexpr int rank = Keep ? In::rank : In::rank - Count;
    static constexpr counts size = In::size + counts{1, 0, 0, Known ? 1 : 2};
    template <class B>
    static constexpr int emit(B& b) {
        const auto in = static_cast<std::int16_t>(In::emit(b));
        ir::node n{.what = ir::kind::reduction,
                   .type = type,
                   .rank = rank,
                   .keepdims = Keep,
                   .axes_known = Known,
                   .in = {in, -1, -1},
                   .axes = Mask,
                   .bits = Count,
                   .op = &detail::fold_placeholder};
        n.argument = take(&B::integers, b, Known ? 1 : 2);
        return b.add(n);
    }
};

}  // namespace tree

namespace detail {

/// An operand of a run-time op, converted as in assignment.
template <dtype D, class A>
decltype(auto) text_operand(A&& a) {
    static_assert(assignable(D, info_of<A>().type) || (info_of<A>().weak && !is_complex(info_of<A>().type)),
                  "sinter: custom<T> does not convert operands to a lower kind (bool < integer < floating < complex): "
                  "write astype<T>(...)");
    return to_dtype<D>(std::forward<A>(a), "custom");
}

template <dtype D, class... E>
auto join_by_text(const std::string& body, E&&... e) {
    expr<tree::text_map<D, typename std::remove_cvref_t<E>::tree_type...>> joined;
    for (std::int64_t& extent : joined.shape_.extent) extent = 1;
    (broadcast("custom", joined.shape_, e.shape_), ...);
    tree::counts at{};
    (joined.append(at, std::forward<E>(e)), ...);
    joined.integers_.item[at.integers] = reinterpret_cast<std::int64_t>(map_of_text(body, sizeof...(E)));
    return joined;
}

}  // namespace detail

/// Applies `body` elementwise: CUDA C++ in the operands x, y and z (as many as are given) and their type T, as in
/// custom<float>("x * x + y", a, b). Operands are arrays, expressions or scalars; they broadcast and convert to T as in
/// assignment. Evaluation throws sinter::error on the host, which cannot compile strings (SINTER_UNARY defines
/// functions for both), and with the compiler's log if the compiler rejects the body.
///
/// Security: the string runs as code with the program's rights, so it must never come from an untrusted source.
/// Anything but a single expression is rejected before compilation: statements, comments, directives, digraphs,
/// trigraphs, backslashes, quotes, unmatched brackets, a comma outside brackets, non-ASCII characters.
template <element_type T, operand_or_scalar... A>
    requires(sizeof...(A) >= 1 && sizeof...(A) <= ir::max_operands && (operand<A> || ...))
[[nodiscard]] auto custom(const std::string& body, A&&... operands) {
    return detail::join_by_text<dtype_of<T>>(body, detail::text_operand<dtype_of<T>>(std::forward<A>(operands))...);
}

/// Reduces over the given axes (default all) with `combine` and `identity`, CUDA C++ in x, y and T, as in
/// custom_reduce<double>("x * y", "T(1)", a, axis=1). `combine` must be associative and commutative up to rounding,
/// with `identity` as its neutral element and as the value of no elements. (INFINITY is not available: write T(1) /
/// T(0).) Security, rejection and errors are those of custom.
template <element_type T, operand A, detail::option_among<>... Options>
[[nodiscard]] auto custom_reduce(const std::string& combine, const std::string& identity, A&& a,
                                 const Options&... options) {
    constexpr bool keep = (std::is_same_v<Options, detail::keepdims_t> || ...);
    auto&& operand = detail::text_operand<dtype_of<T>>(std::forward<A>(a));
    using in = std::remove_cvref_t<decltype(operand)>;
    using set = detail::axes_of<std::remove_const_t<decltype(detail::find_axes(options...))>, in::rank>;
    expr<tree::text_fold<typename in::tree_type, set::known, set::mask, set::count, keep>> reduced;
    const std::uint32_t mask = detail::mask_of<in::rank>("custom_reduce", options...);
    detail::reduce_shape(reduced.shape_, operand.shape_, mask, keep);
    tree::counts at{};
    reduced.append(at, std::forward<decltype(operand)>(operand));
    if constexpr (!set::known) reduced.integers_.item[at.integers++] = mask;
    reduced.integers_.item[at.integers] = reinterpret_cast<std::int64_t>(detail::fold_of_text(combine, identity));
    return reduced;
}

}  // namespace sinter
