// What the interpreter asks of the device's memory.
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
    /// The allocation that an address is in or just behind; null where there is none.
    virtual std::pair<const char*, const char*> bounds(const void* p) const = 0;
    /// Whether all of it lies in one allocation.
    virtual bool holds(const void* p, std::size_t bytes) const = 0;
    /// Where an address lies, in words.
    virtual std::string describe(const void* p) const = 0;
    /// Notes an access of bytes that it holds. What is wrong with it; empty when nothing is.
    virtual std::string access(const void* p, std::size_t bytes, access_kind kind) = 0;

    // What orders blocks' accesses.
    virtual void start_launch(std::int64_t blocks) = 0;
    virtual void run_block(std::int64_t block) = 0;
    virtual void fence() = 0;
    virtual void start_cluster() = 0;
    virtual void arrive_at_cluster() = 0;
    virtual void pass_cluster() = 0;
};

}  // namespace sinter::interpret
