// How many bytes a kernel moves, how much it computes, and how long that takes at least.
#pragma once

#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// Bytes between the device's memory and its caches. Each element that is read or written counts once; those that a
/// later loop reads again, once more, unless they are still in the threads' registers or in the cache: unless what the
/// groups under way at once have read in the meantime fits it.
std::int64_t bytes_moved(const kernel& k, const schedule& s, const machine& m);

/// Those of one of its outputs.
std::int64_t bytes_written(const kernel& k, std::size_t output);

/// The op table's bodies that a kernel evaluates, one for each element.
double operations_of(const kernel& k);

/// Their instructions, in units of one of float32: a body of operators is one; see traffic.cpp for the others.
double instructions_of(const kernel& k, const machine& m);

/// What blocks wait for each other: those that meet at grid barriers, a round of them for each group that a team takes;
/// tiles that look back, for those before them.
double waiting_seconds(const kernel& k, const schedule& s, const machine& m);

/// The time of a launch that does nothing, on an H200.
inline constexpr double launch_seconds = 2e-6;

/// The time of a kernel: its launch, what it waits for, and of its bytes and its arithmetic what takes longer.
struct kernel_time {
    double moving = 0, computing = 0, waiting = 0;

    double busy() const { return moving > computing ? moving : computing; }
    double total() const { return launch_seconds + busy() + waiting; }
};

kernel_time time_of(const kernel& k, const schedule& s, const machine& m);

}  // namespace sinter::codegen
