// Evaluations of programs that are made at run time and are not evaluated again.
#pragma once

#include <sinter/evaluate.hpp>

namespace sinter::codegen {

/// As detail::evaluate, with a plan that goes when the work has been submitted, and without checks. The leaves are on
/// one device, which is no mesh.
void evaluate_once(const ir::program& program, const detail::arguments_view& arguments,
                   detail::evaluation_result* results);

}  // namespace sinter::codegen
