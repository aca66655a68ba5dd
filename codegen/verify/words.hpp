// Prints statements and expressions of device programs for error messages.
#pragma once

#include <codegen/device/program.hpp>

#include <string>

namespace sinter::codegen::device_ir {

/// "row + e", "x0 at (i0 * stride, i1)"; invalid ids are printed as "nothing".
std::string words(const program& p, id expression);

/// "let int32 i = block * 256 + thread", "branch on i < n": a statement without its body.
std::string words(const program& p, const statement& s);

/// Throws sinter::error: lowering has made an invalid program. `what`: what is wrong with the statement.
[[noreturn]] void refuse(const program& p, const statement& s, const std::string& what);

}  // namespace sinter::codegen::device_ir
