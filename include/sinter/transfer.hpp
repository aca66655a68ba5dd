// Host-device copies on a stream, and pointers for calling CUDA directly.
#pragma once

#include <sinter/create.hpp>

namespace sinter {
namespace detail {

/// Pinned host memory that a copy fills.
class pinned_copy {
public:
    pinned_copy(const stream& q, const storage_ref& from);
    ~pinned_copy();
    pinned_copy(pinned_copy&&) noexcept;
    pinned_copy& operator=(pinned_copy&&) = delete;

    const void* wait() const;

private:
    stream q_;
    std::size_t bytes_;
    void* data_;
    event done_;
};

/// For functions outside Sinter that read or write the elements on the current stream.
const void* readable(const storage_ref& s);
void* writable(const storage_ref& s);

}  // namespace detail

/// A copy of an array's values to the host in progress. Made by to_host(stream, x).
template <element_type T>
class host_copy {
public:
    /// Waits until the values have arrived. They are valid while this object exists.
    std::span<const T> wait() const { return {static_cast<const T*>(copy_.wait()), size_}; }

    host_copy(const stream& q, const detail::storage_ref& from, std::size_t size) : copy_(q, from), size_(size) {}

private:
    detail::pinned_copy copy_;
    std::size_t size_;
};

/// A row-major copy of host data on the stream's device, in stream order. Returns once `values` has been read; the
/// device may still be copying. Errors as from_host.
template <detail::contiguous_elements C, int Rank>
[[nodiscard]] auto from_host(const stream& q, const C& values, const shape<Rank>& extents) {
    const stream_scope scope(q);
    return from_host(values, extents);
}
template <detail::contiguous_elements C, int N>
[[nodiscard]] auto from_host(const stream& q, const C& values, const detail::braced<N>& extents) {
    return from_host(q, values, shape<N>(extents));
}

/// Starts copying the values of an array or an expression to the host, in stream order, without waiting.
template <operand A>
[[nodiscard]] auto to_host(const stream& q, A&& a) {
    const stream_scope scope(q);
    const auto values = detail::evaluated(std::forward<A>(a));
    using T = typename decltype(values)::value_type;
    // a leaf has storage even for a default-constructed array
    const auto leaf = values.as_expr();
    detail::check_stream(q, leaf.leaves_.item, 1);
    return host_copy<T>(q, detail::dense(leaf.leaves_.item[0]), static_cast<std::size_t>(values.size()));
}

/// The address of the row-major elements on the array's device (a CUdeviceptr value on a GPU), for the next work
/// submitted to the current stream. The elements may be written: they are not shared with copies of the array.
template <element_type T, int Rank>
[[nodiscard]] T* data(array<T, Rank>& a) {
    if (a.storage() && !detail::is_own(a.storage())) a = array<T, Rank>(detail::unshared(a.storage()));
    return a.storage() ? static_cast<T*>(detail::writable(a.storage())) : nullptr;
}
/// As above, read-only. Throws for memory that is not row-major: use copy(a).
template <element_type T, int Rank>
[[nodiscard]] const T* data(const array<T, Rank>& a) {
    return a.storage() ? static_cast<const T*>(detail::readable(a.storage())) : nullptr;
}

}  // namespace sinter
