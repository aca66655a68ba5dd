// The caching allocator and the host's memory source.
#include <runtime/memory/pool.hpp>

#include <codegen/support/created_once.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace sinter::codegen {

namespace {

constexpr std::size_t smallest = 512;
constexpr std::size_t huge_page = std::size_t{2} << 20;
// Size classes at eighths of a power of two waste at most 12.5 % of a block. For large blocks that would be gigabytes,
// so beyond 512 MiB the classes are 64 MiB apart.
constexpr std::size_t steps = 8;
constexpr std::size_t large = std::size_t{512} << 20;
constexpr std::size_t large_step = large / steps;
constexpr std::size_t small_classes = 1 + steps * static_cast<std::size_t>(std::countr_zero(large / smallest));

struct size_class {
    std::size_t index;
    std::size_t bytes;
};

size_class class_of(std::size_t bytes) {
    if (bytes <= smallest) return {0, smallest};
    if (bytes > large) {
        const std::size_t step = (bytes - large + large_step - 1) / large_step;
        return {small_classes + step - 1, large + step * large_step};
    }
    const std::size_t below = std::bit_floor(bytes - 1);  // below < bytes <= 2 * below
    const std::size_t width = below / steps;
    const std::size_t step = (bytes - below + width - 1) / width;
    const auto octave = static_cast<std::size_t>(std::countr_zero(below / smallest));
    return {octave * steps + step, below + step * width};
}

std::size_t bytes_of(std::size_t index) {
    if (index == 0) return smallest;
    if (index >= small_classes) return large + (index - small_classes + 1) * large_step;
    const std::size_t below = smallest << ((index - 1) / steps);
    return below + ((index - 1) % steps + 1) * (below / steps);
}

class host_source final : public memory_source {
public:
    void* allocate(std::size_t bytes) override {
        const bool huge = bytes >= huge_page;
        const std::size_t alignment = huge ? huge_page : 256;
        void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        // Advice only: without huge pages, the system uses small ones.
        if (p != nullptr && huge) static_cast<void>(madvise(p, bytes / huge_page * huge_page, MADV_HUGEPAGE));
        return p;
    }

    void release(void* p, std::size_t) noexcept override { std::free(p); }

    state query() const noexcept override {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        return {static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
                static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page};
    }
};

}  // namespace

memory_source& host_memory() {
    static constinit std::atomic<host_source*> source{nullptr};
    return created_once(source, [] { return new host_source; });
}

std::size_t pool::block_bytes(std::size_t bytes) { return class_of(bytes).bytes; }

void* pool::cached_block(std::size_t list, std::size_t index) {
    if (list >= cached_.size() || index >= cached_[list].size() || cached_[list][index].empty()) return nullptr;
    void* const p = cached_[list][index].back();
    cached_[list][index].pop_back();
    cached_bytes_ -= bytes_of(index);
    return p;
}

void* pool::allocate(std::size_t bytes, int list) {
    // More than any source has; rejected here so that rounding up cannot overflow.
    if (bytes > std::numeric_limits<std::size_t>::max() / 4) throw_out_of_memory(bytes);
    const size_class c = class_of(bytes);
    {
        const std::lock_guard lock(mutex_);
        void* const p = cached_block(static_cast<std::size_t>(list), c.index);
        if (p != nullptr) {
            use(c.bytes);
            return p;
        }
        const std::size_t taken = used_bytes_ + pending_bytes_;
        if (limit_ > 0 && taken + cached_bytes_ + c.bytes > limit_) {
            trim_locked();
            if (taken + c.bytes > limit_) throw_beyond_limit(bytes, taken, limit_);
        }
        pending_bytes_ += c.bytes;
    }
    try {
        void* p = source_->allocate(c.bytes);
        if (p == nullptr && trim() > 0) p = source_->allocate(c.bytes);
        if (p == nullptr) throw_out_of_memory(bytes);
        const std::lock_guard lock(mutex_);
        pending_bytes_ -= c.bytes;
        use(c.bytes);
        return p;
    } catch (...) {
        const std::lock_guard lock(mutex_);
        pending_bytes_ -= c.bytes;
        throw;
    }
}

void pool::use(std::size_t bytes) {
    used_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, used_bytes_);
}

void pool::deallocate(void* p, std::size_t bytes, int list) noexcept {
    if (p == nullptr) return;
    const size_class c = class_of(bytes);
    try {
        const std::lock_guard lock(mutex_);
        used_bytes_ -= c.bytes;
        const auto l = static_cast<std::size_t>(list);
        if (l >= cached_.size()) cached_.resize(l + 1);
        if (c.index >= cached_[l].size()) cached_[l].resize(c.index + 1);
        cached_[l][c.index].push_back(p);
        cached_bytes_ += c.bytes;
    } catch (...) {  // no memory for the list entry
        source_->release(p, c.bytes);
    }
}

std::size_t pool::trim_locked() noexcept {
    for (auto& list : cached_) {
        for (std::size_t index = 0; index < list.size(); ++index) {
            for (void* p : list[index]) source_->release(p, bytes_of(index));
            list[index].clear();
        }
    }
    return std::exchange(cached_bytes_, 0);
}

std::size_t pool::trim() noexcept try {
    const std::lock_guard lock(mutex_);
    return trim_locked();
} catch (const error&) {  // in a child that was forked during an operation on the pool
    return 0;
}

std::size_t pool::cached_bytes() const {
    const std::lock_guard lock(mutex_);
    return cached_bytes_;
}

std::size_t pool::used_bytes() const {
    const std::lock_guard lock(mutex_);
    return used_bytes_;
}

std::size_t pool::peak_bytes() const {
    const std::lock_guard lock(mutex_);
    return peak_bytes_;
}

void pool::reset_peak() {
    const std::lock_guard lock(mutex_);
    peak_bytes_ = used_bytes_;
}

std::size_t pool::limit() const {
    const std::lock_guard lock(mutex_);
    return limit_;
}

void pool::set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    if (limit_ > 0 && used_bytes_ + pending_bytes_ + cached_bytes_ > limit_) trim_locked();
}

void pool::set_source(std::unique_ptr<memory_source> other) {
    const std::lock_guard lock(mutex_);
    if (used_bytes_ + pending_bytes_ > 0)
        throw error(fmt::format(
            "set_allocator: {} of {}'s memory are in use, and would be given back to another allocator; set "
            "it before the first array is made",
            readable_bytes(used_bytes_ + pending_bytes_), where_));
    trim_locked();
    source_ = other ? other.get() : &first_source_;
    other_source_ = std::move(other);
}

void pool::throw_beyond_limit(std::size_t bytes, std::size_t used, std::size_t limit) const {
    throw out_of_memory(
        fmt::format("out of memory on {}: asked for {}, {} of the limit of {} are in use; release arrays that are no "
                    "longer needed, or raise the limit (memory_pool::set_limit, SINTER_MEMORY_LIMIT)",
                    where_, readable_bytes(bytes), readable_bytes(used), readable_bytes(limit)));
}

void pool::throw_out_of_memory(std::size_t bytes) const {
    const memory_source::state s = source_->query();
    if (s.total_bytes == 0)  // a user's allocator
        throw out_of_memory(fmt::format("out of memory on {}: asked for {}, which the allocator does not have", where_,
                                        readable_bytes(bytes)));
    throw out_of_memory(
        fmt::format("out of memory on {}: asked for {}, {} of {} are free; release arrays that are no longer "
                    "needed, or work on smaller pieces",
                    where_, readable_bytes(bytes), readable_bytes(s.free_bytes), readable_bytes(s.total_bytes)));
}

std::size_t limit_from_environment() {
    constexpr const char* name = "SINTER_MEMORY_LIMIT";
    constexpr std::pair<const char*, int> units[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    const std::string value = environment(name);
    if (value.empty()) return 0;
    std::string_view digits = value;
    int shift = 0;
    for (const auto& [unit, power] : units)
        if (digits.ends_with(unit)) {
            digits.remove_suffix(3);
            shift = power;
            break;
        }
    std::size_t count = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (failure != std::errc() || end != digits.data() + digits.size() || count == 0 ||
        count > (~std::size_t{0} >> shift))
        refuse_environment(name, value, "use a number of bytes, or one of KiB, MiB, GiB or TiB as in 512MiB");
    return count << shift;
}

std::string readable_bytes(std::size_t bytes) {
    constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    auto amount = static_cast<double>(bytes) / 1024;
    int unit = 0;
    for (; amount >= 1024 && unit < 5; ++unit) amount /= 1024;
    return fmt::format("{:.1f} {}", amount, units[unit]);
}

}  // namespace sinter::codegen
