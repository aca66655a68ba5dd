// The checksum of zip archives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::codegen {

/// CRC-32 of the bytes, by all cores, continuing from that of the bytes before them.
std::uint32_t checksum_of(const void* data, std::size_t bytes, std::uint32_t before = 0);

}  // namespace sinter::codegen
