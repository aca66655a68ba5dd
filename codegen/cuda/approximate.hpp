// What kernels that need not be exact call and are compiled with.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// What a function that a body calls for floats is called in a kernel of this arithmetic: itself, or its approximation.
std::string function_name(std::string_view called, arithmetic precision);

/// What the compiler is told of a kernel's arithmetic. CUDA C++ Programming Guide, "Intrinsic Functions": division and
/// sqrt without these digits are off by 2 units and 1 unit in the last place, for divisors within 2^±126.
std::vector<std::string> compile_flags(arithmetic precision);

}  // namespace sinter::codegen
