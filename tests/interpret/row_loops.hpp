// The op table's rows as a kernel that is compiled for the host computes them: by the C library's scalar functions,
// where the host back end has vector ones. So that values agree to the last bit.
#pragma once

#include <codegen/ir/kernel.hpp>

namespace sinter::interpret {

/// Empty where only a compiler knows the row's body, or where it does not compute in this type.
detail::host_loops scalar_loops(const op_row& row, dtype type, codegen::arithmetic precision);

}  // namespace sinter::interpret
