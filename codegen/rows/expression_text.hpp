// Validation of a function's text that a program passes at run time.
#pragma once

#include <string>

namespace sinter::codegen {

/// Throws sinter::error, one line that begins with `function`, unless the characters of the text can form one
/// expression: nothing in it ends the statement that a kernel embeds it in, begins a comment or a directive, or
/// declares a second name. This catches mistakes; it does not make untrusted text safe.
void require_expression(const char* function, const std::string& text);

}  // namespace sinter::codegen
