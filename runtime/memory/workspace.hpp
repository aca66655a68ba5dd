// What a split reduction's blocks share: partial results, and the tickets or barriers by which blocks find each other.
#pragma once

#include <runtime/devices/device.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace sinter::codegen {

/// Memory that is zeroed once, and that each launch leaves as it found it. Launches of one stream share it, since they
/// run one after the other; each stream has its own.
class workspace {
public:
    /// Makes that of the present stream.
    workspace(device& where, std::size_t bytes);
    ~workspace();
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    /// The present stream's.
    void* here() const {
        void* const known = places_[static_cast<std::size_t>(where_.stream_now())].load(std::memory_order_acquire);
        return known != nullptr ? known : make();
    }

private:
    void* make() const;

    device& where_;
    const std::size_t bytes_;
    mutable std::array<std::atomic<void*>, most_streams> places_{};
};

}  // namespace sinter::codegen
