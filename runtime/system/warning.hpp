// The one way by which the library says what is not an error.
#pragma once

#include <string>

namespace sinter::codegen {

/// Passes a line to the handler that sinter::set_warning_handler has set. Never throws: a warning that cannot be given
/// is left out. The caller sees to it that a process gives it once.
void warn(const std::string& line) noexcept;

}  // namespace sinter::codegen
