// Warnings: what Sinter says of something that is no error but should be put right, such as a kernel cache that it must
// not use.
#pragma once

namespace sinter {

/// What is called with a warning: one line without its end. It may be called from any thread.
using warning_handler = void (*)(const char* line);

/// Sets what is called with each warning, and returns what was called before. A null pointer restores the default,
/// which writes the line to the standard error stream. A process gives each warning once.
warning_handler set_warning_handler(warning_handler handler) noexcept;

}  // namespace sinter
