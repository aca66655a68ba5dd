// Evaluation of programs that are made at run time and evaluated once.
#pragma once

#include <sinter/evaluate.hpp>

namespace sinter::codegen {

/// Like detail::evaluate, but without checks, and the plan is freed once the work is submitted. All leaves are on one
/// device, which is not a mesh.
void evaluate_once(const ir::program& program, const detail::arguments_view& arguments,
                   detail::evaluation_result* results);

}  // namespace sinter::codegen
