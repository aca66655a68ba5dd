// Whether a device program is well formed: ids, dtypes, counts of moved elements, scopes, and what may be assigned.
#pragma once

#include <codegen/device/program.hpp>

namespace sinter::codegen::device_ir {

/// Throws sinter::error where an expression has operands that do not fit it.
void check_expressions(const program& p);

/// The same for statements: what they use is declared before, in a scope around them, and they change only what may be
/// changed.
void check_statements(const program& p);

}  // namespace sinter::codegen::device_ir
