// Finds the scalars of a program that are copies of one. An expression used twice, `auto d = 2.f * x; d + exp(d)`,
// brings its scalars twice; d is computed once only if they are known to be the same. Equal values are not enough: they
// may differ at the next evaluation, which would then need another kernel. Scalars that the library's own functions
// write do not change: of these, equal values are copies.
#pragma once

#include <sinter/ir/node.hpp>

#include <vector>

namespace sinter::codegen {

/// For each of `count` scalars, the index of the first scalar that it is a copy of (its own, if none). Runs at every
/// evaluation, so it takes linear time.
void identical_scalars(const ir::scalar_bits* scalars, int count, std::vector<int>& first);

/// Whether a scalar is 0. Plans may depend on it, since their signatures record it.
inline bool is_zero(const ir::scalar_bits& s) { return s.bits == 0 && s.more == 0; }

}  // namespace sinter::codegen
