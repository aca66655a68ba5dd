// Values of the 32 lanes of a warp: one dense array per value, lane after lane. A mask says which lanes are active.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sinter::interpret {

inline constexpr int warp_lanes = 32;
using lane_mask = std::uint32_t;
inline constexpr lane_mask all_lanes = 0xffffffffu;

inline int first_lane(lane_mask m) { return std::countr_zero(m); }

template <class F>
void for_lanes(lane_mask m, F f) {
    for (; m != 0; m &= m - 1) f(first_lane(m));
}

/// Copies the values of the active lanes, `count` arrays one after the other.
inline void copy_lanes(char* to, const char* from, std::size_t size, lane_mask m, int count = 1) {
    const std::size_t whole = size * warp_lanes;
    if (m == all_lanes) {
        std::memcpy(to, from, whole * static_cast<std::size_t>(count));
        return;
    }
    for (int i = 0; i < count; ++i, to += whole, from += whole)
        for_lanes(m, [&](int lane) {
            const std::size_t at = size * static_cast<std::size_t>(lane);
            std::memcpy(to + at, from + at, size);
        });
}

}  // namespace sinter::interpret
