// Reads environment variables.
#include <codegen/support/printable.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

namespace sinter::codegen {

std::string environment(const char* name) {
    const char* const value = ::secure_getenv(name);
    return value == nullptr ? "" : value;
}

bool environment_switch(const char* name, bool otherwise) {
    const std::string value = environment(name);
    if (value.empty()) return otherwise;
    if (value == "on" || value == "1") return true;
    if (value == "off" || value == "0") return false;
    refuse_environment(name, value, "use on or off");
}

std::optional<int> whole_number(const std::string& text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || stop != end || text.front() == '-') return std::nullopt;
    return value;
}

std::optional<int> environment_number(const char* name, int least) {
    const std::string value = environment(name);
    if (value.empty()) return std::nullopt;
    const std::optional<int> number = whole_number(value);
    if (!number || *number < least)
        refuse_environment(name, value, fmt::format("use a whole number of at least {}", least));
    return number;
}

void refuse_environment(const char* name, const std::string& value, const std::string& cure) {
    constexpr std::size_t shown = 200;  // of each: the loader's messages repeat the value
    throw error(fmt::format("{}={}: {}, or unset it", name, printable(value, shown), printable(cure, shown)));
}

}  // namespace sinter::codegen
