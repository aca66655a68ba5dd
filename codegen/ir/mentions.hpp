// Which scalars of a program are copies of one. An expression that is mentioned twice, `auto d = 2.f * x; d + exp(d)`,
// brings its scalars along twice; only when they are known to be the same can d be computed once. Equal values do not
// make scalars the same: they may differ at the next evaluation, which would then need another kernel.
#pragma once

#include <sinter/ir/node.hpp>

#include <vector>

namespace sinter::codegen {

/// For each of `count` scalars the first that it is a copy of, or that it is itself. In linear time, for each
/// evaluation asks.
void first_mentions(const ir::scalar_bits* scalars, int count, std::vector<int>& first);

}  // namespace sinter::codegen
