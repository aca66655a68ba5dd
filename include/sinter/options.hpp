// Named arguments of reductions besides axis= and keepdims: where=mask, initial=10, ddof=1, eps=1e-5, ord=1_c.
#pragma once

#include <sinter/axis.hpp>
#include <sinter/expr.hpp>

#include <limits>

namespace sinter {
namespace detail {

struct where_tag {};
struct initial_tag {};
struct ddof_tag {};
struct eps_tag {};
struct ord_tag {};
struct exclusive_tag {};
struct reverse_tag {};

/// A named argument and its value.
template <class Tag, class V>
struct option {
    V value;
};

/// The value type of flags, which are options without a value.
struct no_value {};
template <class Tag>
struct option<Tag, no_value> {
    template <class T>
    option operator=(const T&) const {
        static_assert(never<T>, "sinter: exclusive and reverse take no value: write cumsum(x, axis=1, reverse)");
        return {};
    }
};

/// Replaces an option that is meant for another function.
struct no_option {};

/// The type of `fro`.
struct frobenius_t {};

template <int N>
struct integral_constant {
    using value_type = int;
    static constexpr int value = N;
};

template <class Tag>
struct keyword {
    template <class V>
    constexpr auto operator=(V value) const {
        constexpr bool is_order = std::is_same_v<Tag, ord_tag>;
        constexpr bool known = scalar<V> || integral_constant_like<V> || (std::is_same_v<V, frobenius_t> && is_order);
        static_assert(known,
                      "sinter: this option takes a number: initial=0, ddof=1, eps=1e-6, ord=1_c; ord= takes inf, -inf "
                      "and fro, too");
        if constexpr (known)
            return option<Tag, V>{value};
        else  // suppresses further errors
            return option<Tag, std::conditional_t<is_order, infinity_t, int>>{};
    }
    keyword& operator=(const keyword&) = delete;
};

template <class T, class... Tags>
inline constexpr bool is_option = false;
template <class Tag, class V, class... Tags>
inline constexpr bool is_option<option<Tag, V>, Tags...> = (std::is_same_v<Tag, Tags> || ...);

template <class Tag, class V>
inline constexpr bool is_reduction_option<option<Tag, V>> = true;
template <>
inline constexpr bool is_reduction_option<no_option> = true;

/// One-line error for an option that belongs to other functions.
template <class T, class... Tags>
struct checked_option : std::true_type {};
template <class Tag, class V, class... Tags>
struct checked_option<option<Tag, V>, Tags...> : std::true_type {
    static_assert((std::is_same_v<Tag, Tags> || ...),
                  "sinter: this function has no such option; docs/operations.md lists the options of each function");
};

/// axis=, keepdims, or one of the named arguments. Unknown types are accepted here, so that find_axes can explain them.
template <class T, class... Tags>
concept option_among = checked_option<T, Tags...>::value;

/// The options that every reduction takes.
template <class T>
concept reduction_option = checked_option<T, where_tag, initial_tag>::value;

template <class Tag, class... Options>
inline constexpr bool has_option = (is_option<Options, Tag> || ...);

/// Placeholder for a missing option: an object, so that a reference to it outlives the call.
inline constexpr int absent = 0;

/// The value of the option with this tag, or `otherwise`.
template <class Tag, class Default>
constexpr const Default& option_or(const Default& otherwise) {
    return otherwise;
}
template <class Tag, class Default, class First, class... Rest>
constexpr const auto& option_or(const Default& otherwise, const First& first, const Rest&... rest) {
    if constexpr (is_option<First, Tag>)
        return first.value;
    else
        return option_or<Tag>(otherwise, rest...);
}

/// The option, or no_option if it has one of the tags.
template <class... Tags, class Option>
constexpr decltype(auto) without(const Option& o) {
    if constexpr (is_option<Option, Tags...>)
        return no_option{};
    else
        return (o);
}

/// Whether the options contain keepdims.
template <class... Options>
inline constexpr bool keeps_dims = (std::is_same_v<Options, keepdims_t> || ...);

[[noreturn]] void throw_bad_mask(const char* op, const std::int64_t* mask, int mask_rank, const std::int64_t* operand,
                                 int rank);

/// Throws unless a mask broadcasts to its operand's shape.
template <class Mask, int Rank>
void check_mask(const char* op, const Mask& mask, const shape<Rank>& operand) {
    static_assert(Mask::type == dtype::bool_, "sinter: where= takes bools: write a comparison, such as where = x != 0");
    static_assert(Mask::rank <= Rank, "sinter: the mask of where= has more axes than the operand");
    for (int a = 0; a < Mask::rank; ++a) {
        const std::int64_t extent = mask.shape_.extent[a];
        if (extent != 1 && extent != operand.extent[Rank - Mask::rank + a])
            throw_bad_mask(op, mask.shape_.extent, Mask::rank, operand.extent, Rank);
    }
}

}  // namespace detail

/// The initial value of a reduction: max(x, axis=1, initial=0) is never below 0, and is 0 for no elements. Its kind
/// must not be higher than that of the result's dtype.
inline constexpr detail::keyword<detail::initial_tag> initial{};

/// Delta degrees of freedom: a variance divides by the number of elements minus this; default 0.
inline constexpr detail::keyword<detail::ddof_tag> ddof{};

/// Added to the variance by normalisations, to avoid division by zero; default 1e-5.
inline constexpr detail::keyword<detail::eps_tag> eps{};

/// The order of a norm. A constant such as ord=1_c, inf or fro is compiled into the kernel; a number, ord=3.5, is a
/// kernel argument.
inline constexpr detail::keyword<detail::ord_tag> ord{};

/// Infinity as a weak scalar: where(x > 0, x, -inf), max(x, initial=-inf); NaN is weak, too. ord=inf and ord=-inf are
/// the greatest and the least absolute value of a vector, or row sum of absolute values of a matrix.
inline constexpr detail::infinity_t inf{};
/// ord=fro: the Frobenius norm of a matrix.
inline constexpr detail::frobenius_t fro{};

/// Not a number, as a weak scalar: where(x > 0, x, NaN). The name nan is taken by a C function in <cmath>.
inline constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

/// Excludes each element from its own cumulative result: cumsum(x, axis=0, exclusive) begins with 0.
inline constexpr detail::option<detail::exclusive_tag, detail::no_value> exclusive{};

/// Starts a cumulative function at the end of the axis.
inline constexpr detail::option<detail::reverse_tag, detail::no_value> reverse{};

}  // namespace sinter
