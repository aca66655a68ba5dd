// Reads variables of the environment.
#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <cstdlib>

namespace sinter::codegen {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool environment_switch(const char* name, bool otherwise) {
    const std::string value = environment(name);
    if (value.empty()) return otherwise;
    if (value == "on" || value == "1") return true;
    if (value == "off" || value == "0") return false;
    throw error(fmt::format("{}={}: use on or off", name, value));
}

}  // namespace sinter::codegen
