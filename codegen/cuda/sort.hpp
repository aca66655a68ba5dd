// The kernels that sort rows.
#pragma once

#include <string>

namespace sinter::codegen {

struct sort_order;

/// Threads of a block, and elements that it sorts in shared memory.
inline constexpr int sort_block = 256;
inline constexpr int sort_tile = 1024;

/// `tiles` sorts pieces of rows, of up to sort_tile elements, by a bitonic network (K. Batcher, "Sorting networks and
/// their applications", AFIPS 1968). `merge` makes one run of two neighbouring sorted ones: each element finds its
/// place by a binary search in the other run. Both keep the order of equal elements. `search` finds where values would
/// go in a sorted array. `count`, `sums` and `place` sort by one digit: see radix_sort.cpp.
enum class sort_kernel { tiles, merge, search, count, sums, place };

/// A complete translation unit, whose kernel is called sinter_kernel. `last`: it stores results, whose indices are
/// int64, rather than what the next kernel reads.
std::string sort_text(sort_kernel which, const sort_order& order, bool last);

}  // namespace sinter::codegen
