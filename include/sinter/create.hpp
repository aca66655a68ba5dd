// Arrays made from host data or from a value.
#pragma once

#include <sinter/array.hpp>
#include <sinter/view.hpp>

namespace sinter {

/// A copy of host data, row-major. Throws unless the extents multiply to the span's size.
template <class T, std::size_t Extent, int Rank>
[[nodiscard]] array<std::remove_const_t<T>, Rank> from_host(std::span<T, Extent> values, const shape<Rank>& extents) {
    if (static_cast<std::int64_t>(values.size()) != extents.size())
        detail::throw_size_mismatch("from_host", static_cast<std::int64_t>(values.size()), extents.extent, Rank);
    array<std::remove_const_t<T>, Rank> a(extents);
    detail::copy_from_host(a.storage(), values.data());
    return a;
}
/// The same with the extents in braces: from_host(std::span(v), {rows, cols}).
template <class T, std::size_t Extent, int N>
[[nodiscard]] auto from_host(std::span<T, Extent> values, const detail::braced<N>& extents) {
    return from_host(values, shape<N>(extents));
}

/// A copy of a container's elements: from_host(v, {rows, cols}).
template <detail::host_container C, int N>
[[nodiscard]] auto from_host(const C& values, const detail::braced<N>& extents) {
    return from_host(std::span(values.data(), values.size()), shape<N>(extents));
}

/// A copy of nested containers, as of a std::vector<std::vector<float>>: an axis for each level. Throws where they are
/// ragged.
template <detail::host_range R>
    requires element_type<typename detail::nesting<R>::element>
[[nodiscard]] auto from_host(const R& nested) {
    using nesting = detail::nesting<R>;
    using T = typename nesting::element;
    std::vector<detail::stored_t<T>> flat;
    shape<nesting::depth> extents;
    detail::flatten<0, nesting::depth, T>(nested, extents, flat, true);
    array<T, nesting::depth> a(extents);
    detail::copy_from_host(a.storage(), flat.data());
    return a;
}

/// An array with unspecified values, of any rank: empty<float>({n}). (array<float, 1> a({n}) is something else: braces
/// hold values where there is one axis, so it has one element.) Extents in braces are integers of any types: {n, 4}.
template <element_type T, int N>
[[nodiscard]] auto empty(const detail::braced<N>& extents) {
    return array<T, N>(shape<N>(extents));
}

/// An array of one value, made by a kernel: full({3, 4}, 2.5f), full<double>({3, 4}, 1). Throws where the dtype does
/// not hold the value: full<std::uint8_t>({3}, 300).
template <class T = void, int Rank, detail::scalar V>
[[nodiscard]] auto full(const shape<Rank>& extents, V value) {
    using element = std::conditional_t<std::is_void_v<T>, element_t<detail::scalar_dtype<V>>, T>;
    static_assert(assignable(dtype_of<element>, detail::scalar_dtype<V>),
                  "sinter: a value converts within a kind and upwards (bool, integer, floating), not down: convert it "
                  "first");
    return array<element, Rank>(broadcast_to(detail::to_dtype<dtype_of<element>>(value, "full"), extents));
}
template <class T = void, int N, detail::scalar V>
[[nodiscard]] auto full(const detail::braced<N>& extents, V value) {
    return full<T>(shape<N>(extents), value);
}
template <element_type T, int N>
[[nodiscard]] auto zeros(const detail::braced<N>& extents) {
    return full(extents, T(0));
}
template <element_type T, int N>
[[nodiscard]] auto ones(const detail::braced<N>& extents) {
    return full(extents, T(1));
}

}  // namespace sinter
