// Variables of the environment. Each is read by one of these, as a whole: what is not understood is an error.
#pragma once

#include <optional>
#include <string>

namespace sinter::codegen {

/// A variable's value; "" where it is not set, and in a program that runs with more rights than its user has (set-uid):
/// several variables name code that is loaded.
std::string environment(const char* name);

/// Whether a variable says on (or 1) or off (or 0); `otherwise` where it is not set.
bool environment_switch(const char* name, bool otherwise);

/// A variable's number, at least `least`; nothing where it is not set.
std::optional<int> environment_number(const char* name, int least);

/// A number of digits alone.
std::optional<int> whole_number(const std::string& text);

/// Throws: the variable's value is not understood. `cure` says what to write instead.
[[noreturn]] void refuse_environment(const char* name, const std::string& value, const std::string& cure);

}  // namespace sinter::codegen
