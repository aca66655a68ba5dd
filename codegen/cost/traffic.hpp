// Cost model: bytes moved and instructions of a kernel, and a lower bound of its time.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstdint>

namespace sinter::codegen {

/// Bytes between device memory and its caches. Each element read or written counts once. An element read again by a
/// later loop counts again unless it is still in registers or in the cache, which holds if the data read meanwhile by
/// all groups in flight fits the cache.
std::int64_t bytes_moved(const loop_nest& k, const schedule& s, const device_properties& m);

/// The number of evaluations of op bodies.
double operations_of(const loop_nest& k);

/// Their instructions, in units of a float32 instruction. A body of operators only counts as one; see traffic.cpp.
double instructions_of(const loop_nest& k, const device_properties& m);

/// Time that blocks wait for each other: at grid barriers, one round per group that a thread-block group computes; in
/// look-back, for the preceding tiles.
double waiting_seconds(const loop_nest& k, const schedule& s, const device_properties& m);

/// The time of an empty launch, on an H200.
inline constexpr double launch_seconds = 2e-6;

/// The time of a kernel: its launch, its waiting, and the longer of its memory traffic and its arithmetic.
struct kernel_time {
    double moving = 0, computing = 0, waiting = 0;

    double busy() const { return moving > computing ? moving : computing; }
    double total() const { return launch_seconds + busy() + waiting; }
};

kernel_time time_of(const loop_nest& k, const schedule& s, const device_properties& m);
/// As above; `bytes` are those that it moves.
kernel_time time_of(const loop_nest& k, const schedule& s, const device_properties& m, std::int64_t bytes);

}  // namespace sinter::codegen
