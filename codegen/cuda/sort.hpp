// The kernels that sort rows.
#pragma once

#include <codegen/cuda/print_element.hpp>

#include <string>

namespace sinter::codegen {

struct sort_order;

/// Threads per block, and elements that it sorts in shared memory.
inline constexpr int sort_block = 256;
inline constexpr int sort_tile = 1024;

/// `tiles` sorts pieces of rows, of up to sort_tile elements, by a bitonic network (K. Batcher, "Sorting networks and
/// their applications", AFIPS 1968). `merge` merges two neighbouring sorted runs: each element finds its index by
/// binary search in the other run. `search` finds where values would go in a sorted array, `search_tree` by a tree in
/// shared memory: see search_tree.hpp. `pick` copies the elements at some ranks of sorted rows. `short_rows`,
/// `row_values`, `rows`, `select` and `first`: see row_sort.hpp. `count`, `sums` and `place` sort long rows by one
/// digit: see radix_sort.cpp. All sorts are stable.
enum class sort_kernel {
    tiles,
    merge,
    search,
    search_tree,
    pick,
    short_rows,
    row_values,
    rows,
    select,
    first,
    count,
    sums,
    place
};

/// What the source depends on.
struct sort_source {
    sort_kernel which{};
    bool last = false;         ///< stores results, with int64 indices, rather than input of the next kernel
    int items = 1;             ///< elements per thread; levels of a tree; bits of an index in a network
    bool wide_states = false;  ///< `place`: tiles count more than 2^30 elements
    bool values_only = false;  ///< `short_rows`, `place`: no positions are wanted
    bool is_whole = false;     ///< `search_tree`: each element has a separator
};

/// The kernel's name, as profilers show it: sort_row.
std::string sort_name(sort_kernel which);

/// A complete translation unit. `source`: a function in place of the operand of `tiles`, `short_rows` and `rows`; null:
/// an array.
std::string sort_text(const sort_source& s, const sort_order& order, const printed_element* source = nullptr);

}  // namespace sinter::codegen
