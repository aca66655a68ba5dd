// Variables of the environment.
#pragma once

#include <string>

namespace sinter::codegen {

/// A variable's value; "" where it is not set.
std::string environment(const char* name);

/// Whether a variable says on (or 1) or off (or 0); `otherwise` where it is not set. Throws sinter::error where it says
/// anything else.
bool environment_switch(const char* name, bool otherwise);

}  // namespace sinter::codegen
