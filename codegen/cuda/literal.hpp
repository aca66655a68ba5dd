// Values and types as CUDA C++ spells them.
#pragma once

#include <codegen/ir/kernel.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::codegen {

/// A name for the dtype that is one identifier, so that conversions can be written T(...): "double", "int64".
const char* type_name(dtype type);

/// The declarations behind the names that C++ does not have by itself: "using int64 = long long;".
const char* type_alias(dtype type);

/// The value with these bytes (low end first) as an expression that needs no parentheses around it. Floating values are
/// the shortest decimal that reads back as the same value. `more` holds the imaginary part of a complex128.
std::string literal(dtype type, std::uint64_t bits, std::uint64_t more = 0);

/// An op's body with its operands put in place of x, y and z, and the type in place of T; in kernels that are not
/// exact, approximations in place of functions.
std::string substitute(std::string_view body, const std::string_view (&operands)[3], std::string_view type,
                       arithmetic precision = arithmetic::exact);

}  // namespace sinter::codegen
