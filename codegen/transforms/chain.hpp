// Fuses a nested kernel with the matrix product that reads its result.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// What a kernel stores for others.
struct chained_arrays {
    std::vector<int> leaves;  ///< by output: the leaf that others read; -1: none does
    int output = -1;          ///< the one that the product multiplies
    std::vector<char> kept;   ///< by output: whether others read it, or it is a result
};

/// One kernel that computes `nested`, whose last loop stores an array, and `product`, whose only reduction goes along
/// that loop's axis. What the first stores once per group the second may read, too; if it is kept, it follows the
/// product's outputs. Returns nothing if the two do not match.
std::optional<loop_nest> chain(const loop_nest& nested, const loop_nest& product, const chained_arrays& stored);

}  // namespace sinter::codegen
