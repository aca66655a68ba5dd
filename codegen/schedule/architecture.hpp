// What multiprocessors of an architecture have and do: facts of the hardware, whatever the device's clock and size.
#pragma once

#include <codegen/schedule/schedule.hpp>

namespace sinter::codegen {

/// On every architecture (CUDA C++ Programming Guide): the threads of a warp, the bytes of a cache line, and those of a
/// sector, which memory moves at once.
inline constexpr int warp_lanes = 32, line_bytes = 128, sector_bytes = 32;

/// Of one multiprocessor. Source: CUDA C++ Programming Guide, compute capabilities and throughput of native arithmetic
/// instructions; NVIDIA's data sheets for tensor cores.
struct architecture {
    int arch;                ///< compute capability, 10 * major + minor
    int threads, blocks;     ///< resident at once, at most
    int shared_kilobytes;    ///< shared memory of all blocks
    int reserved_kilobytes;  ///< of it in each block, for the system
    int lanes;               ///< multiply-adds of float32 a cycle
    int floats_a_double;     ///< float32 instructions in the time of one of float64
    int tensor_products;     ///< multiply-adds of float16 by tensor cores a cycle, added up in float32
};

/// The architecture's row, or that of the newest known one before it.
const architecture& architecture_of(int arch);

/// The clock in Hz that a device keeps up: its rate of operations stands for the boost clock, of which an H200 kept up
/// 1.755 of 1.983 GHz (bench/NOTES.md).
inline double sustained_clock(const device_properties& m) {
    return 0.885 * m.operations_per_second / (static_cast<double>(m.multiprocessors) * architecture_of(m.arch).lanes);
}

/// Whether arrays of so many bytes, read and written over and over, stay in the second-level cache, part of which other
/// data takes.
inline bool fits_cache(double bytes, const device_properties& m) {
    return bytes < 0.7 * static_cast<double>(m.l2_bytes);
}

}  // namespace sinter::codegen
