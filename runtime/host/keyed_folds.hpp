// Folds values by key into one result per group, on all cores.
#pragma once

#include <codegen/host/keyed_reduction.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

/// How the values of one fold are divided among tasks. It depends on extents alone, and with it the order in which a
/// group's values are folded: in sequence within a chunk (where there are several tables, every max_key_tables-th one),
/// pairwise from chunk to chunk.
struct key_division {
    std::int64_t width = 1, pieces = 1;  ///< columns of a task, and tasks that a row's columns take
    std::int64_t tables = 1;
    std::int64_t chunk = 1, chunks = 1;           ///< elements; their number
    std::int64_t chunks_per_part = 1, parts = 1;  ///< a task folds a part of the elements
    std::int64_t bytes_of_results = 0;            ///< arrays (before, groups, after), one per part
    std::int64_t bytes_of_task = 0;

    bool folds_in_place() const { return tables == 1 && pieces == 1; }  ///< into the results, without a table
};
key_division divide_by_key(const blocked::keyed_reduction& r, const blocked::keyed_reduction::fold& f);

/// Leaves each group's result of fold `f` in the first array of `results`. `elsewhere`: what is folded into the groups
/// that do not have a key, unless it is the identity.
void fold_by_key(const blocked::keyed_reduction& r, const blocked::keyed_reduction::fold& f, const key_division& d,
                 const std::int64_t* keys, const void* values, const ir::scalar_bits* elsewhere, std::byte* results);

}  // namespace sinter::codegen
