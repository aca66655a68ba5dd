// Function names and compiler flags of a kernel's arithmetic.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

/// The function that a kernel of this arithmetic calls for a function of a body of this type: itself, a shorter one, or
/// its approximation.
std::string function_name(std::string_view called, std::string_view type, arithmetic precision);

/// The compiler flags of a kernel's arithmetic. CUDA C++ Programming Guide, "Intrinsic Functions": without these
/// digits, division is off by 2 ulp, for divisors within 2^±126, and sqrt by 1 ulp.
std::vector<std::string> compile_flags(arithmetic precision);

}  // namespace sinter::codegen
