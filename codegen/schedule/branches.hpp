// Choices of which an element computes one side alone: of concat(gelu(x), y, axis=0) the gelu of the elements that x
// has. Compilers compute both sides, and select.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <vector>

namespace sinter::codegen {

/// The side of a choice (a `where`) that a value belongs to: the choice, and the number of its operand. By default the
/// value is computed in any case.
struct branch_side {
    int choice = -1, operand = 0;
    bool operator==(const branch_side&) const = default;
};

struct branches {
    std::vector<branch_side> of;  ///< by value
    std::vector<char> chooses;    ///< by value: whether it is a choice that is worth a branch
};

/// The branches of a function that computes these values. Conditions are computed from indices and numbers alone, so
/// that the lanes of a warp mostly agree. Loads are issued in any case: under conditions they would wait for each
/// other.
branches branches_of(const loop_nest& k, const std::vector<char>& computed);

}  // namespace sinter::codegen
