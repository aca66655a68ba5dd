// Reads SINTER_DEBUG, and implements the public interface of the checks.
#include <runtime/system/debug.hpp>
#include <runtime/system/environment.hpp>
#include <sinter/debug.hpp>

#include <string>
#include <string_view>

namespace sinter {
namespace codegen {
namespace {

/// The bit of a check's name; 0 if unknown.
int check_of(std::string_view word) {
    if (word == "nan") return check_nan;
    if (word == "bounds") return check_bounds;
    return word == "sync" ? check_sync : 0;
}

int bits_of(const debug_checks& checks) {
    return (checks.nan ? check_nan : 0) | (checks.bounds ? check_bounds : 0) | (checks.sync ? check_sync : 0);
}

}  // namespace

int read_checks_of_environment() {
    constexpr const char* name = "SINTER_DEBUG";
    const std::string value = environment(name);
    int bits = 0;
    for (std::string_view rest = value; !value.empty();) {
        const std::size_t comma = rest.find(',');
        const int bit = check_of(rest.substr(0, comma));
        if (bit == 0) refuse_environment(name, value, "list nan, bounds and sync, with commas between them");
        bits |= bit;
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    checks_of_environment.store(bits, std::memory_order_relaxed);
    return bits;
}

}  // namespace codegen

debug_checks current_debug() {
    const int bits = codegen::current_checks();
    return {(bits & codegen::check_nan) != 0, (bits & codegen::check_bounds) != 0, (bits & codegen::check_sync) != 0};
}

debug_scope::debug_scope(debug_checks checks) : set_(codegen::chosen_checks, codegen::bits_of(checks)) {}

}  // namespace sinter
