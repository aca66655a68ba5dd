// The checksum of zip archives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

/// CRC-32 of the bytes, computed on all cores, continuing from `before`, that of the preceding bytes.
std::uint32_t checksum_of(const void* data, std::size_t bytes, std::uint32_t before = 0);

}  // namespace sinter::codegen
