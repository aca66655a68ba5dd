// The kernels of at(x, indices) = values and += values, which no expression gives: their order of work hangs on data.
#pragma once

#include <sinter/dtype.hpp>

#include <string>

namespace sinter::codegen {

/// Threads of a block of each of them, but for count_scan.
inline constexpr int scatter_block = 256;
inline constexpr int scan_block = 1024;
/// Values that one thread adds up before others join their sums.
inline constexpr int scatter_run = 64;

/// Keys are the places along the axis, from 0 to its extent, which stands for none of them.
///
/// Values that are put: `mark` finds for each place the last of its keys, `write` writes the values of those.
///
/// Values that are added: the keys are sorted, with the numbers they had, by digits of 8 bits from the lowest on, each
/// by three kernels: `count` the digits of each block's part, `scan` the counts, `place` the keys, in their order.
/// Then `sums` adds up the values of equal keys within runs of positions, and `joins` those that lie in several.
/// Nothing hangs on which thread comes first.
enum class scatter_kernel : std::uint8_t { mark, write, count, scan, place, sums, joins };

/// The kernel's name: "scatter_mark".
const char* scatter_entry(scatter_kernel which);

/// A complete translation unit. The dtype matters to `write`, `sums` and `joins`.
std::string scatter_text(scatter_kernel which, dtype type);

}  // namespace sinter::codegen
