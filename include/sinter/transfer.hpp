// Copies between the host and a device on a stream of their own, and pointers for the use of CUDA's own functions.
#pragma once

#include <sinter/create.hpp>

namespace sinter {
namespace detail {

/// Pinned memory of the host that a copy fills.
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

/// For functions outside Sinter that read the elements, or write them, on the present stream.
const void* readable(const storage_ref& s);
void* writable(const storage_ref& s);

}  // namespace detail

/// A copy of an array's values on its way to the host. Made by to_host(stream, x).
template <element_type T>
class host_copy {
public:
    /// Waits until the values are there. They stay as long as this object.
    std::span<const T> wait() const { return {static_cast<const T*>(copy_.wait()), size_}; }

    host_copy(const stream& q, const detail::storage_ref& from, std::size_t size) : copy_(q, from), size_(size) {}

private:
    detail::pinned_copy copy_;
    std::size_t size_;
};

/// A copy of host data on the stream's device, row-major, made in the order of the stream. Returns when `values` has
/// been read; the device may still be at it. Errors as from_host's.
template <detail::contiguous_elements C, int Rank>
[[nodiscard]] auto from_host(const stream& q, const C& values, const shape<Rank>& extents) {
    const stream_scope scope(q);
    return from_host(values, extents);
}
template <detail::contiguous_elements C, int N>
[[nodiscard]] auto from_host(const stream& q, const C& values, const detail::braced<N>& extents) {
    return from_host(q, values, shape<N>(extents));
}

/// Starts copying the values of an array or an expression to the host, in the order of the stream, and does not wait.
template <operand A>
[[nodiscard]] auto to_host(const stream& q, A&& a) {
    const stream_scope scope(q);
    const auto values = detail::evaluated(std::forward<A>(a));
    using T = typename decltype(values)::value_type;
    // as a leaf: it has storage even where the array was default-constructed
    const auto leaf = values.as_expr();
    detail::check_stream(q, leaf.leaves_.item, 1);
    return host_copy<T>(q, detail::dense(leaf.leaves_.item[0]), static_cast<std::size_t>(values.size()));
}

/// The address of the elements, row-major, on the array's device: the pointer's value is a CUdeviceptr there. For work
/// on the present stream that is submitted next. The elements may be written: a copy of the array keeps its own.
template <element_type T, int Rank>
[[nodiscard]] T* data(array<T, Rank>& a) {
    if (a.storage() && !detail::is_own(a.storage())) a = array<T, Rank>(detail::unshared(a.storage()));
    return a.storage() ? static_cast<T*>(detail::writable(a.storage())) : nullptr;
}
/// The same to read only. Throws where the array lies over memory that is not row-major: copy(a) is.
template <element_type T, int Rank>
[[nodiscard]] const T* data(const array<T, Rank>& a) {
    return a.storage() ? static_cast<const T*>(detail::readable(a.storage())) : nullptr;
}

}  // namespace sinter
