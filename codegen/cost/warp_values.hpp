// Index arithmetic of the 32 lanes of a warp. Values that depend on data are unknown.
#pragma once

#include <codegen/device/program.hpp>
#include <codegen/schedule/architecture.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace sinter::codegen {

using lane_mask = std::uint32_t;

template <class F>
void for_lanes(lane_mask m, F f) {
    for (; m != 0; m &= m - 1) f(std::countr_zero(m));
}

/// A value per lane; undefined for inactive lanes.
struct warp_value {
    bool is_known = false;
    std::array<std::int64_t, warp_lanes> lanes{};
    bool is_of_indices = false;  ///< unknown, but computed from known values
    bool is_uniform = false;     ///< unknown, but the same in all lanes
    bool is_product = false;

    /// Whether lanes may differ by what data say.
    bool depends_on_data() const { return !is_known && !is_of_indices && !is_uniform; }
    bool is_same_in_all_lanes() const {
        return is_known ? std::all_of(lanes.begin(), lanes.end(), [&](std::int64_t n) { return n == lanes[0]; })
                        : is_uniform;
    }

    std::int64_t& operator[](int lane) { return lanes[static_cast<std::size_t>(lane)]; }
    std::int64_t operator[](int lane) const { return lanes[static_cast<std::size_t>(lane)]; }

    static warp_value of(std::int64_t n) {
        warp_value v{true, {}};
        v.lanes.fill(n);
        return v;
    }
    static warp_value counting(std::int64_t first) {
        warp_value v{true, {}};
        for (std::int64_t& n : v.lanes) n = first++;
        return v;
    }

    /// A mask of the lanes whose value is not 0.
    lane_mask truths() const {
        lane_mask m = 0;
        for (int lane = 0; lane < warp_lanes; ++lane) m |= lane_mask{(*this)[lane] != 0} << lane;
        return m;
    }
    void assign(const warp_value& from, lane_mask m) {
        is_known = from.is_known;
        is_of_indices = from.is_of_indices;
        is_uniform = from.is_uniform;
        is_product = from.is_product;
        for_lanes(m, [&](int lane) { (*this)[lane] = from[lane]; });
    }
    template <class F>
    void each(lane_mask m, F f) {
        for_lanes(m, [&](int lane) { (*this)[lane] = f((*this)[lane]); });
    }
};

/// Converts to an integer type as C++ does.
warp_value converted(dtype type, const warp_value& v);

/// `how` of two values, in `type`; conditions are 0 or 1. `both` is known if one operand is known to be false.
warp_value combined(device_ir::arithmetic_kind how, dtype type, const warp_value& a, const warp_value& b);
warp_value negated(const warp_value& condition);
warp_value chosen(const warp_value& condition, const warp_value& yes, const warp_value& no);

/// (hi(n * multiplier) + n) >> shift: see launch_value.cpp.
warp_value quotients(const warp_value& n, const warp_value& multiplier, const warp_value& shift, bool wide);

}  // namespace sinter::codegen
