// Folds of elements beside their indices, for argmax and argmin along a row: the pairs of each element with its index
// need not be formed.
#pragma once

#include <codegen/rows/dispatch.hpp>

namespace sinter::codegen {

/// Folds `rows` rows of n elements into as many pairs of a key and an index. An element's index is first + step * (its
/// position in the row); step > 0.
using extreme_fold = void (*)(void* to, const void* elements, std::size_t rows, std::size_t n, std::int64_t first,
                              std::int64_t step);

struct extreme_kind {
    bool reversed = false;  ///< to the smallest element, not to the greatest
    bool packed = false;    ///< into uint64 (transforms/index_rows.hpp), not into keyed_index
};
/// The fold of elements of `type`. Null if there is none.
extreme_fold extreme_fold_of(const extreme_kind& kind, dtype type, instruction_set isa);

// Defined by extremes.cpp, once per instruction set.
extreme_fold extreme_loop_baseline(const extreme_kind& kind, dtype type);
extreme_fold extreme_loop_v3(const extreme_kind& kind, dtype type);
extreme_fold extreme_loop_v4(const extreme_kind& kind, dtype type);

}  // namespace sinter::codegen
