// Making storage on a given device, and letting go of memory from outside.
#pragma once

#include <sinter/expr.hpp>

namespace sinter::codegen {

/// Uninitialised row-major storage. Throws for negative extents, sizes beyond 63 bits and a full device.
detail::storage_ref make_storage_on(device& where, dtype type, int rank, const std::int64_t* shape);

/// Throws where an operand is gone because the expression that held it was moved from.
void require_operands(const ir::program& program, const detail::arguments_view& arguments);

/// Waits for the work that may read memory from outside, and hands it back.
void let_go(detail::storage& s) noexcept;

}  // namespace sinter::codegen
