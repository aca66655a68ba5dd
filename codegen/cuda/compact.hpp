// The kernel of stream compaction: what a mask chooses, one after the other.
#pragma once

#include <codegen/cuda/print_element.hpp>

#include <cstddef>
#include <string>

namespace sinter::codegen {

/// Threads per block, and elements of a tile: 32 per thread.
inline constexpr int compact_block = 256, compact_tile = 32 * compact_block;

struct compact_source {
    std::size_t element_bytes = 0;  ///< 0: the results are the positions of the trues, as int64
};

/// The kernel's name in its source.
const char* compact_name(const compact_source& s);

/// A complete translation unit. `mask` and `values`: functions that compute these operands; null for arrays.
std::string compact_text(const compact_source& s, const printed_element* mask, const printed_element* values);

}  // namespace sinter::codegen
