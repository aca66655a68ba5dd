// Whether a device program is well formed: ids, dtypes, vector widths, scopes and assignments.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error if an expression's operands do not fit it.
void check_expressions(const program& p);

/// Throws sinter::error if a statement uses what is not declared before it in an enclosing scope, or changes what must
/// not change.
void check_statements(const program& p);

/// Throws sinter::error if a scope declares a name twice, or a statement uses what a name in an inner scope hides; for
/// a program whose statements are well formed.
void check_names(const program& p);

}  // namespace sinter::codegen::device_ir
