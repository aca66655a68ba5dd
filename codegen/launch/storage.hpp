// Making storage on a given device, and letting go of memory from outside.
#pragma once

#include <sinter/storage.hpp>

namespace sinter::codegen {

/// Uninitialised row-major storage. Throws for negative extents, sizes beyond 63 bits and a full device.
detail::storage_ref make_storage_on(device& where, dtype type, int rank, const std::int64_t* shape);

/// Waits for the work that may read memory from outside, and hands it back.
void let_go(detail::storage& s) noexcept;

}  // namespace sinter::codegen
