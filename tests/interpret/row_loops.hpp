// The op table's rows as a kernel compiled for the host computes them: by the C library's scalar functions, where the
// host back end uses vector ones. So the results are bitwise equal.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::interpret {

/// Empty if only a compiler knows the row's body, or if it does not compute in this type.
detail::host_loops scalar_loops(const op_row& row, dtype type, codegen::arithmetic precision);

}  // namespace sinter::interpret
