// The time of a launch as explain() tells it: what a sample of its statements issues and accesses, the bytes that it
// moves and what its threads wait for, at the rates of a multiprocessor.
#pragma once

#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// What the warps of a launch do.
struct launch_counts {
    double warps = 0;
    double instructions = 0;  ///< estimated machine instructions
    double special = 0;       ///< of them those of the special function unit, with most conversions
    double doubles = 0;       ///< of them those of float64
    double accesses = 0;      ///< to global memory
    double lines = 0;         ///< of 128 bytes that they touch, summed over accesses
    double gathered = 0;      ///< bytes of the sectors that data choose
};

launch_counts counts_of(const loop_nest& k, const schedule& s);

/// Seconds of each resource, were it the only one.
struct launch_time {
    double moving = 0;     ///< bytes between device memory and caches
    double computing = 0;  ///< issue slots, special function units or units of float64, whichever takes longest
    double accessing = 0;  ///< the L1 caches, or sectors between these and the second-level cache
    double latency = 0;    ///< of a warp's own instructions and loads, one after the other, in all waves of blocks
    double waiting = 0;    ///< of blocks for each other
    double total = 0;

    /// What takes longest: "bytes", "arithmetic", "accesses", "latency", "barriers", or "the launch".
    const char* bound_by() const;
};

launch_time time_of_launch(const loop_nest& k, const schedule& s, const device_properties& m);

}  // namespace sinter::codegen
