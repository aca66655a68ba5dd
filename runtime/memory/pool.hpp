// A caching allocator: blocks that are given back are kept by size and handed out again, on the host as on a device.
#pragma once

#include <runtime/system/fork.hpp>

#include <cstddef>
#include <memory>
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
    /// `limit` is of the bytes that it takes; 0: none.
    pool(memory_source& source, std::string where, std::size_t limit = 0)
        : first_source_(source), source_(&source), where_(std::move(where)), limit_(limit) {}
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
    std::size_t used_bytes() const;
    std::size_t peak_bytes() const;
    void reset_peak();
    std::size_t limit() const;
    void set_limit(std::size_t bytes);
    /// Draws from another source, or from the first one again. Throws while blocks are in use.
    void set_source(std::unique_ptr<memory_source> other);

    /// The size of the block that a request gets.
    static std::size_t block_bytes(std::size_t bytes);

private:
    [[noreturn]] void throw_out_of_memory(std::size_t bytes) const;
    [[noreturn]] void throw_beyond_limit(std::size_t bytes, std::size_t used, std::size_t limit) const;
    std::size_t trim_locked() noexcept;
    void* cached_block(std::size_t list, std::size_t index);
    void use(std::size_t bytes);

    memory_source& first_source_;
    std::unique_ptr<memory_source> other_source_;
    memory_source* source_;
    const std::string where_;
    mutable fork_safe<std::mutex> mutex_;
    std::vector<std::vector<std::vector<void*>>> cached_;  ///< by list and size class
    std::size_t cached_bytes_ = 0;
    std::size_t used_bytes_ = 0;
    std::size_t pending_bytes_ =
        0;  ///< asked of the source; they count for the limit, so that threads together keep it
    std::size_t peak_bytes_ = 0;
    std::size_t limit_;
};

/// What SINTER_MEMORY_LIMIT says; 0 where it is not set.
std::size_t limit_from_environment();

/// "1.5 GiB", for messages.
std::string readable_bytes(std::size_t bytes);

}  // namespace sinter::codegen
