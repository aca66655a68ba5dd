// Temporary memory from the host's pool, whose blocks are used again without new page faults.
#pragma once

#include <runtime/host/host_device.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinter::codegen {

/// Uninitialised memory for `count` elements of T.
template <class T>
class pooled {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit pooled(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
        if (bytes_ > 0) memory_ = host_device_instance().allocate(bytes_);
    }
    ~pooled() {
        if (memory_ != nullptr) host_device_instance().deallocate(memory_, bytes_, {});
    }
    pooled(const pooled&) = delete;
    pooled& operator=(const pooled&) = delete;

    T* get() const { return static_cast<T*>(memory_); }

private:
    std::size_t bytes_;
    void* memory_ = nullptr;
};

}  // namespace sinter::codegen
