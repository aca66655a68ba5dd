// An array's elements on the host, accessed by index or iterator.
#pragma once

#include <sinter/array.hpp>

namespace sinter {
namespace detail {

/// The storage itself if it is on the host and row-major, else a row-major host copy. Waits for the device.
storage_ref host_elements(const storage_ref& s);
[[noreturn]] void throw_bad_element(const std::int64_t* at, const std::int64_t* extents, int rank);

}  // namespace detail

/// A row-major, read-only snapshot of an array's elements. It holds a reference, so it stays valid whatever happens to
/// the array; an array on another device is copied once. Has mdspan's members data_handle, extent and stride, and
/// iterators over the elements.
template <element_type T, int Rank>
class host_span {
public:
    using value_type = T;
    using element_type = const T;
    using iterator = const T*;

    explicit host_span(const array<T, Rank>& a)
        : share_(a.storage() ? detail::host_elements(a.storage()) : a.storage()), extents_(a.shape()), size_(a.size()) {
        std::int64_t step = 1;
        for (int i = Rank; i-- > 0; step *= extents_.extent[i]) strides_.extent[i] = step;
    }

    static constexpr std::size_t rank() { return Rank; }
    const sinter::shape<Rank>& shape() const { return extents_; }
    std::int64_t extent(detail::any_integer a) const { return extents_[a]; }
    std::int64_t stride(detail::any_integer a) const { return strides_[a]; }
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    bool empty() const { return size_ == 0; }

    const T* data_handle() const { return data(); }
    const T* data() const { return share_ ? static_cast<const T*>(share_->data) : nullptr; }
    iterator begin() const { return data(); }
    iterator end() const { return data() + size_; }

    /// The element at one index per axis; negative indices count from the end. Throws if out of range.
    template <std::integral... I>
    const T& operator()(I... at) const {
        static_assert(sizeof...(I) == Rank, "sinter: a host_span takes one index per axis");
        const std::int64_t index[sizeof...(I) + 1] = {detail::as_int64(at)...};
        std::int64_t position = 0;
        bool inside = size_ > 0;
        for (int a = 0; a < static_cast<int>(sizeof...(I)); ++a) {
            const std::int64_t extent = extents_.extent[a], from_start = index[a] < 0 ? index[a] + extent : index[a];
            inside = inside && from_start >= 0 && from_start < extent;
            position += from_start * strides_.extent[a];
        }
        if (!inside) detail::throw_bad_element(index, extents_.extent, Rank);
        return data()[position];
    }

private:
    detail::storage_ref share_;
    sinter::shape<Rank> extents_, strides_;
    std::int64_t size_;
};

template <element_type T, int Rank>
host_span<T, Rank> array<T, Rank>::host_view() const {
    return host_span<T, Rank>(*this);
}

}  // namespace sinter
