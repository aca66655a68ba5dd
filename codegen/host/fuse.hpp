// Fuses the steps of a plan into loops that are compiled at run time.
#pragma once

#include <codegen/host/inline_ops.hpp>
#include <codegen/host/plan.hpp>

namespace sinter::codegen::blocked {

/// Replaces steps by fused loops where that saves passes over blocks. `in_place`: a result may alias an operand. Ops
/// that the loops compute inline are added to `ops`. Returns whether there is a fused loop.
bool fuse_loops(plan& p, const loop_nest& k, bool in_place, std::set<inline_op>& ops);

/// The source of a plan's fused loops, including its regions'. Loops with equal source share one function.
std::string source_of(const plan& p, const std::set<inline_op>& ops);

/// The name in source_of of each fused loop's function, in the order of plan::fused, region by region.
std::vector<std::string> function_names(const plan& p);

}  // namespace sinter::codegen::blocked
