// Making storage on a given device.
#pragma once

#include <sinter/storage.hpp>

namespace sinter::codegen {

/// Uninitialised row-major storage. Throws for negative extents, sizes beyond 63 bits and a full device.
detail::storage_ref make_storage_on(device& where, dtype type, int rank, const std::int64_t* shape);

}  // namespace sinter::codegen
