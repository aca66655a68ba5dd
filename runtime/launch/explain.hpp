// explain() and source() for a GPU that the caller chooses, with what this machine's compiler and libraries report.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <sinter/explain.hpp>

namespace sinter::codegen {

// All operands must be present: see require_operands.
explanation explain_for(const device_properties& m, const ir::program& program,
                        const detail::arguments_view& arguments);
std::string source_for(const device_properties& m, const ir::program& program, const detail::arguments_view& arguments);

}  // namespace sinter::codegen
