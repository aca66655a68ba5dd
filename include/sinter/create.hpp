// Arrays made from host data or from a value.
#pragma once

#include <sinter/array.hpp>
#include <sinter/view.hpp>

namespace sinter {
namespace detail {

/// A container, span or C array as the span of its elements.
template <class C>
using span_over = decltype(std::span(std::declval<const C&>()));

template <class C>
concept contiguous_elements = requires { requires element_type<typename span_over<C>::value_type>; };

template <class R>
concept nested_elements = host_range<R> && !operand<R> && element_type<typename nesting<R>::element>;

/// T, or a default if no type is named (void).
template <class T, class Otherwise>
using element_or = std::conditional_t<std::is_void_v<T>, Otherwise, T>;

template <class... T>
constexpr void refuse_extents() {
    static_assert(
        never<T...>,
        "sinter: several extents are given in braces, zeros<float>({3, 4}), or as a shape: zeros<float>(x.shape())");
}

/// The fill value for an array of T: a number, or an operand to broadcast.
template <class T, class V>
decltype(auto) filling(const V& value) {
    if constexpr (operand<V>) {
        return (value);
    } else {
        static_assert(
            assignable(dtype_of<T>, scalar_dtype<V>),
            "sinter: a value does not convert to a lower kind (bool < integer < floating < complex): convert it first");
        return to_dtype<dtype_of<T>>(value, "full");
    }
}

/// An array of E filled with one value. Extents that are impossible are an error of `function`.
template <class E, int Rank, class V>
auto filled(const char* function, const shape<Rank>& extents, const V& value) {
    checked_size(function, extents.extent, Rank, static_cast<std::int64_t>(size_of(dtype_of<E>)));
    return array<E, Rank>(broadcast_to(filling<E>(value), extents));
}

}  // namespace detail

/// A row-major copy of host data: a container, a span or a C array. Throws unless the product of the extents is the
/// number of elements.
template <class C, int Rank>
[[nodiscard]] auto from_host(const C& values, const shape<Rank>& extents) {
    constexpr bool contiguous = detail::contiguous_elements<C>;
    static_assert(contiguous,
                  "sinter: with extents, from_host copies contiguous numbers, as in a std::vector, a span or a C "
                  "array; for other containers write reshape(from_host(v), {rows, cols})");
    if constexpr (contiguous) {
        const std::span elements(values);
        if (static_cast<std::int64_t>(elements.size()) != extents.size())
            detail::throw_size_mismatch("from_host", static_cast<std::int64_t>(elements.size()), extents.extent, Rank);
        array<typename decltype(elements)::value_type, Rank> a(extents);
        detail::copy_from_host(a.storage(), elements.data());
        return a;
    } else {
        return array<bool, Rank>();  // no follow-up errors: bool converts to everything
    }
}
/// As above with the extents in braces: from_host(v, {rows, cols}).
template <class C, int N>
[[nodiscard]] auto from_host(const C& values, const detail::braced<N>& extents) {
    return from_host(values, shape<N>(extents));
}

/// A copy of a container, a span or a C array, possibly nested, such as a std::vector<std::vector<float>>: one axis per
/// level. Throws if the nested sizes differ.
template <class R>
[[nodiscard]] auto from_host(const R& values) {
    static_assert(detail::nested_elements<R>,
                  "sinter: from_host copies containers, spans and C arrays of numbers; for a pointer to n numbers "
                  "write from_host(std::span(pointer, n))");
    if constexpr (detail::contiguous_elements<R>) {
        return from_host(values, shape<1>(std::size(values)));
    } else if constexpr (detail::nested_elements<R>) {
        using nesting = detail::nesting<R>;
        using T = typename nesting::element;
        std::vector<detail::stored_t<T>> flat;
        shape<nesting::depth> extents;
        detail::flatten<0, nesting::depth, T>(values, extents, flat, true);
        array<T, nesting::depth> a(extents);
        detail::copy_from_host(a.storage(), flat.data());
        return a;
    } else {
        return array<bool, 1>();
    }
}

/// An uninitialised array of any rank: empty<float>({n}), empty<float>({rows, cols}). Extents in braces may have any
/// integer types; one extent needs no braces, and a shape works too: empty<float>(x.shape()). Here and below the
/// default element type is double, as in NumPy.
template <element_type T = double, int N>
[[nodiscard]] auto empty(const detail::braced<N>& extents) {
    return empty<T>(shape<N>(extents));
}
template <element_type T = double, int Rank>
[[nodiscard]] auto empty(const shape<Rank>& extents) {
    detail::checked_size("empty", extents.extent, Rank, static_cast<std::int64_t>(size_of(dtype_of<T>)));
    return array<T, Rank>(extents);
}
template <element_type T = double, std::integral... I>
    requires(sizeof...(I) > 0)
[[nodiscard]] auto empty(I... extents) {
    if constexpr (sizeof...(I) != 1) detail::refuse_extents<T, I...>();
    return empty<T>(shape<static_cast<int>(sizeof...(I))>(extents...));
}

/// An array filled with one value by a kernel. The element type is the value's unless named: full<float>({n}, 1). The
/// value may be an array or an expression, which broadcasts: full(x.shape(), mean(x)). Throws if the dtype cannot hold
/// the value: full<std::uint8_t>({3}, 300).
template <class T = void, int N, operand_or_scalar V>
[[nodiscard]] auto full(const detail::braced<N>& extents, const V& value) {
    return full<T>(shape<N>(extents), value);
}
template <class T = void, int Rank, operand_or_scalar V>
[[nodiscard]] auto full(const shape<Rank>& extents, const V& value) {
    using E = detail::element_or<T, element_t<detail::info_of<V>().type>>;
    return detail::filled<E>("full", extents, value);
}
template <class T = void, std::integral I, operand_or_scalar V>
[[nodiscard]] auto full(I extent, const V& value) {
    return full<T>(shape<1>(extent), value);
}

/// Arrays of zeros or ones, filled by a kernel. Extents as in empty().
template <element_type T = double, int N>
[[nodiscard]] auto zeros(const detail::braced<N>& extents) {
    return zeros<T>(shape<N>(extents));
}
template <element_type T = double, int Rank>
[[nodiscard]] auto zeros(const shape<Rank>& extents) {
    return detail::filled<T>("zeros", extents, T(0));
}
template <element_type T = double, std::integral... I>
    requires(sizeof...(I) > 0)
[[nodiscard]] auto zeros(I... extents) {
    if constexpr (sizeof...(I) != 1) detail::refuse_extents<T, I...>();
    return zeros<T>(shape<static_cast<int>(sizeof...(I))>(extents...));
}
template <element_type T = double, int N>
[[nodiscard]] auto ones(const detail::braced<N>& extents) {
    return ones<T>(shape<N>(extents));
}
template <element_type T = double, int Rank>
[[nodiscard]] auto ones(const shape<Rank>& extents) {
    return detail::filled<T>("ones", extents, T(1));
}
template <element_type T = double, std::integral... I>
    requires(sizeof...(I) > 0)
[[nodiscard]] auto ones(I... extents) {
    if constexpr (sizeof...(I) != 1) detail::refuse_extents<T, I...>();
    return ones<T>(shape<static_cast<int>(sizeof...(I))>(extents...));
}

/// As above with the shape of an array or an unevaluated expression, and its element type unless one is named:
/// zeros_like(x), zeros_like<int>(x).
template <class T = void, operand A>
[[nodiscard]] auto empty_like(const A& a) {
    return empty<detail::element_or<T, element_t<A::type>>>(a.shape());
}
template <class T = void, operand A, operand_or_scalar V>
[[nodiscard]] auto full_like(const A& a, const V& value) {
    return full<detail::element_or<T, element_t<A::type>>>(a.shape(), value);
}
template <class T = void, operand A>
[[nodiscard]] auto zeros_like(const A& a) {
    return zeros<detail::element_or<T, element_t<A::type>>>(a.shape());
}
template <class T = void, operand A>
[[nodiscard]] auto ones_like(const A& a) {
    return ones<detail::element_or<T, element_t<A::type>>>(a.shape());
}

}  // namespace sinter
