// Arrays over external memory: neither copied nor owned, read in place.
#pragma once

#include <sinter/array.hpp>

#include <memory>

namespace sinter {
namespace detail {

/// External memory as described by its owner. `release(owner)`, if set, is called once after the last use; never if the
/// memory is rejected.
struct foreign_memory {
    void* data = nullptr;
    dtype type{};
    codegen::device* where = nullptr;
    bool writable = true;
    void (*release)(void* owner) = nullptr;
    void* owner = nullptr;
};

/// Strides are in elements; null: row-major.
storage_ref wrap_memory(const foreign_memory& memory, int rank, const std::int64_t* extents,
                        const std::int64_t* strides);

using keeper = std::shared_ptr<const void>;

template <class T, int Rank>
array<std::remove_const_t<T>, Rank> wrap_elements(T* elements, const std::int64_t* extents, const std::int64_t* strides,
                                                  const device& on, keeper keep) {
    using element = std::remove_const_t<T>;
    foreign_memory memory{const_cast<element*>(elements), dtype_of<element>, &on.get(), !std::is_const_v<T>};
    std::unique_ptr<keeper> owner;
    if (keep) {
        owner = std::make_unique<keeper>(std::move(keep));
        memory.owner = owner.get();
        memory.release = [](void* kept) { delete static_cast<keeper*>(kept); };
    }
    array<element, Rank> wrapped(wrap_memory(memory, Rank, extents, strides));
    static_cast<void>(owner.release());
    return wrapped;
}

template <class T>
concept foreign_element = element_type<std::remove_const_t<T>>;

}  // namespace detail

/// An array over the memory at `elements` on a device: row-major, or with the given strides (in elements; 0 and
/// negative strides are allowed). Nothing is copied. Sinter never frees the memory; it must outlive every array and
/// expression that reads it and their work (synchronize()). Or pass `keep`, a reference to its owner, which is released
/// at that point.
///
/// Copies of the array refer to the same memory; copy(a) has its own elements. Assigning an expression, or updating,
/// writes the memory in place; it throws if shapes differ or T is const. Later evaluations see writes by others:
/// synchronize them yourself.
///
/// Throws for a pointer that is null or not aligned to T, and for a negative extent. `elements` must be memory of that
/// device; only the device can check this, and reports it at the first use.
template <detail::foreign_element T, int Rank>
[[nodiscard]] auto wrap(T* elements, const shape<Rank>& extents, const device& on = host(),
                        std::shared_ptr<const void> keep = {}) {
    return detail::wrap_elements<T, Rank>(elements, extents.extent, nullptr, on, std::move(keep));
}
template <detail::foreign_element T, int Rank>
[[nodiscard]] auto wrap(T* elements, const shape<Rank>& extents, const shape<Rank>& strides, const device& on = host(),
                        std::shared_ptr<const void> keep = {}) {
    return detail::wrap_elements<T, Rank>(elements, extents.extent, strides.extent, on, std::move(keep));
}
/// As above with extents and strides in braces: wrap(p, {rows, cols}), wrap(p, {rows, cols}, {1, rows}).
template <detail::foreign_element T, int N>
[[nodiscard]] auto wrap(T* elements, const detail::braced<N>& extents, const device& on = host(),
                        std::shared_ptr<const void> keep = {}) {
    return wrap(elements, shape<N>(extents), on, std::move(keep));
}
template <detail::foreign_element T, int N>
[[nodiscard]] auto wrap(T* elements, const detail::braced<N>& extents, const detail::braced<N>& strides,
                        const device& on = host(), std::shared_ptr<const void> keep = {}) {
    return wrap(elements, shape<N>(extents), shape<N>(strides), on, std::move(keep));
}

/// An array over a container in host memory: wrap(v, {rows, cols}). Throws unless the product of the extents is its
/// size.
template <detail::host_container C, int N>
[[nodiscard]] auto wrap(C& container, const detail::braced<N>& extents) {
    const shape<N> wanted(extents);
    const auto size = static_cast<std::int64_t>(container.size());
    if (size != wanted.size()) detail::throw_size_mismatch("wrap", size, wanted.extent, N);
    return wrap(container.data(), wanted);
}

}  // namespace sinter
