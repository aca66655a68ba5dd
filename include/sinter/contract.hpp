// Contractions: sums of products of two operands over named axes, used by matmul and einsum.
//
// Both operands become views whose axes are the result's, then the summed ones; the sum of their product is an ordinary
// reduction. If both operands have axes of their own, each element is used many times: the sum is then marked as a
// product. A product is materialized by its own launch, possibly by a library, and so are operands that are not yet in
// memory.
#pragma once

#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>
#include <sinter/view.hpp>

namespace sinter::detail {

/// Whether a tree's elements are in memory when it is read, at indices that are cheap to compute: an array, itself or
/// reshaped, a materialized value, or a view of these.
template <class Tree>
inline constexpr bool in_memory = false;
template <dtype D, int Rank>
inline constexpr bool in_memory<tree::leaf<D, Rank>> = true;
template <int Rank, class In>
inline constexpr bool in_memory<tree::view<Rank, In>> = in_memory<In>;
template <int Rank, dtype D, int From>
inline constexpr bool in_memory<tree::reshape<Rank, tree::leaf<D, From>>> = true;
template <class In, ir::product What>
inline constexpr bool in_memory<tree::stored<In, What>> = !is_storage_only(In::type);

template <class Tree>
inline constexpr bool is_cast = false;
template <dtype D, class In>
inline constexpr bool is_cast<tree::cast<D, In>> = true;

/// The operand under a materialize node.
template <ir::product What, class E>
auto make_stored(E&& e) {
    using in = std::remove_cvref_t<E>;
    expr<tree::stored<typename in::tree_type, What>> s;
    s.shape_ = e.shape_;
    tree::counts at{};
    s.append(at, std::forward<E>(e));
    return s;
}

/// A contraction's operand in dtype D, in memory. A storage type is rounded when stored, as in an array.
template <dtype D, operand A>
auto factor(A&& a) {
    using in = expr_of<A>;
    if constexpr (in::type == D && in_memory<typename in::tree_type>)
        return in(as_expr(std::forward<A>(a)));
    else if constexpr (in::type == D && (!is_storage_only(D) || is_cast<typename in::tree_type>))
        return make_stored<ir::product::none>(as_expr(std::forward<A>(a)));
    else
        return make_stored<ir::product::none>(cast_to<D>(std::forward<A>(a)));
}

/// The last `Count` axes of an operand of rank `Rank`, as a reduction option.
template <int Rank, int Count, int... A>
constexpr auto last_axes(static_axes<A...> = {}) {
    if constexpr (Count == 0)
        return static_axes<A...>{};
    else
        return last_axes<Rank, Count - 1>(static_axes<Rank - Count, A...>{});
}

/// The sum of products of two expressions of dtype D along axes; for bools, whether any pair is true.
template <dtype D, class E, class F, class... Options>
auto sum_of_products(E&& a, F&& b, const Options&... options) {
    if constexpr (D == dtype::bool_)
        return reduce<op::any>(join<op::logical_and, D>(std::forward<E>(a), std::forward<F>(b)), options...);
    else
        return to_dtype<D>(reduce<op::sum>(join<op::multiply, D>(std::forward<E>(a), std::forward<F>(b)), options...));
}

/// The contraction of `a` and `b`: axis i of `a` (`b`) is axis axes_a[i] (axes_b[i]) of the result's axes followed by
/// `Sums` summed ones. The dtype is the common one; for bools, whether any pair is true.
template <int Rank, int Sums, ir::product What, class A, class B, std::size_t N, std::size_t M>
auto contract(A&& a, const int (&axes_a)[N], B&& b, const int (&axes_b)[M]) {
    constexpr operand_info operands[] = {info_of<A>(), info_of<B>()};
    constexpr dtype type = common_dtype(operands, 0);
    constexpr auto summed = last_axes<Rank + Sums, Sums>();
    const auto seen = [](auto&& operand, const auto& axes) {
        if constexpr (What == ir::product::none)
            return spread<Rank + Sums>(to_dtype<type>(std::forward<decltype(operand)>(operand)), axes);
        else
            return spread<Rank + Sums>(factor<type>(std::forward<decltype(operand)>(operand)), axes);
    };
    const auto sums = [&] {
        auto left = seen(std::forward<A>(a), axes_a);
        auto right = seen(std::forward<B>(b), axes_b);
        if constexpr (Sums == 0)
            return apply<op::multiply>(std::move(left), std::move(right));
        else
            return sum_of_products<type>(std::move(left), std::move(right), summed);
    };
    if constexpr (What == ir::product::none)
        return sums();
    else
        return make_stored<What>(sums());
}

}  // namespace sinter::detail
