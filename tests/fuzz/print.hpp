// A case as text, for finding the mistake.
#pragma once

#include <tests/fuzz/reference.hpp>

#include <string>

namespace sinter::fuzz {

/// The program, a node a line, with shapes and dtypes; then the arguments, with the elements of small ones.
std::string print(const fuzz_case& c, const std::vector<node_values>& values);

}  // namespace sinter::fuzz
