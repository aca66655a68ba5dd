// Statements and expressions of device programs as short text, for messages.
#pragma once

#include <codegen/device/program.hpp>

#include <string>

namespace sinter::codegen::device_ir {

/// "row + e", "x0 at (i0 * stride, i1)"; ids that the program does not have are "nothing".
std::string words(const program& p, id expression);

/// "let int32 i = block * 256 + thread", "branch on i < n": a statement without what it holds.
std::string words(const program& p, const statement& s);

/// Throws sinter::error: the program is not what lowering should have made. `what` is wrong with the statement.
[[noreturn]] void refuse(const program& p, const statement& s, const std::string& what);

}  // namespace sinter::codegen::device_ir
