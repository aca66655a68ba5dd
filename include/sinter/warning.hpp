// Warnings about problems that are not errors but should be fixed, such as a kernel cache that must not be used.
#pragma once

namespace sinter {

/// Called with each warning: one line without a newline. May be called from any thread.
using warning_handler = void (*)(const char* line);

/// Sets the handler for warnings, and returns the previous one. A null pointer restores the default, which writes to
/// the standard error stream. Each warning is reported once per process.
warning_handler set_warning_handler(warning_handler handler) noexcept;

}  // namespace sinter
