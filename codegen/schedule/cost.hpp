// The time of a scheduled kernel, predicted: what its threads move, issue and wait for, at the costs of a few
// mechanisms. It ranks schedules; what explain() shows is codegen/cost/traffic.hpp.
#pragma once

#include <codegen/schedule/kernel_work.hpp>

namespace sinter::codegen {

/// What a launch does, as far as its time depends on it. Lanes of warps that are idle count as the others do.
struct launch_work {
    double bytes = 0;         ///< between memory and caches
    double segment = 1e9;     ///< bytes that a block accesses side by side, where what follows is far away
    double requested = 0;     ///< bytes that threads load
    double in_flight = 0;     ///< bytes under way on a multiprocessor at once, where all of its blocks load
    double instructions = 0;  ///< of warps, apart from functions and divisions
    double functions = 0;     ///< of warps: calls of the C library's functions
    double divisions = 0;
    double doubles = 0;  ///< of all of these those of float64
    double lines = 0;    ///< of 128 bytes, that warps' accesses touch, summed over accesses
    double blocks = 0, warps = 0;
    double waves = 0;     ///< how often blocks fill the device
    double steps = 0;     ///< of a thread: loads that wait for those before them
    double folds = 0;     ///< of a thread: exchanges and folds, one after the other
    double barriers = 0;  ///< of a thread
    double syncs = 0;     ///< of a thread: with all blocks of its group
};

launch_work work_of(const loop_nest& k, const kernel_work& of, const schedule& s, const device_properties& m);

/// In seconds, launch included.
double predicted_seconds(const launch_work& w, const device_properties& m);

/// Whether the model knows the schedule's form.
bool is_modelled(const schedule& s);

inline double predicted_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    return predicted_seconds(work_of(k, work_of(k), s, m), m);
}

}  // namespace sinter::codegen
