// Shared ownership of an array's elements. Arrays and expressions hold storage through storage_ref; the only holder may
// write it.
#pragma once

#include <sinter/ir/node.hpp>

#include <atomic>
#include <utility>

namespace sinter {

namespace codegen {
class device;
}

namespace detail {

/// A block of elements on one device, row-major if owned.
struct storage {
    std::atomic<std::int32_t> references{1};
    /// The owners of the memory: all references together count once, and each graph that has recorded work on it. A
    /// graph is not a reference, so it does not prevent writing in place.
    std::atomic<std::int32_t> keepers{1};
    dtype type{};
    std::int8_t rank = 0;
    bool owned = true;     ///< false: external memory with its own strides; `release` is its deleter
    bool writable = true;  ///< false: external memory that is read-only
    void* data = nullptr;
    std::size_t bytes = 0;
    std::size_t reserved = 0;  ///< bytes of the allocation: more than `bytes` where first_elements has shortened it
    codegen::device* where = nullptr;
    /// The streams that have used the elements since the last write (codegen::stream_uses). Initially only the device's
    /// own stream.
    std::atomic<std::uint64_t> uses{1};
    std::int64_t extents[ir::max_rank] = {};
    std::int64_t strides[ir::max_rank] = {};  ///< in elements
    void (*release)(void* owner) = nullptr;   ///< called once, when the last reference to external memory is dropped
    void* owner = nullptr;
};

void drop_keeper(storage*) noexcept;

class storage_ref {
public:
    constexpr storage_ref() = default;
    explicit storage_ref(storage* adopted) noexcept : s_(adopted) {}
    storage_ref(const storage_ref& other) noexcept : s_(other.s_) {
        if (s_) s_->references.fetch_add(1, std::memory_order_relaxed);
    }
    storage_ref(storage_ref&& other) noexcept : s_(std::exchange(other.s_, nullptr)) {}
    storage_ref& operator=(storage_ref other) noexcept {
        std::swap(s_, other.s_);
        return *this;
    }
    ~storage_ref() {
        if (s_ && s_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) drop_keeper(s_);
    }

    storage* get() const { return s_; }
    storage* operator->() const { return s_; }
    explicit operator bool() const { return s_ != nullptr; }

private:
    storage* s_ = nullptr;
};

}  // namespace detail
}  // namespace sinter
