// Lines on the standard error stream.
#pragma once

#include <string>

namespace sinter::codegen {

/// Writes "sinter: LINE" with a single call, so that lines of several threads and processes do not mix. Write errors
/// are ignored.
void write_to_standard_error(const std::string& line);

}  // namespace sinter::codegen
