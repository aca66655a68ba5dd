// Writing lines.
#include <runtime/system/standard_error.hpp>

#include <unistd.h>

namespace sinter::codegen {

void write_to_standard_error(const std::string& line) {
    const std::string whole = "sinter: " + line + '\n';
    if (::write(STDERR_FILENO, whole.data(), whole.size()) < 0) return;
}

}  // namespace sinter::codegen
