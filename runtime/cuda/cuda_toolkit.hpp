// The locations of CUDA's libraries.
#pragma once

#include <string>
#include <vector>

namespace sinter::codegen {

/// Prefixes for a library's file name, in search order: empty for the loader's own search, then the folders of toolkits
/// known to the build and the environment. `wheel` is the library's folder among Python's wheels.
std::vector<std::string> toolkit_folders(const std::string& wheel);

}  // namespace sinter::codegen
