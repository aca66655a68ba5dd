// Elements of a file brought into this machine's order: row-major, native bytes, aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Copies elements of `size` bytes (1, 2, 4 or 8) from `from`, which may be unaligned, to row-major order. Column-major
/// (Fortran) elements are transposed, and bytes reversed, on request.
void reorder(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape, bool column_major,
             bool swap_bytes);

}  // namespace sinter::codegen
