// The plans that one expression type has made, found again by signature.
#pragma once

#include <runtime/launch/plan.hpp>
#include <sinter/evaluate.hpp>

namespace sinter::codegen {

/// The plan for an evaluation, made on first use. The usual case, the same shapes as last time, takes no lock and
/// allocates nothing. The reference is valid until this thread's next call.
const plan& find_plan(detail::plan_slot& slot, const evaluation& e);

}  // namespace sinter::codegen
