// Offsets that are known are looked up one by one; of others the expected number of units is counted.
#include <codegen/cost/sectors.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace sinter::codegen {
namespace {

/// An array of up to half of a multiprocessor's L1 cache stays there.
constexpr std::int64_t kept_bytes = 128 << 10;

std::int64_t known_units(const warp_value& at, int size, int bytes, lane_mask m, int unit) {
    std::set<std::int64_t> touched;
    for_lanes(m, [&](int lane) {
        const std::int64_t begin = at[lane] * size;
        for (std::int64_t b = begin; b < begin + bytes; b += std::min(bytes, unit)) touched.insert(b / unit);
    });
    return static_cast<std::int64_t>(touched.size());
}

/// Of so many units those that draws are expected to choose.
std::int64_t drawn_units(int draws, std::int64_t array_bytes, int unit) {
    if (array_bytes <= 0) return draws;
    const double units = std::max(1.0, static_cast<double>(array_bytes) / unit);
    return std::llround(units * (1 - std::pow(1 - 1 / units, draws)));
}

}  // namespace

touched_units units_touched(const warp_value& at, int size, int bytes, lane_mask m, std::int64_t array_bytes) {
    if (at.is_known)
        return {known_units(at, size, bytes, m, sector_bytes), known_units(at, size, bytes, m, line_bytes), 0};
    const int lanes = at.is_uniform ? 1 : std::popcount(m);
    const bool draws = at.depends_on_data() && bytes == size;
    const auto units = [&](int unit) -> std::int64_t {
        return draws ? drawn_units(lanes, array_bytes, unit) : (lanes * bytes + unit - 1) / unit;
    };
    const bool is_kept = array_bytes > 0 && array_bytes <= kept_bytes;
    return {units(sector_bytes), units(line_bytes), at.depends_on_data() && !is_kept ? units(sector_bytes) : 0};
}

}  // namespace sinter::codegen
