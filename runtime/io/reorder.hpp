// Converts a file's elements to native layout: row-major, native bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Reverses the bytes of each word of `word` bytes (1, 2, 4 or 8).
void swap_bytes(void* data, std::size_t bytes, std::size_t word);

/// Transposes elements of `size` bytes (1, 2, 4, 8 or 16) from column-major (Fortran) to row-major order, for an array
/// of that shape and `count` indices along the last axis from `first` on. `from` holds only these, `to` the whole
/// array.
void transpose_columns(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape,
                       std::int64_t first, std::int64_t count);

}  // namespace sinter::codegen
