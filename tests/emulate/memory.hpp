// The emulated device's memory: poisoned when new, with guard zones on both sides. It checks every access of a kernel
// and records which bytes have been written.
#pragma once

#include <tests/emulate/global_races.hpp>
#include <tests/emulate/stream_order.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinter::emulate {

/// Fills memory with a word that is a NaN as float and as both halves of a double, and an unlikely integer.
void poison(void* p, std::size_t bytes);
inline constexpr std::uint32_t poison_word = 0xfff8deadu;

/// Not thread-safe: the device serialises its use.
class memory {
public:
    explicit memory(std::size_t capacity) : capacity_(capacity) {}
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    void* allocate(std::size_t bytes);  ///< throws sinter::error beyond the capacity
    /// Frees memory; complaint() reports errors, such as an overwritten guard zone.
    void deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept;

    /// Whether [p, p + bytes) is in one allocation.
    bool holds(const void* p, std::size_t bytes) const;
    /// The allocation that contains an address or ends at it, or null.
    std::pair<const char*, const char*> bounds(const void* p) const;
    /// The same, for a read or write by the running piece of work. `complaint` receives the error if streams use the
    /// memory in no order.
    bool use(const void* p, std::size_t bytes, bool writes, std::string& complaint);
    /// The race detector's cells of these bytes of the device's memory, one per word. Null if the host is out of
    /// memory.
    race_cell* race_cells(const void* p, std::size_t bytes);
    /// Whether all of it has been written since it was allocated; true for memory that is not the device's.
    bool is_written(const void* p, std::size_t bytes) const;
    /// Reads which bytes have been written, and marks those that a copy of unwritten ones has overwritten.
    std::vector<unsigned char> written(const void* p, std::size_t bytes) const;
    void set_written(void* p, const std::vector<unsigned char>& flags);
    /// Describes an address relative to the nearest allocation.
    std::string describe(const void* p) const;
    /// Errors of guard zones or of memory freed since the last call; empty if there are none.
    std::string complaint();

    stream_order& streams() { return streams_; }
    std::size_t allocations() const { return live_.size(); }

private:
    struct freed {
        void operator()(race_cell* cells) const { std::free(cells); }
    };
    struct allocation {
        std::size_t bytes;
        char* base;
        std::size_t whole;
        mutable memory_uses uses;
        std::unique_ptr<unsigned char[]> written;             ///< per byte: 0, or 1 + the stream that wrote it
        mutable std::unique_ptr<race_cell[], freed> cells{};  ///< per word
    };
    std::string check_fences(const char* p, const allocation& a) const;

    std::map<const char*, allocation> live_;
    /// The allocations found last: a kernel uses the same few repeatedly.
    struct range {
        const char* begin = nullptr;
        const char* end = nullptr;
        memory_uses* uses = nullptr;
        unsigned char* written = nullptr;
        const allocation* whole = nullptr;
        std::uint64_t noted[2] = {};  ///< the pieces of work whose read and write are recorded
    };
    range* find(const void* p, std::size_t bytes) const;

    mutable std::array<range, 4> recent_;
    mutable std::size_t oldest_ = 0;
    stream_order streams_;
    std::size_t capacity_;
    std::size_t used_ = 0;
    std::string complaint_;
};

}  // namespace sinter::emulate
