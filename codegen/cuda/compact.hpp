// The kernels of stream compaction: what a mask chooses, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter::codegen {

/// Elements of a mask that a block takes, 32 per thread.
inline constexpr std::int64_t compact_tile = 8192;
inline constexpr int compact_block = 256, compact_scan_block = 1024;

/// `count` counts the trues of each tile; `scan`, one block, makes of the counts how many stand before each tile;
/// `positions` and `elements` store where the trues stand, or the values that stand there.
enum class compact_kernel : std::uint8_t { count, scan, positions, elements };

/// The kernel's name in its source: count_trues.
const char* compact_name(compact_kernel which);

/// A complete translation unit. `elements` depends on the bytes of an element. `in_words`: of the mask 32 elements are
/// a word, the first in its lowest bit; otherwise each is a byte.
std::string compact_text(compact_kernel which, std::size_t element_bytes, bool in_words);

}  // namespace sinter::codegen
