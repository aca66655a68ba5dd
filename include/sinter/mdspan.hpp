// Conversion to and from std::mdspan, cuda::std::mdspan, Kokkos' and similar types. Includes none of them.
#pragma once

#include <sinter/transfer.hpp>
#include <sinter/wrap.hpp>

#include <utility>

namespace sinter {

/// A type with the members of std::mdspan over plain memory.
template <class M>
concept mdspan_like = requires(const M& m) {
    typename M::element_type;
    requires std::is_pointer_v<std::remove_cvref_t<decltype(m.data_handle())>>;
    { M::rank() } -> std::convertible_to<std::size_t>;
    { m.extent(0) } -> std::convertible_to<std::int64_t>;
    { m.stride(0) } -> std::convertible_to<std::int64_t>;
};

/// An array over an mdspan's elements, as wrap(pointer, shape, strides): neither copied nor owned.
template <mdspan_like M>
[[nodiscard]] auto wrap(const M& m, const device& on = host(), std::shared_ptr<const void> keep = {}) {
    constexpr int rank = static_cast<int>(M::rank());
    shape<rank> extents, strides;
    for (int a = 0; a < rank; ++a) {
        extents[a] = static_cast<std::int64_t>(m.extent(static_cast<std::size_t>(a)));
        strides[a] = static_cast<std::int64_t>(m.stride(static_cast<std::size_t>(a)));
    }
    return wrap(m.data_handle(), extents, strides, on, std::move(keep));
}

/// A row-major mdspan of type M over an array's elements on its device, for hand-written kernels:
/// as_mdspan<std::mdspan<const float, std::dextents<int, 2>>>(a). It holds no reference: it is valid while the array
/// exists and is not written. Throws for strided memory.
template <mdspan_like M, class T, int Rank>
[[nodiscard]] M as_mdspan(const array<T, Rank>& a) {
    static_assert(std::is_same_v<typename M::element_type, const T>,
                  "sinter: the mdspan's element type must be `const T` for an array of T: arrays are values");
    static_assert(static_cast<int>(M::rank()) == Rank, "sinter: the mdspan's rank differs from the array's");
    const auto extents = a.shape();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return M(data(a), extents.extent[I]...);
    }(std::make_index_sequence<Rank>());
}

}  // namespace sinter
