// Warnings go to the user's handler, or to the standard error stream.
#include <runtime/system/warning.hpp>
#include <sinter/warning.hpp>

#include <atomic>
#include <string>

#include <unistd.h>

namespace sinter {

namespace {

/// One write of the whole line: lines of several processes do not mix.
void write_to_standard_error(const char* line) {
    const std::string whole = std::string("sinter: warning: ") + line + '\n';
    if (::write(STDERR_FILENO, whole.data(), whole.size()) < 0) return;  // nobody is left to be told
}

std::atomic<warning_handler> current_handler{&write_to_standard_error};

}  // namespace

warning_handler set_warning_handler(warning_handler handler) noexcept {
    return current_handler.exchange(handler != nullptr ? handler : &write_to_standard_error);
}

}  // namespace sinter

namespace sinter::codegen {

void warn(const std::string& line) noexcept try {
    current_handler.load()(line.c_str());
} catch (...) {  // no memory, or a handler that throws
}

}  // namespace sinter::codegen
