// Column-major to row-major transposition by tiles, so that both sides use whole cache lines.
#include <runtime/io/reorder.hpp>

#include <codegen/ir/round.hpp>
#include <runtime/system/parallel.hpp>

#include <cstring>

namespace sinter::codegen {
namespace {

template <class Word>
Word byte_swapped(Word w) {
    if constexpr (sizeof(Word) == 2) return __builtin_bswap16(w);
    if constexpr (sizeof(Word) == 4) return __builtin_bswap32(w);
    if constexpr (sizeof(Word) == 8) return __builtin_bswap64(w);
}

template <class Word>
void swap_words(void* data, std::size_t bytes) {
    auto* const at = static_cast<unsigned char*>(data);
    parallel_loop(static_cast<std::int64_t>(bytes / sizeof(Word)), 1 << 16, [&](std::int64_t i, std::int64_t end) {
        for (; i < end; ++i) {
            Word w;
            std::memcpy(&w, at + i * std::int64_t{sizeof w}, sizeof w);
            w = byte_swapped(w);
            std::memcpy(at + i * std::int64_t{sizeof w}, &w, sizeof w);
        }
    });
}

struct two_words {
    std::uint64_t first, second;
};

/// Between the two orders only the strides of the first axis (contiguous in the file), the last axis (contiguous in the
/// result) and those between differ. So the work is one first x last plane per index between.
struct planes {
    std::int64_t first = 1, last = 1, count = 1;
    std::int64_t file_step = 1, result_step = 1;  ///< along the last axis in the file, along the first in the result
    std::vector<std::int64_t> between;            ///< extents

    explicit planes(const std::vector<std::int64_t>& shape) {
        if (shape.empty()) return;
        last = shape.back();
        if (shape.size() < 2) return;
        first = shape.front();
        between.assign(shape.begin() + 1, shape.end() - 1);
        for (std::int64_t n : between) count *= n;
        file_step = first * count;
        result_step = count * last;
    }

    /// The offsets of the plane at a row-major index of the axes between, in elements.
    void begin_of(std::int64_t index, std::int64_t& in_file, std::int64_t& in_result) const {
        in_result = index * last;
        in_file = 0;
        std::int64_t stride = first;
        std::int64_t below = count;
        for (std::int64_t n : between) {
            below /= n;
            in_file += index / below % n * stride;
            stride *= n;
        }
    }
};

template <class Word>
void transpose_words(Word* to, const Word* from, const std::vector<std::int64_t>& shape, std::int64_t first,
                     std::int64_t columns) {
    constexpr std::int64_t tile = 32;
    const planes p(shape);
    const std::int64_t tiles_first = divide_up(p.first, tile);
    const std::int64_t tiles_last = divide_up(columns, tile);
    const std::int64_t tiles = p.count * tiles_first * tiles_last;
    parallel_loop(tiles, 16, [&](std::int64_t t, std::int64_t end) {
        for (; t < end; ++t) {
            std::int64_t in_file, in_result;
            p.begin_of(t / (tiles_first * tiles_last), in_file, in_result);
            const std::int64_t i0 = t / tiles_last % tiles_first * tile;
            const std::int64_t j0 = t % tiles_last * tile;
            const std::int64_t i1 = i0 + tile < p.first ? i0 + tile : p.first;
            const std::int64_t j1 = j0 + tile < columns ? j0 + tile : columns;
            for (std::int64_t i = i0; i < i1; ++i)
                for (std::int64_t j = j0; j < j1; ++j)
                    to[in_result + i * p.result_step + first + j] = from[in_file + i + j * p.file_step];
        }
    });
}

}  // namespace

void swap_bytes(void* data, std::size_t bytes, std::size_t word) {
    switch (word) {
        case 2: return swap_words<std::uint16_t>(data, bytes);
        case 4: return swap_words<std::uint32_t>(data, bytes);
        case 8: return swap_words<std::uint64_t>(data, bytes);
        default: return;
    }
}

void transpose_columns(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape,
                       std::int64_t first, std::int64_t count) {
    const auto of = [&]<class Word>(Word* words) {
        transpose_words(words, static_cast<const Word*>(from), shape, first, count);
    };
    switch (size) {
        case 1: return of(static_cast<std::uint8_t*>(to));
        case 2: return of(static_cast<std::uint16_t*>(to));
        case 4: return of(static_cast<std::uint32_t*>(to));
        case 8: return of(static_cast<std::uint64_t*>(to));
        default: return of(static_cast<two_words*>(to));
    }
}

}  // namespace sinter::codegen
