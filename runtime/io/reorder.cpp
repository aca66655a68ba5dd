// A transposition from column-major to row-major order, tile by tile so that both sides are read and written by lines.
#include <runtime/io/reorder.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/parallel.hpp>

#include <cstring>

namespace sinter::codegen {
namespace {

/// The parts of a complex number.
template <class Word>
struct pair {
    Word first, second;
};

template <class Word>
Word byte_swapped(Word w);
template <class Word>
pair<Word> byte_swapped(pair<Word> w) {
    return {byte_swapped(w.first), byte_swapped(w.second)};
}
template <class Word>
Word byte_swapped(Word w) {
    if constexpr (sizeof(Word) == 2) return __builtin_bswap16(w);
    if constexpr (sizeof(Word) == 4) return __builtin_bswap32(w);
    if constexpr (sizeof(Word) == 8) return __builtin_bswap64(w);
    return w;
}

/// Column-major and row-major differ only in how the first axis (adjacent in the file), the last one (adjacent in the
/// result) and those between are strided. So the work is one plane of first x last for each index between.
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

    /// Where the plane at a row-major index between begins, in elements.
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

template <class Word, bool Swap>
void reorder_words(Word* to, const char* from, const std::vector<std::int64_t>& shape, bool column_major) {
    const auto read = [from](std::int64_t i) {
        Word w;
        std::memcpy(&w, from + i * static_cast<std::int64_t>(sizeof w), sizeof w);
        return Swap ? byte_swapped(w) : w;
    };
    std::int64_t size = 1;
    for (std::int64_t n : shape) size *= n;
    if (!column_major) {
        parallel_loop(size, 1 << 16, [&](std::int64_t i, std::int64_t end) {
            for (; i < end; ++i) to[i] = read(i);
        });
        return;
    }
    if (size == 0) return;

    constexpr std::int64_t tile = 32;
    const planes p(shape);
    const std::int64_t tiles_first = divide_up(p.first, tile);
    const std::int64_t tiles_last = divide_up(p.last, tile);
    const std::int64_t tiles = p.count * tiles_first * tiles_last;
    parallel_loop(tiles, 16, [&](std::int64_t t, std::int64_t end) {
        for (; t < end; ++t) {
            std::int64_t in_file, in_result;
            p.begin_of(t / (tiles_first * tiles_last), in_file, in_result);
            const std::int64_t i0 = t / tiles_last % tiles_first * tile;
            const std::int64_t j0 = t % tiles_last * tile;
            const std::int64_t i1 = i0 + tile < p.first ? i0 + tile : p.first;
            const std::int64_t j1 = j0 + tile < p.last ? j0 + tile : p.last;
            for (std::int64_t i = i0; i < i1; ++i)
                for (std::int64_t j = j0; j < j1; ++j)
                    to[in_result + i * p.result_step + j] = read(in_file + i + j * p.file_step);
        }
    });
}

template <class Word>
void reorder_sized(void* to, const void* from, const std::vector<std::int64_t>& shape, bool column_major, bool swap) {
    if (swap)
        reorder_words<Word, true>(static_cast<Word*>(to), static_cast<const char*>(from), shape, column_major);
    else
        reorder_words<Word, false>(static_cast<Word*>(to), static_cast<const char*>(from), shape, column_major);
}

}  // namespace

void reorder(void* to, const void* from, std::size_t size, const std::vector<std::int64_t>& shape, bool column_major,
             std::size_t swapped) {
    const bool swap = swapped > 1;
    switch (size) {
        case 1: return reorder_sized<std::uint8_t>(to, from, shape, column_major, false);
        case 2: return reorder_sized<std::uint16_t>(to, from, shape, column_major, swap);
        case 4: return reorder_sized<std::uint32_t>(to, from, shape, column_major, swap);
        case 8:
            if (swapped == 4) return reorder_sized<pair<std::uint32_t>>(to, from, shape, column_major, true);
            return reorder_sized<std::uint64_t>(to, from, shape, column_major, swap);
        default: return reorder_sized<pair<std::uint64_t>>(to, from, shape, column_major, swap);
    }
}

}  // namespace sinter::codegen
