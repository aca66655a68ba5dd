// Ranges of indices along an axis.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

/// Converts to an index into a standard container.
constexpr std::size_t as_size(int i) { return static_cast<std::size_t>(i); }

/// The half-open range [begin, end).
struct interval {
    std::int64_t begin = 0, end = 0;

    constexpr std::int64_t size() const { return end - begin; }
    constexpr bool empty() const { return end <= begin; }
    constexpr bool contains(const interval& other) const {
        return other.empty() || (begin <= other.begin && other.end <= end);
    }
    constexpr auto operator<=>(const interval&) const = default;
};

constexpr interval intersection(const interval& a, const interval& b) {
    const interval both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
    return both.empty() ? interval{both.begin, both.begin} : both;
}
constexpr interval hull(const interval& a, const interval& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// A member's part of an axis. If the extent is not a multiple of the members, the first ones have one more element.
constexpr interval part_of(std::int64_t extent, int member, int members) {
    const std::int64_t each = extent / members, more = extent % members;
    const std::int64_t first = each * member + std::min<std::int64_t>(member, more);
    return {first, first + each + (member < more ? 1 : 0)};
}

}  // namespace sinter::codegen
