// Where CUDA's libraries lie.
#pragma once

#include <string>
#include <vector>

namespace sinter::codegen {

/// What to put before a library's name to look for it: nothing, for the loader's own search, then folders of the
/// toolkits that the build and the environment know. `wheel` is the library's folder among Python's wheels.
std::vector<std::string> toolkit_folders(const std::string& wheel);

}  // namespace sinter::codegen
