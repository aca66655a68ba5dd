// Elements of a file brought into this machine's order: row-major, native bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Reverses each `word` bytes (1, 2, 4 or 8) of `bytes`.
void swap_bytes(void* data, std::size_t bytes, std::size_t word);

/// Copies elements of `size` bytes (1, 2, 4, 8 or 16) from column-major (Fortran) to row-major order: those of an array
/// of that shape whose index along the last axis is one of `count` from `first` on. `from` holds these alone, `to` the
/// whole array.
void transpose_columns(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape,
                       std::int64_t first, std::int64_t count);

}  // namespace sinter::codegen
