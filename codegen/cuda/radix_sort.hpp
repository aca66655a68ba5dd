// The kernels of a radix sort, in pieces that codegen/cuda/sort.cpp puts behind the order of the elements.
#pragma once

namespace sinter::codegen {

/// Elements of a row that one block takes.
inline constexpr int radix_tile = 2048;
/// Values of a digit of 8 bits.
inline constexpr int radix_digits = 256;
/// Of rows with more tiles the counts are summed up by a kernel of their own.
inline constexpr int radix_few_tiles = 16;

extern const char* const radix_shared_text;
extern const char* const radix_count_text;
extern const char* const radix_sums_text;
extern const char* const radix_place_text;

}  // namespace sinter::codegen
