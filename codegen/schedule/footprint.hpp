// What a loop nest moves of each array: the sectors that its loads touch, however many loads touch them, and what it
// stores.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen {

/// The bytes of the sectors that the loads of one array touch. Indices that depend on data count as distinct.
struct array_footprint {
    int leaf = -1;
    std::int64_t bytes = 0;           ///< of all loads: what several touch counts once
    std::int64_t bytes_by_loops = 0;  ///< summed over the loops and levels: what several loops load counts for each
    std::int64_t bytes_chosen = 0;    ///< with those of each index that data choose, however often they choose one
};

/// One for each array that the nest loads.
std::vector<array_footprint> footprints_of(const loop_nest& k);

/// Bytes that a nest stores in one of its outputs.
std::int64_t bytes_written(const loop_nest& k, std::size_t output);

}  // namespace sinter::codegen
