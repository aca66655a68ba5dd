// Passes warnings to the user's handler, or to the standard error stream.
#include <codegen/support/printable.hpp>
#include <runtime/system/standard_error.hpp>
#include <runtime/system/warning.hpp>
#include <sinter/warning.hpp>

#include <atomic>
#include <string>

namespace sinter {

namespace {

void print(const char* line) { codegen::write_to_standard_error(std::string("warning: ") + line); }

std::atomic<warning_handler> current_handler{&print};

}  // namespace

warning_handler set_warning_handler(warning_handler handler) noexcept {
    return current_handler.exchange(handler != nullptr ? handler : &print);
}

}  // namespace sinter

namespace sinter::codegen {

void warn(const std::string& line) noexcept try {
    current_handler.load()(printable(line, line.size()).c_str());  // names of files may contain anything
} catch (...) {                                                    // out of memory, or the handler has thrown
}

}  // namespace sinter::codegen
