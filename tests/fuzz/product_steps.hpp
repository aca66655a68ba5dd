// Steps that combine all pairs of rows of two arrays of their own.
#pragma once

#include <tests/fuzz/grow.hpp>

namespace sinter::fuzz {

/// All pairs of two sets of points, folded over the coordinates, and sometimes over one of the sets, too: what products
/// and distances are made of.
int step_pairs(grower& g);

/// Sums of products of elements of a half type, which tensor cores compute, with something before or after them.
int step_half_product(grower& g);

/// matmul(softmax(matmul(q, transpose(k)) * scale), v), with or without a mask.
int step_attention(grower& g);

}  // namespace sinter::fuzz
