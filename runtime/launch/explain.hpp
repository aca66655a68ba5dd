// explain() and source() for a GPU of the caller's choice, with what this machine's compiler and libraries say.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

// Every operand must be there: see require_operands.
explanation explain_for(const machine& m, const ir::program& program, const detail::arguments_view& arguments);
std::string source_for(const machine& m, const ir::program& program, const detail::arguments_view& arguments);

}  // namespace sinter::codegen
