// Literals and type names of CUDA C++.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::codegen {

/// The dtype's name as a single identifier, so that conversions can be written T(...): "double", "int64".
const char* type_name(dtype type);

/// The declaration of a name that C++ lacks, "using int64 = long long;"; else empty.
const char* type_alias(dtype type);

/// The value with these bytes (low end first) as an expression that needs no parentheses around it. Floating values are
/// printed as the shortest decimal that reads back exactly. `more`: the imaginary part of a complex128.
std::string literal(dtype type, std::uint64_t bits, std::uint64_t more = 0);

/// An op's body with the operands substituted for x, y and z, and the type for T. If `precision` is not exact,
/// functions are replaced by their approximations.
std::string substitute(std::string_view body, const std::string_view (&operands)[3], std::string_view type,
                       arithmetic precision = arithmetic::exact);

}  // namespace sinter::codegen
