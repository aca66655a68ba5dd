// The interpreter's interface to the device's memory.
#pragma once

#include <tests/emulate/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sinter::interpret {

using sinter_emulate::access_kind;

class global_memory {
public:
    virtual ~global_memory() = default;
    /// The allocation that contains an address or ends at it, or null.
    virtual std::pair<const char*, const char*> bounds(const void* p) const = 0;
    /// Whether all of it is in one allocation.
    virtual bool holds(const void* p, std::size_t bytes) const = 0;
    /// Describes an address relative to the allocations.
    virtual std::string describe(const void* p) const = 0;
    /// Records an access of bytes of an allocation. Returns an error, or an empty string.
    virtual std::string access(const void* p, std::size_t bytes, access_kind kind) = 0;

    // The order of the blocks' accesses.
    virtual void start_launch(std::int64_t blocks) = 0;
    virtual void run_block(std::int64_t block) = 0;
    virtual void fence() = 0;
    virtual void start_cluster() = 0;
    virtual void arrive_at_cluster() = 0;
    virtual void pass_cluster() = 0;
};

}  // namespace sinter::interpret
