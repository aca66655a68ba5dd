// A caching allocator: blocks that are given back are kept by size and handed out again, on the host as on a device.
#pragma once

#include <runtime/system/fork.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// The memory that a pool draws from.
class memory_source {
public:
    struct state {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
    };

    virtual ~memory_source() = default;
    /// Aligned to 256 bytes at least; null when there is not enough.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* p, std::size_t bytes) noexcept = 0;
    virtual state query() const noexcept = 0;
};

/// The processor's memory, in huge pages where a block fills some.
memory_source& host_memory();

/// Blocks by size class and by list. A list is for work that runs in the order of its submission (a stream): a block
/// may be handed out again from its list while work that used it is still in flight.
class pool {
public:
    /// `where` names the memory in messages: "host", "cuda(0)". The source must outlive the pool.
    pool(memory_source& source, std::string where) : source_(source), where_(std::move(where)) {}
    /// Gives cached blocks back to the source; blocks in use stay with their users.
    ~pool() { trim(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// Never null, also for 0 bytes. Throws sinter::error when cached blocks and the source together do not suffice.
    void* allocate(std::size_t bytes, int list = 0);
    /// `bytes` as it was asked for.
    void deallocate(void* p, std::size_t bytes, int list = 0) noexcept;

    /// Gives all cached blocks back to the source. Returns their bytes.
    std::size_t trim() noexcept;
    std::size_t cached_bytes() const;

    /// The size of the block that a request gets.
    static std::size_t block_bytes(std::size_t bytes);

private:
    [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;

    memory_source& source_;
    const std::string where_;
    mutable fork_safe<std::mutex> mutex_;
    std::vector<std::vector<std::vector<void*>>> cached_;  ///< by list and size class
    std::size_t cached_bytes_ = 0;
};

/// "1.5 GiB", for messages.
std::string readable_bytes(std::size_t bytes);

}  // namespace sinter::codegen
