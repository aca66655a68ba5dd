// The memory of arrays: how much of it there is, a limit, and an allocator of one's own. Not part of sinter.hpp:
// include <sinter/memory.hpp> beside it.
//
//     memory_pool memory;                            // the current device's
//     memory.set_limit(std::size_t{4} << 30);
//     std::size_t n = memory.used_bytes();
//     memory.free_all_blocks();
#pragma once

#include <sinter/device.hpp>

#include <cstddef>
#include <memory>

namespace sinter {

/// Where memory for arrays is from. Derive from it, and give it to memory_pool::set_allocator.
class memory_allocator {
public:
    virtual ~memory_allocator() = default;
    /// Memory of the device, aligned to `alignment` bytes at least; null where there is not enough. Called by any
    /// thread, by one at a time or by several; on a CUDA device with its context current.
    virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    /// What allocate gave for as many bytes. No work uses it any more.
    virtual void deallocate(void* memory, std::size_t bytes, std::size_t alignment) noexcept = 0;
};

/// The memory that a device's arrays, and what is computed in between, are in: blocks that are given back are kept for
/// the next array. A handle. Blocks are up to an eighth larger than what was asked for.
class memory_pool {
public:
    /// Throws for a device that has no such pool (one of another library, or a mesh: ask its members).
    explicit memory_pool(const device& of = current_device());

    /// In use by arrays, temporaries and plans.
    std::size_t used_bytes() const;
    /// Given back, and kept.
    std::size_t free_bytes() const;
    /// Both: what other programs cannot have.
    std::size_t total_bytes() const { return used_bytes() + free_bytes(); }
    /// The most that has been in use since the program's start, or since reset_peak.
    std::size_t peak_bytes() const;
    void reset_peak();

    /// How many bytes the pool takes at most; 0 for as many as there are. From the start what SINTER_MEMORY_LIMIT says:
    /// bytes, or 512MiB, 4GiB.
    std::size_t limit() const;
    /// Sets it. An allocation beyond is an error that gives the numbers, and leaves what was to be assigned to as it
    /// was. What is in use already stays.
    void set_limit(std::size_t bytes);

    /// Gives the blocks that are kept back to the system, or to the allocator. Returns their bytes.
    std::size_t free_all_blocks();
    /// Takes memory from an allocator of one's own; null: from the system again. Throws while memory is in use: set it
    /// before the first array is made.
    void set_allocator(std::shared_ptr<memory_allocator> from);

private:
    codegen::device* where_;
};

}  // namespace sinter
