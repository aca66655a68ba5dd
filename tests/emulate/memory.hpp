// The emulated device's memory: poisoned when new, fenced on both sides, and every access of a kernel looked up. Which
// bytes have been written is known, too.
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

/// Fills memory with a word that is a NaN as float and as two halves of a double, and no likely integer.
void poison(void* p, std::size_t bytes);
inline constexpr std::uint32_t poison_word = 0xfff8deadu;

/// Not safe to use from several threads at once: the device sees to that.
class memory {
public:
    explicit memory(std::size_t capacity) : capacity_(capacity) {}
    ~memory();
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;

    void* allocate(std::size_t bytes);  ///< throws sinter::error beyond the capacity
    /// Gives memory back; what is wrong with it, a broken fence say, is for complaint() to tell.
    void deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept;

    /// Whether [p, p + bytes) lies in one allocation.
    bool holds(const void* p, std::size_t bytes) const;
    /// The allocation that an address is in or just behind; null where there is none.
    std::pair<const char*, const char*> bounds(const void* p) const;
    /// The same for the piece of work that is running, which reads or writes it. What is wrong with that, if streams
    /// use it in no order, goes to `complaint`.
    bool use(const void* p, std::size_t bytes, bool writes, std::string& complaint);
    /// What finds races on these bytes of the device's memory: a cell for each word that they lie in. Null where the
    /// host has no room for it.
    race_cell* race_cells(const void* p, std::size_t bytes);
    /// Whether all of it has been written since it was allocated. Of memory that is not the device's: true.
    bool is_written(const void* p, std::size_t bytes) const;
    /// Which bytes have been written, and to say so: what a copy takes from one place to another.
    std::vector<unsigned char> written(const void* p, std::size_t bytes) const;
    void set_written(void* p, const std::vector<unsigned char>& flags);
    /// Where an address lies, in words, beside the allocation nearest to it.
    std::string describe(const void* p) const;
    /// What is wrong with any fence or with any memory given back since the last call; empty when nothing is.
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
        std::unique_ptr<unsigned char[]> written;             ///< of each byte: 1 where it has been
        mutable std::unique_ptr<race_cell[], freed> cells{};  ///< of each word
    };
    std::string check_fences(const char* p, const allocation& a) const;

    std::map<const char*, allocation> live_;
    /// The allocations found last: a kernel comes back to the same few.
    struct range {
        const char* begin = nullptr;
        const char* end = nullptr;
        memory_uses* uses = nullptr;
        unsigned char* written = nullptr;
        const allocation* whole = nullptr;
        std::uint64_t noted[2] = {};  ///< the piece of work whose read, and whose write, is noted
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
