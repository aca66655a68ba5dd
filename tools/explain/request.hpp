// A user's request: an expression, its operands and a GPU, all as text.
#pragma once

#include <codegen/schedule/schedule.hpp>
#include <sinter/explain.hpp>
#include <tools/explain/node.hpp>

#include <string>
#include <vector>

namespace sinter::spoken {

/// Reads and lowers an expression and its operands. Throws sinter::error with the position of the mistake marked.
lowered read_request(const std::string& expression, const std::vector<std::string>& operands);

/// The GPU named, for example, sm_80; without a name this machine's, and without one an H200.
codegen::device_properties properties_for(const std::string& arch);

/// Explains the expression for that GPU. Runs nothing.
explanation explain(const lowered& expression, const codegen::device_properties& m);
/// The heading of a page: "exp(x) of x:f32[1000]".
std::string heading_of(const std::string& expression, const std::vector<std::string>& operands);

}  // namespace sinter::spoken
