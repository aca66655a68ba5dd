// The kernels that sort rows, or select from them, within one block: sources that codegen/cuda/sort.cpp appends to the
// order of the elements and the number of `items` per thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace sinter::codegen {

/// Longest row that one thread sorts in registers.
inline constexpr int short_row = 32;
inline constexpr int short_row_threads = 64;  ///< per block

/// Threads per block for a longer row, or a tile of one, and the maximum of elements per thread by their size in bytes:
/// shared memory holds all of them.
inline constexpr int row_threads = 256;
constexpr int max_row_items(int word_bytes) { return word_bytes == 8 ? 8 : 16; }
/// `row_values`: elements per thread, and the bits of an index, of at least one warp.
constexpr int network_items(int word_bytes) { return word_bytes == 8 ? 8 : 16; }
constexpr int network_bits(std::int64_t length, int word_bytes) {
    int bits = 0;
    while (std::int64_t{1} << bits < std::max(length, std::int64_t{32} * network_items(word_bytes))) ++bits;
    return bits;
}

/// Longest pieces that a block selects from: of a longer row if the first elements are wanted; and longest row.
inline constexpr std::int64_t selected_piece = 4096, selected_row = 65536;

/// Up to how many first elements have a bound at once, and how many elements are sorted at the end.
inline constexpr int max_first = 256, max_chosen = 1024;

/// Up to how many first elements a warp selects by itself, and the elements per lane that it reads at once.
inline constexpr int max_first_of_warp = 32;
constexpr int first_items(int word_bytes) { return word_bytes == 8 ? 8 : 16; }

/// Elements per thread of a row.
constexpr int row_items(std::int64_t length) {
    int items = 1;
    while (items * std::int64_t{row_threads} < length) items *= 2;
    return items;
}

extern const char* const digit_rank_text;     ///< shared by all sorts by digits
extern const char* const ordered_key_text;    ///< shared by the sorts of values alone
extern const char* const register_sort_text;  ///< the network of a thread's elements, shared by two sorts
extern const char* const row_sort_text;
extern const char* const short_row_text;
extern const char* const row_network_text;
extern const char* const row_select_text;
extern const char* const row_first_text;

}  // namespace sinter::codegen
