// Rows that begin at any element, and what moves with them.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// The neighbours that an access can move from the first aligned element on, or 1 where
/// that would not pay.
int peeled_vector(const loop_nest& k, const std::vector<int>& alignment);

/// Whether a layout moves along all outer axes: in a peeled schedule its accesses are wide, as their rows begin at the
/// same distance from an aligned element. Others, which rows share, are single.
inline bool moves_with_rows(const loop_nest& k, int layout_position) {
    const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
    return std::all_of(k.outer.begin(), k.outer.end(),
                       [&](int axis) { return l.stride[static_cast<std::size_t>(axis)] != 0; });
}

/// Whether elements of a layout may stay in registers from loop to loop. Where blocks go over many rows to fold
/// columns, what all rows share is read again: it is in the L1 cache, and registers are few.
inline bool may_be_cached(const loop_nest& k, int layout_position) {
    return k.block_axis < 0 || moves_with_rows(k, layout_position);
}

/// The whole vectors of all peeled rows, each in so many parts, and the elements around them.
struct peeled_counts {
    std::int64_t wide = 0, single = 0;
};
/// Threads past the last row repeat it: `repeated` times.
peeled_counts count_peeled(const loop_nest& k, const schedule& s, std::int64_t trips, int parts, std::int64_t repeated);

}  // namespace sinter::codegen
