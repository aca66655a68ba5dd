// Computes checksums of pieces in parallel and combines them: a single core is slower than a disk.
#include <runtime/io/checksum.hpp>

#include <runtime/system/parallel.hpp>

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace sinter::codegen {

std::uint32_t checksum_of(const void* data, std::size_t bytes, std::uint32_t before) {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const auto* from = static_cast<const Bytef*>(data);
    const std::size_t pieces = (bytes + piece - 1) / piece;
    if (pieces <= 1) return static_cast<std::uint32_t>(bytes ? crc32_z(before, from, bytes) : before);
    std::vector<uLong> of_piece(pieces);
    const auto length = [&](std::size_t i) { return std::min(piece, bytes - i * piece); };
    parallel_loop(static_cast<std::int64_t>(pieces), 1, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
            of_piece[i] = crc32_z(0, from + i * piece, length(i));
    });
    uLong all = before;
    for (std::size_t i = 0; i < pieces; ++i) all = crc32_combine(all, of_piece[i], static_cast<z_off_t>(length(i)));
    return static_cast<std::uint32_t>(all);
}

}  // namespace sinter::codegen
