// Loops that several blocks share by way of barriers of the whole grid.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstdint>

namespace sinter::codegen {

/// What a form knows of the loops that blocks might share.
struct shared_loops {
    std::int64_t tiles = 1;  ///< groups, or tiles of them
    std::int64_t steps = 1;  ///< accesses of a block's threads along the longest loop
    int kept_bytes = 0;      ///< that one such access adds to a thread's registers if it is register_cached, or 0
    int max_kept = 1;        ///< accesses of a thread that can be kept, as far as compile time is concerned
    int max_unroll = 1;      ///< accesses of a thread under way at once, when they are not kept
};

/// Turns `s`, whose block and group are chosen, into a schedule with grid barriers, if that is possible and pays.
bool share_by_grid_barriers(const loop_nest& k, const device_properties& m, const shared_loops& loops, schedule& s);

}  // namespace sinter::codegen
