// A caching allocator: freed blocks are kept by size and reused, on the host as on a device.
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
    /// Aligned to at least 256 bytes; null if there is not enough memory.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* p, std::size_t bytes) noexcept = 0;
    virtual state query() const noexcept = 0;
};

/// The processor's memory; blocks of at least a huge page use huge pages.
memory_source& host_memory();

/// Blocks by size class and by list. A list serves work that runs in the order of its submission (a stream): it may
/// reuse a block while earlier work that used it is still in flight.
class pool {
public:
    /// `where` names the memory in messages: "host", "cuda(0)". The source must outlive the pool. `limit`: maximum of
    /// bytes drawn from the source; 0: none.
    pool(memory_source& source, std::string where, std::size_t limit = 0)
        : first_source_(source), source_(&source), where_(std::move(where)), limit_(limit) {}
    /// Returns cached blocks to the source; blocks in use stay with their users.
    ~pool() { trim(); }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    /// Never null, not even for 0 bytes. Throws sinter::error if cached blocks and the source together do not suffice.
    void* allocate(std::size_t bytes, int list = 0);
    /// `bytes`: the value passed to allocate.
    void deallocate(void* p, std::size_t bytes, int list = 0) noexcept;

    /// Returns all cached blocks to the source. Returns their bytes.
    std::size_t trim() noexcept;
    std::size_t cached_bytes() const;
    std::size_t used_bytes() const;
    std::size_t peak_bytes() const;
    void reset_peak();
    std::size_t limit() const;
    void set_limit(std::size_t bytes);
    /// Draws from another source; null: from the first one again. Throws while blocks are in use.
    void set_source(std::unique_ptr<memory_source> other);

    /// The size of the block that serves a request.
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
        0;  ///< requested from the source; counted towards the limit, so that concurrent requests respect it
    std::size_t peak_bytes_ = 0;
    std::size_t limit_;
};

/// The value of SINTER_MEMORY_LIMIT; 0 if it is not set.
std::size_t limit_from_environment();

/// "1.5 GiB", for messages.
std::string readable_bytes(std::size_t bytes);

}  // namespace sinter::codegen
