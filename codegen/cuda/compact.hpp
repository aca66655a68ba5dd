// The kernel of stream compaction: what a mask chooses, one after the other.
#pragma once

#include <codegen/cuda/print_element.hpp>

#include <cstddef>
#include <string>

namespace sinter::codegen {

inline constexpr int compact_block = 256;

struct compact_source {
    std::size_t element_bytes = 0;  ///< 0: the results are the positions of the trues, as int64
    bool operator==(const compact_source&) const = default;

    /// Elements per thread: 64 bytes of values in flight, as many masks where there are none.
    int items() const { return element_bytes <= 4 ? 16 : static_cast<int>(64 / element_bytes); }
    int tile() const { return compact_block * items(); }
};

/// The kernel's name in its source.
const char* compact_name(const compact_source& s);

/// A complete translation unit. `mask` and `values`: functions that compute these operands; null for arrays.
std::string compact_text(const compact_source& s, const printed_element* mask, const printed_element* values);

}  // namespace sinter::codegen
