// Comparisons are exact for all dtypes: scalars do not wrap, and integers are not rounded.
//
//   array and scalar   in the array's dtype, with a bound of that dtype in place of the scalar: u8 > 300.5 is
//                       u8 > 255. If the dtype has no such bound, as for u8 < 300, the scalar names a row with the
//                       result for all elements, u8 >= 0 (ir::scalar_bits::reader)
//   signed and uint64   as int64 or as uint64, with both operands clamped to the common range
//   other arrays        in the common dtype; float64 for integers of 32 bits or more with smaller floating types
#pragma once

#include <sinter/op/functions.hpp>

namespace sinter::detail {

/// The dtype in which elements are compared with a scalar; bool arrays compare with numbers as int64.
constexpr dtype comparing_dtype(dtype array, dtype scalar) {
    return array == dtype::bool_ && scalar != dtype::bool_ ? dtype::int64 : array;
}
/// The dtype in which two arrays are compared. Not for a signed integer with uint64.
constexpr dtype comparing_arrays(dtype a, dtype b) {
    const auto wide = [](dtype d) { return is_integer(d) && size_of(d) >= 4; };
    const bool mixed = (wide(a) && !is_integer(b)) || (wide(b) && !is_integer(a));
    const dtype common = promote(a, b);
    return mixed && !is_integer(common) ? promote(common, dtype::float64) : common;
}
/// Whether the pair is a signed integer and uint64, which have no common integer dtype.
constexpr bool signed_beside_uint64(dtype a, dtype b) {
    return kind_of(a) == dtype_kind::signed_integer && b == dtype::uint64;
}

/// The comparison with swapped operands: y > x for x < y.
constexpr builtin_op mirrored(builtin_op op) {
    switch (op) {
        case builtin_op::less: return builtin_op::greater;
        case builtin_op::less_equal: return builtin_op::greater_equal;
        case builtin_op::greater: return builtin_op::less;
        case builtin_op::greater_equal: return builtin_op::less_equal;
        default: return op;
    }
}
template <class Op>
struct mirrored_row {
    using type = Op;
};
// clang-format off
template <> struct mirrored_row<op::less> { using type = op::greater; };
template <> struct mirrored_row<op::less_equal> { using type = op::greater_equal; };
template <> struct mirrored_row<op::greater> { using type = op::less; };
template <> struct mirrored_row<op::greater_equal> { using type = op::less_equal; };
// clang-format on

constexpr bound_side side_of(builtin_op op) {
    if (op == builtin_op::less || op == builtin_op::greater_equal) return bound_side::next;
    if (op == builtin_op::less_equal || op == builtin_op::greater) return bound_side::previous;
    return bound_side::none;
}

/// Sets a scalar of `type` that compares as `v` does, for a `v` that the dtype cannot represent.
inline void set_bound(ir::scalar_bits& to, builtin_op op, dtype type, const real_number& v, bool scalar_first) {
    const builtin_op from_array = scalar_first ? mirrored(op) : op;
    const scalar_bound b = bound_of(v, type, side_of(from_array));
    to.bits = b.bits.bits;
    if (b.position == bound_position::held || !is_integer(type)) return;
    const bool of_all = from_array == builtin_op::not_equal ||
                        (from_array == builtin_op::less && b.position == bound_position::above) ||
                        (from_array == builtin_op::greater && b.position == bound_position::below);
    if (of_all)  // the scalar is the dtype's minimum
        to.reader = scalar_first ? &op::less_equal::row : &op::greater_equal::row;
    else
        to.reader = scalar_first ? &op::greater::row : &op::less::row;
}

/// One part of a complex scalar in C's part type; NaN, which equals nothing, if that type cannot represent it.
template <class R, class A>
R compared_part(A a) {
    return compares_as_given<dtype_of<R>>(a) ? scalar_value<dtype_of<R>>(a) : std::numeric_limits<R>::quiet_NaN();
}

/// A scalar as an operand of a comparison in dtype C.
template <dtype C, class A>
auto compared_scalar(builtin_op op, bool first, A a) {
    expr<tree::scalar<C>> e;
    ir::scalar_bits& to = *e.scalars_.item;
    const auto set = [&](const auto& value) { __builtin_memcpy(static_cast<void*>(&to), &value, sizeof value); };
    if constexpr (is_complex(C)) {
        using R = element_t<real_of(C)>;
        if constexpr (is_complex(dtype_of<A>))
            set(std::complex<R>(compared_part<R>(a.real()), compared_part<R>(a.imag())));
        else
            set(std::complex<R>(compared_part<R>(a)));
    } else if constexpr (is_complex(dtype_of<A>)) {
        if (a.imag() == 0) return compared_scalar<C>(op, first, a.real());
        set_bound(to, op, C, number_value(std::numeric_limits<double>::quiet_NaN()), first);
    } else if (compares_as_given<C>(a)) [[likely]] {
        set(scalar_value<C>(a));
    } else {
        set_bound(to, op, C, number_value(a), first);
    }
    to.origin = new_origin();
    return e;
}

/// Compares a signed array with a uint64 array after clamping: x < y is x <= min(y, 2^63) - 1, x <= y is max(x, 0) <=
/// y, and x == y is max(x, -1) == min(y, 2^63) reinterpreted as int64.
template <class Op, class X, class Y>
auto compare_signed(X&& x, Y&& y) {
    constexpr auto op = static_cast<builtin_op>(Op::row.builtin);
    constexpr auto none = std::uint64_t{1} << 63;
    auto wide = to_dtype<dtype::int64>(std::forward<X>(x));
    if constexpr (op == builtin_op::less || op == builtin_op::greater_equal) {
        auto last = to_dtype<dtype::int64>(minimum(std::forward<Y>(y), none) - std::uint64_t{1});
        using other = std::conditional_t<op == builtin_op::less, op::less_equal, op::greater>;
        return join<other, dtype::bool_>(std::move(wide), std::move(last));
    } else if constexpr (op == builtin_op::less_equal || op == builtin_op::greater) {
        auto cut = to_dtype<dtype::uint64>(maximum(std::move(wide), std::int64_t{0}));
        return join<Op, dtype::bool_>(std::move(cut), as_expr(std::forward<Y>(y)));
    } else {
        auto cut = to_dtype<dtype::int64>(minimum(std::forward<Y>(y), none));
        return join<Op, dtype::bool_>(maximum(std::move(wide), std::int64_t{-1}), std::move(cut));
    }
}

template <class>
inline constexpr bool is_comparison_tree = false;
template <class Op, dtype D, class... In>
inline constexpr bool is_comparison_tree<tree::map<Op, D, In...>> = is_comparison(Op::row);

/// Whether an operand is itself the result of a comparison.
template <class A>
constexpr bool is_comparison_made() {
    if constexpr (operand<A>)
        return is_comparison_tree<typename expr_of<A>::tree_type>;
    else
        return false;
}

/// Whether a comparison looks like a chain (a < b < c), which C++ lacks: masks compare for equality but have no order.
template <class Op, class A, class B>
constexpr bool is_chain() {
    constexpr bool masks = info_of<A>().type == dtype::bool_ && info_of<B>().type == dtype::bool_;
    constexpr bool chosen = Op::row.rule == dtype_rule::compare || !masks;
    return chosen && (is_comparison_made<A>() || is_comparison_made<B>());
}

template <class Op, class A, class B>
auto compare(A&& a, B&& b) {
    constexpr bool first = scalar<A>, second = scalar<B>;
    constexpr dtype left = info_of<A>().type, right = info_of<B>().type;
    static_assert(!is_chain<Op, A, B>(),
                  "sinter: a < b < c compares the bools of a < b with c: write (a < b) && (b < c)");
    check_kind<Op, is_complex(left) ? left : right>();
    [[maybe_unused]] constexpr auto op = static_cast<builtin_op>(Op::row.builtin);
    if constexpr (first) {
        constexpr dtype type = comparing_dtype(right, left);
        return join<Op, dtype::bool_>(compared_scalar<type>(op, true, number_of_scalar(a)),
                                      to_dtype<type>(std::forward<B>(b)));
    } else if constexpr (second) {
        constexpr dtype type = comparing_dtype(left, right);
        return join<Op, dtype::bool_>(to_dtype<type>(std::forward<A>(a)),
                                      compared_scalar<type>(op, false, number_of_scalar(b)));
    } else if constexpr (signed_beside_uint64(left, right)) {
        return compare_signed<Op>(std::forward<A>(a), std::forward<B>(b));
    } else if constexpr (signed_beside_uint64(right, left)) {
        return compare_signed<typename mirrored_row<Op>::type>(std::forward<B>(b), std::forward<A>(a));
    } else {
        constexpr dtype type = comparing_arrays(left, right);
        return join<Op, dtype::bool_>(to_dtype<type>(std::forward<A>(a)), to_dtype<type>(std::forward<B>(b)));
    }
}

}  // namespace sinter::detail
