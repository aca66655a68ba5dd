// Elements of a file brought into this machine's order: row-major, native bytes, aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Copies elements of `size` bytes (1, 2, 4, 8 or 16) from `from`, which may be unaligned, to row-major order. Column-
/// major (Fortran) elements are transposed on request. In each `swapped` bytes of an element the bytes are reversed:
/// all of it, or the half of it that is a part of a complex number; 0 for none.
void reorder(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape, bool column_major,
             std::size_t swapped);

}  // namespace sinter::codegen
