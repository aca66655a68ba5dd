// The library's warnings.
#pragma once

#include <string>

namespace sinter::codegen {

/// Passes a line to the handler set by sinter::set_warning_handler. Never throws: a warning that cannot be delivered is
/// dropped. The caller ensures that each is given once per process.
void warn(const std::string& line) noexcept;

}  // namespace sinter::codegen
