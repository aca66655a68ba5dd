// Computes in a kernel what it would load, where products are among what that is computed of.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <optional>
#include <vector>

namespace sinter::codegen {

/// The kernels of a program, and what they store for each other.
struct stored_arrays {
    const std::vector<loop_nest>& kernels;
    std::vector<std::vector<int>> leaves;  ///< by kernel and output: the leaf that later kernels read; -1: none does
    std::vector<char> products;            ///< by kernel: whether its only loop is that of a product
};

/// Whether a kernel stores this leaf as a function of a product's elements, each by itself.
bool is_computed_of_products(const stored_arrays& all, int leaf);

/// Kernel `reader`, whose only loop folds what it computes of leaf `leaf` (of all such leaves: -1), with that computed
/// in its loop: a nested kernel, in which the products are loops of their own for each element. Returns nothing if the
/// kernels do not match.
std::optional<loop_nest> recompute(const stored_arrays& all, int reader, int leaf);

/// One kernel that computes two nested ones, whose outputs follow each other. Returns nothing unless they go along the
/// same axes and the products nested in the second are nested in the first, too.
std::optional<loop_nest> merge_nested(const loop_nest& first, const loop_nest& second);

}  // namespace sinter::codegen
