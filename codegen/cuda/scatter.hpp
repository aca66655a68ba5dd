// The kernels of at(x, indices) = values and += values, which no expression can state: their order depends on data.
#pragma once

#include <sinter/dtype.hpp>

#include <string>

namespace sinter::codegen {

/// Threads per block of each kernel except `scan`.
inline constexpr int scatter_block = 256;
inline constexpr int scan_block = 1024;
/// Sorted positions that one thread sums before `joins` combines the sums.
inline constexpr int scatter_run = 64;

/// Keys are indices along the axis; a key equal to its extent is out of range and ignored.
///
/// Assignment: `mark` finds the last position of each key, `write` writes the values at those positions.
///
/// Addition in a fixed order, for few values or many elements per key (otherwise: scatter_sums.hpp). The keys are
/// sorted stably with their positions, by digits of 8 bits from the lowest on, with three kernels per digit: `count`
/// counts the digits of each block's part, `scan` scans the counts, `place` moves the keys. Then `sums` adds the values
/// of equal keys within runs of positions, and `joins` combines the sums of keys that span runs.
enum class scatter_kernel : std::uint8_t { mark, write, count, scan, place, sums, joins };

/// The kernel's name: "scatter_mark".
const char* scatter_entry(scatter_kernel which);

/// A complete translation unit. `type` matters to `write`, `sums` and `joins` only.
std::string scatter_text(scatter_kernel which, dtype type);

}  // namespace sinter::codegen
