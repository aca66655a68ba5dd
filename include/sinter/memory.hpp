// The memory of arrays: usage, limits and custom allocators. Not part of sinter.hpp: include <sinter/memory.hpp> as
// well.
//
//     memory_pool memory;                            // the current device's
//     memory.set_limit(std::size_t{4} << 30);
//     std::size_t n = memory.used_bytes();
//     memory.free_all_blocks();
#pragma once

#include <sinter/device.hpp>
#include <sinter/error.hpp>

#include <cstddef>
#include <memory>

namespace sinter {

/// Thrown where a device's memory, or the limit of its pool, does not suffice.
class out_of_memory : public error {
public:
    using error::error;
};

/// The source of array memory. Derive from it and pass it to memory_pool::set_allocator.
class memory_allocator {
public:
    virtual ~memory_allocator() = default;
    /// Device memory aligned to at least `alignment` bytes; null if there is not enough. Called from any thread,
    /// possibly concurrently; on a CUDA device its context is current.
    virtual void* allocate(std::size_t bytes, std::size_t alignment) = 0;
    /// Returns memory obtained from allocate with the same size. No work uses it any more.
    virtual void deallocate(void* memory, std::size_t bytes, std::size_t alignment) noexcept = 0;
};

/// The memory pool of a device's arrays and temporaries: freed blocks are cached for reuse. A handle. Blocks are up to
/// an eighth larger than requested.
class memory_pool {
public:
    /// Throws for a device without a pool (one of another library, or a mesh: query its members).
    explicit memory_pool(const device& of = current_device());

    /// Used by arrays, temporaries and plans.
    std::size_t used_bytes() const;
    /// Freed and cached.
    std::size_t free_bytes() const;
    /// Used and cached: the memory that other programs cannot use.
    std::size_t total_bytes() const { return used_bytes() + free_bytes(); }
    /// The maximum of used_bytes since the program's start or the last reset_peak.
    std::size_t peak_bytes() const;
    void reset_peak();

    /// The maximum size of the pool in bytes; 0 for unlimited. Initially SINTER_MEMORY_LIMIT: bytes, or 512MiB, 4GiB.
    std::size_t limit() const;
    /// Sets the limit. An allocation beyond it throws an error with the numbers and leaves the assignment's target
    /// unchanged. Memory already in use stays.
    void set_limit(std::size_t bytes);

    /// Returns cached blocks to the system or the allocator. Returns the number of bytes.
    std::size_t free_all_blocks();
    /// Uses a custom allocator; null selects the system's. Throws while memory is in use: call it before creating
    /// arrays.
    void set_allocator(std::shared_ptr<memory_allocator> from);

private:
    codegen::device* where_;
};

}  // namespace sinter
