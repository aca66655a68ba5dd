// Why an expression is more than one kernel, in words.
#pragma once

#include <codegen/ir/graph.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// One sentence for each result that an earlier kernel has to store; none where all is one kernel.
std::vector<std::string> why_not_fused(const ir::program& program, const std::int64_t* integers, const graph& whole);

}  // namespace sinter::codegen
