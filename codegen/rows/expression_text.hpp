// What a function's text may be that a program gives at run time.
#pragma once

#include <string>

namespace sinter::codegen {

/// Throws sinter::error, one line that begins with `function`, unless the text is one expression as far as its
/// characters tell: nothing in it ends the statement that a kernel puts it into, begins a comment or a directive, or
/// declares a second name. That keeps mistakes from becoming another program; it does not make a stranger's text safe.
void require_expression(const char* function, const std::string& text);

}  // namespace sinter::codegen
