// Lazy expressions: the type is a tree, the value a flat list of arguments. An expression holds references to its
// operands' storage: it may outlive the operands, and it uses the values they had when it was written.
#pragma once

#include <sinter/lower.hpp>
#include <sinter/misuse.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/scalar.hpp>
#include <sinter/shape.hpp>
#include <sinter/storage.hpp>

#include <atomic>
#include <utility>

namespace sinter {

template <element_type T, int Rank>
class array;

namespace detail {

template <class T, int N>
struct list {
    T item[N];
};
template <class T>
struct list<T, 0> {
    static constexpr T* item = nullptr;
};

template <class A, class... I>
auto index_view(A&& a, const I&... i);  // slice.hpp
template <class T, int Rank, class Tree>
class view_of;  // assign.hpp

/// An expression's arguments as codegen sees them.
struct arguments_view {
    const storage_ref* leaves;
    const ir::scalar_bits* scalars;
    const std::int64_t* integers;
};

/// The run-time arguments of a tree: the values of its leaves, scalars and integers. Trees with as many have one type
/// of lists, so that the C++ compiler makes its functions once.
template <int Leaves, int Scalars, int Integers>
struct argument_lists {
    list<storage_ref, Leaves> leaves_;
    list<ir::scalar_bits, Scalars> scalars_;
    list<std::int64_t, Integers> integers_;

    arguments_view arguments() const { return {leaves_.item, scalars_.item, integers_.item}; }

    /// Appends another expression's arguments at `at`; moves from an rvalue.
    template <int L, int S, int I>
    void append(tree::counts& at, const argument_lists<L, S, I>& other) {
        for (int i = 0; i < L; ++i) leaves_.item[at.leaves + i] = other.leaves_.item[i];
        append_numbers(at, {0, L, S, I}, other.arguments());
    }
    template <int L, int S, int I>
    void append(tree::counts& at, argument_lists<L, S, I>&& other) {
        for (int i = 0; i < L; ++i) leaves_.item[at.leaves + i] = std::move(other.leaves_.item[i]);
        append_numbers(at, {0, L, S, I}, other.arguments());
    }

    /// The number of leaves that refer to the given storage.
    int shares_of(const storage* s) const {
        int shares = 0;
        for (int i = 0; i < Leaves; ++i) shares += leaves_.item[i].get() == s;
        return shares;
    }

private:
    void append_numbers(tree::counts& at, tree::counts size, const arguments_view& other) {
        for (int i = 0; i < size.scalars; ++i) scalars_.item[at.scalars + i] = other.scalars[i];
        for (int i = 0; i < size.integers; ++i) integers_.item[at.integers + i] = other.integers[i];
        at = at + size;
    }
};
template <class Tree>
using arguments_of = argument_lists<Tree::size.leaves, Tree::size.scalars, Tree::size.integers>;

}  // namespace detail

/// A computation that has not run. Functions and operators on arrays and expressions create it; it runs when assigned
/// to an array or passed to item() or to_host(). Cheap to copy and safe to store in an `auto` variable.
template <class Tree>
class expr : public detail::arguments_of<Tree>, public detail::no_container<Tree::rank> {
public:
    using tree_type = Tree;
    static constexpr int rank = Tree::rank;
    // the rank under NumPy's name
    static constexpr std::integral_constant<int, rank> ndim{};
    static constexpr sinter::dtype type = Tree::type;

    expr() = default;
    expr(const expr&) = default;
    expr(expr&&) = default;
    /// Reassigns a variable to another computation of the same type. Assignment of anything else does not compile.
    expr& operator=(const expr&) & = default;
    expr& operator=(expr&&) & = default;
    template <class V>
    void operator=(const V&) const {
        detail::refuse_write<V>();
    }

    const sinter::shape<rank>& shape() const { return shape_; }
    std::int64_t size() const { return shape_.size(); }
    static constexpr sinter::dtype dtype() { return type; }

    /// A view selected by indices: e(all, range(1, -1), newaxis, 3).
    using detail::no_container<rank>::operator();
    template <class... I>
    auto operator()(const I&... indices) const {
        return detail::index_view(*this, indices...);
    }

    sinter::shape<rank> shape_;
};

namespace detail {

template <class Tree>
const expr<Tree>& base_expr(const expr<Tree>&);

/// Expressions and types derived from them, such as assignable views.
template <class T>
inline constexpr bool is_expr = requires(const T& e) { base_expr(e); };

template <class T>
inline constexpr bool is_array = false;
template <class T, int Rank>
inline constexpr bool is_array<array<T, Rank>> = true;

template <class T>
inline constexpr bool is_view_of = false;
template <class T, int Rank, class Tree>
inline constexpr bool is_view_of<view_of<T, Rank, Tree>> = true;

}  // namespace detail

/// An array or an expression.
template <class T>
concept operand = detail::is_expr<std::remove_cvref_t<T>> || detail::is_array<std::remove_cvref_t<T>>;

/// The operands of functions: arrays, expressions and C++ scalars.
template <class T>
concept operand_or_scalar = operand<T> || detail::scalar<T>;

namespace detail {

/// The expression type of an operand, with the operand's constness and reference category.
template <class A, class E = std::remove_cvref_t<decltype(base_expr(std::declval<std::remove_cvref_t<A>>()))>>
using expr_like = std::conditional_t<std::is_lvalue_reference_v<A>,
                                     std::conditional_t<std::is_const_v<std::remove_reference_t<A>>, const E&, E&>,
                                     std::conditional_t<std::is_const_v<std::remove_reference_t<A>>, const E, E>>;

/// Converts an operand to an expression; moves from rvalues.
template <operand A>
decltype(auto) as_expr(A&& a) {
    if constexpr (is_array<std::remove_cvref_t<A>>)
        return std::forward<A>(a).as_expr();
    else
        return static_cast<expr_like<A>&&>(a);
}

template <class A>
using expr_of = std::remove_cvref_t<decltype(as_expr(std::declval<A>()))>;

struct operand_info {
    dtype type;
    bool weak;
};

template <class A>
constexpr operand_info info_of() {
    if constexpr (scalar<A>)
        return {scalar_dtype<A>, true};
    else
        return {std::remove_cvref_t<A>::type, false};
}

/// Whether a dtype is an integer type or bool.
constexpr bool is_exact(dtype d) { return !is_floating(d) && !is_complex(d); }

/// The common dtype of operands, some of which may be weak scalars. With arrays, only the kind of integer scalars
/// matters.
template <int N>
constexpr dtype common_dtype(const operand_info (&operands)[N], int first) {
    bool any[2] = {};  // arrays, scalars
    dtype common[2] = {};
    for (int weak = 0; weak < 2; ++weak) {
        for (int i = first; i < N; ++i) {
            const dtype type = operands[i].type;
            dtype& so_far = common[weak];
            if (operands[i].weak != (weak == 1)) continue;
            if (!any[weak] || (weak && any[0] && so_far == dtype::bool_))
                so_far = type;
            else if (!(weak && any[0] && is_exact(so_far) && is_exact(type)))
                so_far = promote(so_far, type);
            any[weak] = true;
        }
    }
    if (!any[0] || !any[1]) return common[any[1]];
    return promote_weak(common[1], common[0]);
}

/// The dtype in which a row with the given rule computes.
template <int N>
constexpr dtype compute_dtype(dtype_rule rule, const operand_info (&operands)[N]) {
    if (rule == dtype_rule::logical) return dtype::bool_;
    const dtype common = common_dtype(operands, rule == dtype_rule::select ? 1 : 0);
    if (rule == dtype_rule::complex_ || rule == dtype_rule::part) return complex_of(common);
    if (is_exact(common) && (rule == dtype_rule::floating || rule == dtype_rule::analytic)) return default_float;
    if (is_exact(common) && rule == dtype_rule::sum)
        return kind_of(common) == dtype_kind::unsigned_integer ? dtype::uint64 : dtype::int64;
    return common;
}

/// As above, for one operand.
constexpr dtype compute_dtype(dtype_rule rule, operand_info operand) {
    const operand_info operands[] = {operand};
    return compute_dtype(rule, operands);
}

/// One-line errors for operands of a kind that an op's rule rejects.
template <class Op, dtype Compute>
constexpr void check_kind() {
    static_assert(!is_complex(Compute) || !refuses_complex(Op::row.rule),
                  "sinter: this operation takes no complex operands; real(z), imag(z), abs(z) and arg(z) are real");
    static_assert(!is_floating(Compute) || Op::row.rule != dtype_rule::integral,
                  "sinter: this operator takes integers and bool only; convert with astype<T>(...)");
    static_assert(!is_floating(Compute) || Op::row.rule != dtype_rule::integer,
                  "sinter: this operator takes integers only; convert with astype<T>(...)");
    static_assert(Compute != dtype::bool_ || !refuses_bool(Op::row.rule),
                  "sinter: this operation takes no bools: write !p for -p and p != q for p - q, or compute with "
                  "astype<int>(p), which is 0 or 1");
}

/// A number unique among the scalars of this process; each thread draws from its own range.
inline std::uint64_t new_origin() {
    static std::atomic<std::uint64_t> ranges{0};
    thread_local std::uint64_t last = 0;
    if (static_cast<std::uint32_t>(last) == 0) last = (ranges.fetch_add(1, std::memory_order_relaxed) + 1) << 32;
    return ++last;
}

/// An operand under a cast node.
template <dtype D, class A>
auto cast_to(A&& a) {
    expr<tree::cast<D, typename expr_of<A>::tree_type>> e;
    tree::counts at{};
    auto&& operand = as_expr(std::forward<A>(a));
    e.shape_ = operand.shape_;
    e.append(at, std::forward<decltype(operand)>(operand));
    return e;
}

/// An operand as an expression of dtype D: scalars are converted immediately, arrays by a cast node. Throws, naming the
/// function, for a scalar that D cannot represent.
template <dtype D, class A>
decltype(auto) to_dtype(A&& a, [[maybe_unused]] const char* function = "scalar") {
    if constexpr (scalar<A>) {
        expr<tree::scalar<D>> e;
        const auto value = scalar_value<D>(number_of_scalar(a), function);
        __builtin_memcpy(static_cast<void*>(e.scalars_.item), &value, sizeof value);
        e.scalars_.item->origin =
            is_fixed<std::remove_cvref_t<A>> ? ir::fixed_origin + static_cast<std::uint64_t>(D) : new_origin();
        return e;
    } else {
        using from = expr_of<A>;
        if constexpr (from::type == D)
            return as_expr(std::forward<A>(a));
        else
            return cast_to<D>(std::forward<A>(a));
    }
}

/// Applies an elementwise node to operands of the right dtypes.
template <class Op, dtype D, class... E>
auto join(E&&... e) {
    expr<tree::map<Op, D, typename std::remove_cvref_t<E>::tree_type...>> joined;
    for (std::int64_t& extent : joined.shape_.extent) extent = 1;
    (broadcast(Op::row.name, joined.shape_, e.shape_), ...);
    tree::counts at{};
    (joined.append(at, std::forward<E>(e)), ...);
    return joined;
}

/// Whether a row is one of the six comparisons.
constexpr bool is_comparison(const op_row& row) {
    return row.builtin >= static_cast<int>(builtin_op::less) && row.builtin <= static_cast<int>(builtin_op::not_equal);
}

template <class Op, class A, class B>
auto compare(A&& a, B&& b);  // compare.hpp

/// Applies a row of the op table (or a user's row) to operands: selects the dtype, casts and broadcasts.
template <class Op, class First, class... Rest>
auto apply(First&& first, Rest&&... rest) {
    constexpr bool known = operand_or_scalar<First> && (operand_or_scalar<Rest> && ...);
    constexpr bool function = (std::is_function_v<std::remove_reference_t<First>> || ... ||
                               std::is_function_v<std::remove_reference_t<Rest>>);
    static_assert(!function, "sinter: a function is not an operand; nan is a function of C, the number is NaN");
    static_assert(
        known || function,
        "sinter: operands are arrays, expressions and C++ numbers; from_host(v) makes an array from a container");
    if constexpr (known && is_comparison(Op::row)) {
        return compare<Op>(std::forward<First>(first), std::forward<Rest>(rest)...);
    } else if constexpr (known) {
        constexpr operand_info operands[] = {info_of<First>(), info_of<Rest>()...};
        constexpr dtype compute = compute_dtype(Op::row.rule, operands);
        check_kind<Op, compute>();
        static_assert((Op::row.rule != dtype_rule::to_bits && Op::row.rule != dtype_rule::of_bits) ||
                          computes_in(Op::row.rule, compute),
                      "sinter: bit_cast converts between float32 or float64 and integers of the same size");
        constexpr dtype result = result_of(Op::row.rule, compute);
        constexpr dtype first_type = Op::row.rule == dtype_rule::select ? dtype::bool_ : compute;
        return join<Op, result>(to_dtype<first_type>(std::forward<First>(first), Op::row.name),
                                to_dtype<compute>(std::forward<Rest>(rest), Op::row.name)...);
    }
}

}  // namespace detail

/// Converts the operand to element type T. Conversions across kinds need it (floating to integer; complex to real,
/// which takes the real part). Conversion to a storage type rounds, while elsewhere only storing does. Floating to
/// integer truncates the fraction, saturates at the integer's range, and maps NaN to 0, on every device.
template <element_type T, operand A>
auto astype(A&& a) {
    constexpr dtype to = dtype_of<T>;
    if constexpr (detail::expr_of<A>::type != to || is_storage_only(to))
        return detail::cast_to<to>(std::forward<A>(a));
    else
        return detail::expr_of<A>(detail::as_expr(std::forward<A>(a)));
}

}  // namespace sinter
