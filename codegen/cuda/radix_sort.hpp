// The kernels of a radix sort of long rows, as sources that codegen/cuda/sort.cpp appends to the order of the elements
// and to the digit ranking of codegen/cuda/row_sort.hpp.
#pragma once

#include <cstddef>

namespace sinter::codegen {

/// Values of a digit of 8 bits.
inline constexpr int radix_digits = 256;
/// Elements that a block counts.
inline constexpr int radix_counted = 1 << 16;
/// Shared memory of one counter of each value of all digits; at most so much for all counters.
constexpr int counter_bytes(int word_bytes) { return word_bytes * radix_digits * 4; }
inline constexpr std::size_t max_counter_bytes = 64 * 1024;

/// Elements per thread of a pass. A tile's state is one word per value of the digit, so larger tiles read and store
/// fewer of them, and more neighbours go to one place. Registers are the limit: 80 for three blocks at once.
constexpr int radix_items(int word_bytes, bool tracked) { return word_bytes == 8 ? 14 : tracked ? 22 : 28; }

extern const char* const one_digit_text;  ///< for `sums` and `place`
extern const char* const radix_count_text;
extern const char* const radix_sums_text;
extern const char* const radix_place_text;

}  // namespace sinter::codegen
