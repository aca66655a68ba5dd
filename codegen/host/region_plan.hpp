// The plan of one region of a kernel.
#pragma once

#include <codegen/host/inline_ops.hpp>
#include <codegen/host/plan.hpp>
#include <codegen/host/specialise.hpp>

#include <set>

namespace sinter::codegen::blocked {

inline constexpr std::int64_t elements_worth_a_task = 32 * 1024;

/// With `fused`, steps become loops to be compiled, and the ops that they use are added to it.
plan plan_region(const region& r, instruction_set isa, std::set<inline_op>* fused);

}  // namespace sinter::codegen::blocked
