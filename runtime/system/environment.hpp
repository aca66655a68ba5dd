// Environment variables. These functions parse the whole value: an invalid one is an error.
#pragma once

#include <optional>
#include <string>

namespace sinter::codegen {

/// A variable's value; "" if it is not set, or if the program runs with elevated rights (set-uid), because several
/// variables name code that is loaded.
std::string environment(const char* name);

/// Whether a variable is on (or 1) or off (or 0); `otherwise` if it is not set.
bool environment_switch(const char* name, bool otherwise);

/// A variable's number, at least `least`; nothing if it is not set.
std::optional<int> environment_number(const char* name, int least);

/// Parses a number that consists of digits only.
std::optional<int> whole_number(const std::string& text);

/// Throws the error for an invalid value. `cure` says what to write instead.
[[noreturn]] void refuse_environment(const char* name, const std::string& value, const std::string& cure);

}  // namespace sinter::codegen
