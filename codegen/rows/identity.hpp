// The identity of a reduction, as bytes.
#pragma once

#include <sinter/ir/node.hpp>

namespace sinter::codegen {

/// The identity's bytes, low end first. Throws sinter::error if the row does not reduce in this dtype.
ir::scalar_bits identity_of(const op_row& row, dtype type);

}  // namespace sinter::codegen
