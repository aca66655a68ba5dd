// The identity of a reduction, as bytes.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

/// The value's bytes, low end first. Throws sinter::error where the row does not reduce in this dtype.
std::uint64_t identity_bits(const op_row& row, dtype type);

}  // namespace sinter::codegen
