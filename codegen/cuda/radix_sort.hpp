// The kernels of a radix sort of long rows, as sources that codegen/cuda/sort.cpp appends to the order of the elements
// and to the digit ranking of codegen/cuda/row_sort.hpp.
#pragma once

namespace sinter::codegen {

/// Values of a digit of 8 bits.
inline constexpr int radix_digits = 256;
/// Elements that a block counts.
inline constexpr int radix_counted = 1 << 15;

extern const char* const radix_count_text;
extern const char* const radix_sums_text;
extern const char* const radix_place_text;

}  // namespace sinter::codegen
