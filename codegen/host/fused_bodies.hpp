// What becomes of a plan's loops once steps are fused.
#pragma once

#include <codegen/host/plan.hpp>

namespace sinter::codegen::blocked {

/// Removes expansions that nothing reads any more.
void drop_expansions(plan& p);

/// A block of columns is one inner element. If a loop's body is one fused loop, that goes over a leaf of these itself.
void run_leaves_at_once(const plan& p, loop_plan& l);

}  // namespace sinter::codegen::blocked
