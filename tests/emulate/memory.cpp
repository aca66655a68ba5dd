// Allocations with poisoned guard zones on both sides.
#include <tests/emulate/memory.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

namespace sinter::emulate {
namespace {

constexpr std::size_t fence = 256;  // also the alignment of allocations

/// The first byte of [from, to) that is no longer poison, or null. Words are counted from `from`.
const char* first_damage(const char* from, const char* to) {
    for (const char* p = from; p < to; ++p) {
        const std::size_t shift = 8 * (static_cast<std::size_t>(p - from) % 4);
        if (static_cast<unsigned char>(*p) != static_cast<unsigned char>(poison_word >> shift)) return p;
    }
    return nullptr;
}

}  // namespace

void poison(void* p, std::size_t bytes) {
    auto* to = static_cast<char*>(p);
    for (; bytes >= sizeof poison_word; bytes -= sizeof poison_word, to += sizeof poison_word)
        std::memcpy(to, &poison_word, sizeof poison_word);
    if (bytes != 0) std::memcpy(to, &poison_word, bytes);
}

memory::~memory() {
    for (const auto& [p, a] : live_) std::free(a.base);
}

void* memory::allocate(std::size_t bytes) {
    if (bytes > capacity_ - used_)
        throw error(
            fmt::format("emulated: out of memory: {} bytes asked for, {} of {} free; release arrays or raise "
                        "the emulated device's memory",
                        bytes, capacity_ - used_, capacity_));
    const std::size_t whole = fence + (bytes + fence - 1) / fence * fence + fence;
    char* base = static_cast<char*>(std::aligned_alloc(fence, whole));
    if (base == nullptr) throw error(fmt::format("emulated: the host has no {} bytes left; release arrays", whole));
    poison(base, whole);
    char* p = base + fence;
    poison(p + bytes, whole - fence - bytes);  // words counted from its start, for any `bytes`
    live_.emplace(p, allocation{bytes, base, whole, {}, std::make_unique<unsigned char[]>(bytes)});
    used_ += bytes;
    return p;
}

void memory::deallocate(void* p, std::size_t bytes, codegen::stream_uses uses) noexcept {
    if (p == nullptr) return;
    const auto found = live_.find(static_cast<char*>(p));
    if (found == live_.end()) {
        complaint_ = fmt::format("emulated: {} was given back, but it is not allocated", p);
        return;
    }
    const allocation a = std::move(found->second);
    if (bytes != a.bytes) complaint_ = fmt::format("emulated: {} bytes were given back as {} bytes", a.bytes, bytes);
    if (std::string damage = check_fences(found->first, a); !damage.empty()) complaint_ = damage;
    if (std::string early = streams_.give_back(a.uses, uses); !early.empty()) complaint_ = early;
    used_ -= a.bytes;
    live_.erase(found);
    recent_ = {};
    poison(a.base, a.whole);
    std::free(a.base);
}

memory::range* memory::find(const void* p, std::size_t bytes) const {
    const auto* from = static_cast<const char*>(p);
    for (range& r : recent_)
        if (from >= r.begin && from + bytes <= r.end) return &r;
    auto after = live_.upper_bound(from);
    if (after == live_.begin()) return nullptr;
    --after;
    const char* begin = after->first;
    const char* end = begin + after->second.bytes;
    if (from + bytes > end) return nullptr;
    range& found = recent_[oldest_];
    oldest_ = (oldest_ + 1) % recent_.size();
    found = {begin, end, &after->second.uses, after->second.written.get(), &after->second, {}};
    return &found;
}

bool memory::holds(const void* p, std::size_t bytes) const { return find(p, bytes) != nullptr; }

std::pair<const char*, const char*> memory::bounds(const void* p) const {
    const range* const found = find(p, 0);
    if (found == nullptr) return {};
    return {found->begin, found->end};
}

bool memory::use(const void* p, std::size_t bytes, bool writes, std::string& complaint) {
    range* const found = find(p, bytes);
    if (found == nullptr) return false;
    const bool first = std::exchange(found->noted[writes ? 1 : 0], streams_.begun()) != streams_.begun();
    if (first || writes || found->uses->unordered)
        complaint = streams_.use(*found->uses, found->written + (static_cast<const char*>(p) - found->begin), bytes,
                                 writes, first);
    return true;
}

race_cell* memory::race_cells(const void* p, std::size_t bytes) {
    const range* const found = find(p, bytes);
    if (found == nullptr) return nullptr;
    const allocation& a = *found->whole;
    if (a.cells == nullptr)  // zeros; the host allocates only the pages in use
        a.cells.reset(static_cast<race_cell*>(std::calloc((a.bytes + race_word - 1) / race_word, sizeof(race_cell))));
    if (a.cells == nullptr) return nullptr;
    return a.cells.get() + static_cast<std::size_t>(static_cast<const char*>(p) - found->begin) / race_word;
}

bool memory::is_written(const void* p, std::size_t bytes) const {
    const range* const found = find(p, bytes);
    if (found == nullptr) return true;
    return std::memchr(found->written + (static_cast<const char*>(p) - found->begin), 0, bytes) == nullptr;
}

std::vector<unsigned char> memory::written(const void* p, std::size_t bytes) const {
    const range* const found = find(p, bytes);
    if (found == nullptr) return std::vector<unsigned char>(bytes, 1);
    const unsigned char* const flags = found->written + (static_cast<const char*>(p) - found->begin);
    return {flags, flags + bytes};
}

void memory::set_written(void* p, const std::vector<unsigned char>& flags) {
    const range* const found = find(p, flags.size());
    if (found == nullptr) return;
    unsigned char* const own = found->written + (static_cast<const char*>(p) - found->begin);
    for (std::size_t i = 0; i < flags.size(); ++i)
        if (flags[i] == 0) own[i] = 0;
}

std::string memory::describe(const void* p) const {
    constexpr std::ptrdiff_t far = std::ptrdiff_t{1} << 20;
    const auto* at = static_cast<const char*>(p);
    const auto after = live_.upper_bound(at);
    std::ptrdiff_t past = far, ahead = far;  // distances to the neighbours below and above
    if (after != live_.begin()) {
        const auto below = std::prev(after);
        past = at - below->first - static_cast<std::ptrdiff_t>(below->second.bytes);
        if (past < 0) return fmt::format("at byte {} of {} allocated", at - below->first, below->second.bytes);
    }
    if (after != live_.end()) ahead = after->first - at;
    if (past >= far && ahead >= far) return fmt::format("at {}, far from all of the device's memory", p);
    if (ahead < past) return fmt::format("{} bytes before {} allocated bytes", ahead, after->second.bytes);
    return fmt::format("{} bytes past the end of {} allocated bytes", past, std::prev(after)->second.bytes);
}

std::string memory::check_fences(const char* p, const allocation& a) const {
    if (const char* damage = first_damage(a.base, p); damage != nullptr)
        return fmt::format("emulated: something wrote {} bytes before {} allocated bytes", p - damage, a.bytes);
    if (const char* damage = first_damage(p + a.bytes, a.base + a.whole); damage != nullptr)
        return fmt::format("emulated: something wrote {} bytes past the end of {} allocated bytes",
                           damage - (p + a.bytes), a.bytes);
    return {};
}

std::string memory::complaint() {
    for (const auto& [p, a] : live_) {
        if (!complaint_.empty()) break;
        complaint_ = check_fences(p, a);
        if (complaint_.empty()) continue;
        poison(a.base, fence);  // restored: each error is reported once
        poison(a.base + fence + a.bytes, a.whole - fence - a.bytes);
    }
    return std::exchange(complaint_, {});
}

}  // namespace sinter::emulate
