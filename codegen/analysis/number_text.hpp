// The number types and functions that CUDA C++ lacks, as text: the pieces of include/sinter/number that a kernel uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// The kernels' part of each header of include/sinter/number, made by cmake/NumberText.cmake.
const std::vector<std::string_view>& number_headers();

/// The piece of this name, without the comment before it; empty if there is none.
std::string_view piece_named(std::string_view name);

/// The pieces that `kernel` uses, each behind those that it uses itself; empty for none.
std::string number_text(std::string_view kernel);

}  // namespace sinter::codegen
