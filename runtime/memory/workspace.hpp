// Memory shared by the blocks of a split reduction: partial results, and the tickets or barriers that coordinate them.
#pragma once

#include <runtime/devices/device.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace sinter::codegen {

/// Memory that is zeroed once and left unchanged by each launch. Launches on one stream share it, since they run one
/// after another; each stream has its own.
class workspace {
public:
    /// Allocates the current stream's.
    workspace(device& where, std::size_t bytes);
    ~workspace();
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    /// The current stream's.
    void* here() const {
        void* const known = places_[static_cast<std::size_t>(where_.stream_now())].load(std::memory_order_acquire);
        return known != nullptr ? known : make();
    }

private:
    void* make() const;

    device& where_;
    const std::size_t bytes_;
    mutable std::array<std::atomic<void*>, max_streams> places_{};
};

}  // namespace sinter::codegen
