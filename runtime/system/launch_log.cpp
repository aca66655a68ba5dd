// Reads SINTER_LOG, and writes the lines.
#include <runtime/system/environment.hpp>
#include <runtime/system/launch_log.hpp>
#include <runtime/system/standard_error.hpp>

namespace sinter::codegen {

int read_log_of_environment() {
    constexpr const char* name = "SINTER_LOG";
    const std::string value = environment(name);
    if (!value.empty() && value != "launches") refuse_environment(name, value, "use launches");
    launches_logged.store(!value.empty(), std::memory_order_relaxed);
    return !value.empty();
}

void log_launch(const std::string& device, const std::string& launch) {
    write_to_standard_error(device + ": " + launch);
}

}  // namespace sinter::codegen
