// Makes storage on a given device, and releases external memory.
#pragma once

#include <sinter/expr.hpp>

namespace sinter::codegen {

/// Uninitialised row-major storage. Throws for negative extents, sizes beyond 63 bits, and out of memory.
detail::storage_ref make_storage_on(device& where, dtype type, int rank, const std::int64_t* shape);

/// Throws if an operand is missing because the expression that held it was moved from.
void require_operands(const ir::program& program, const detail::arguments_view& arguments);

/// Waits for the work that may read external memory, and returns it to its owner.
void let_go(detail::storage& s) noexcept;

}  // namespace sinter::codegen
