// Searches in ascending counts, used for selection by masks and repetition by counts.
#pragma once

#include <sinter/call.hpp>
#include <sinter/create.hpp>
#include <sinter/join.hpp>
#include <sinter/let.hpp>
#include <sinter/reshape.hpp>
#include <sinter/scan.hpp>
#include <sinter/slice.hpp>
#include <sinter/transfer.hpp>

namespace sinter::detail {

/// Gathers elements of a vector at in-range int64 indices of any rank.
template <class V, class Index>
auto read_at(const V& v, expr<Index> index) {
    const shape<Index::rank> to = index.shape_;
    auto read = make_taken<Index::rank>(v, std::move(index));
    read.shape_ = to;
    set_axis(own_integers(read), 0, ir::from_operand, 0, 1);
    set_extents(read, 1);
    return read;
}

/// A search tree with a fixed number of levels: each level divides the remaining range into `parts`.
struct search_tree {
    static constexpr int levels = 4;
    std::int64_t extent, parts = 1;

    explicit search_tree(std::int64_t n) : extent(n) {
        while (block(0) * parts < n) ++parts;
    }
    /// The number of elements per part of a level.
    std::int64_t block(int level) const {
        std::int64_t size = 1;
        for (int i = level + 1; i < levels; ++i) size *= parts;
        return size;
    }
};

/// Searches from a level on. `found` parts of that level are known to be below `wanted`; each step counts the parts of
/// the next level whose last element is below.
template <int Level, class Counts, class Wanted, class Found>
auto search_from(const search_tree& t, const Counts& counts, const Wanted& wanted, const Found& found) {
    constexpr int rank = Found::rank + 1;
    const std::int64_t block = t.block(Level), last = t.extent - 1;
    const auto part = with_axis(found, rank - 1) * t.parts + index_along<rank>(rank - 1, t.parts);
    const auto at = part * block + (block - 1);
    const auto below = at <= last && read_at(counts, minimum(at, last)) <= with_axis(wanted, rank - 1);
    const auto now = found * t.parts + sum(below, static_axes<-1>{});
    if constexpr (Level + 1 == search_tree::levels)
        return now;
    else
        return let(now, [=](const auto& known) { return search_from<Level + 1>(t, counts, wanted, known); });
}

/// The number of ascending int64 counts that are not above each of `wanted`: four steps, each with n^(1/4) comparisons
/// for n counts. The counts are an array, or materialized.
template <class Counts, class Wanted>
auto count_not_above(const Counts& counts, const Wanted& wanted) {
    const search_tree t(counts.shape().extent[0]);
    const auto none = wanted * std::int64_t{0};
    return let(none, [=](const auto& found) { return search_from<0>(t, counts, wanted, found); });
}

/// The positions of the first `count` trues of a vector, in order; padded with the vector's length.
template <class Mask>
auto first_trues(const Mask& mask, std::int64_t count) {
    return count_not_above(cumsum(mask), index_along<1>(0, count));
}

/// A stored mask and its number of trues.
struct counted_trues {
    array<bool, 1> mask;             ///< on the host
    array<std::uint32_t, 1> words;   ///< on other devices: 32 elements each, the first in the lowest bit
    array<std::int64_t, 1> offsets;  ///< the number of trues before each tile
    std::int64_t count = 0;
};

/// Rows of up to 32 trues as words.
template <class Mask>
auto words_of(const Mask& rows) {
    const auto bits = std::uint32_t{1} << to_dtype<dtype::uint32>(index_along<1>(0, rows.shape().extent[1]));
    return to_dtype<dtype::uint32>(sum(where(rows, bits, std::uint32_t{0}), static_axes<1>{}));
}

/// A vector of trues as words, the last of which may have fewer.
template <class Mask>
array<std::uint32_t, 1> packed_trues(const Mask& mask) {
    const std::int64_t n = mask.shape().extent[0], whole = n / 32;
    if (whole * 32 == n) return words_of(reshape(mask, shape<2>(whole, 32)));
    return sinter::concat(words_of(reshape(mask(range(0, whole * 32)), shape<2>(whole, 32))),
                          words_of(reshape(mask(range(whole * 32, n)), shape<2>(1, n - whole * 32))), axis=0);
}

/// Stores a mask, counts its trues, and waits for their number. It reads the stored mask once.
template <class Mask>
counted_trues count_trues(const Mask& mask) {
    counted_trues found;
    if (mask.size() == 0) return found;
    if (current_device().is_host()) {
        found.mask = ravel(mask);
        found.offsets = call_of<calls::mask_offsets, 0, dtype::int64, 1>(nullptr, found.mask);
    } else {
        found.words = packed_trues(ravel(mask));
        found.offsets = call_of<calls::mask_offsets, 0, dtype::int64, 1>(nullptr, found.words);
    }
    found.count = item(found.offsets(-1));
    return found;
}

/// A mask, broadcast to the shape of what it selects from.
template <class Mask, int Rank>
auto count_trues(const Mask& mask, const shape<Rank>& of) {
    return mask.shape() == of ? count_trues(mask) : count_trues(broadcast_to(mask, of));
}

/// The row-major positions of the trues of a mask.
inline array<std::int64_t, 1> positions_of(const counted_trues& found) {
    if (found.count == 0) return array<std::int64_t, 1>(shape<1>(0));
    const std::int64_t integers[] = {found.count};
    if (found.words.size() > 0)
        return call_of<calls::mask_positions, 0, dtype::int64, 1>(integers, found.words, found.offsets);
    return call_of<calls::mask_positions, 0, dtype::int64, 1>(integers, found.mask, found.offsets);
}
template <class Mask>
array<std::int64_t, 1> all_trues(const Mask& mask) {
    return positions_of(count_trues(mask));
}

/// Gathers elements at row-major positions; `otherwise` for positions past the end.
template <class A, class P, class V>
auto elements_or(const A& a, const P& position, V otherwise) {
    const std::int64_t n = a.size();
    return where(position < n, read_at(ravel(a), minimum(position, n > 0 ? n - 1 : 0)), otherwise);
}

template <class Tree>
inline constexpr bool is_array_itself = false;
template <dtype D, int Rank>
inline constexpr bool is_array_itself<tree::leaf<D, Rank>> = true;

/// The elements of an operand at the trues. Those of an array are copied side by side; those of an expression are
/// computed where they are wanted alone.
template <class A>
auto elements_at(const counted_trues& found, const A& a) {
    constexpr dtype type = A::type;
    using result = array<element_t<type>, 1>;
    if (found.count == 0) return result(shape<1>(0));
    if constexpr (is_array_itself<typename expr_of<A>::tree_type>) {
        const std::int64_t integers[] = {found.count};
        if (found.words.size() > 0)
            return result(call_of<calls::mask_elements, 0, type, 1>(integers, found.words, found.offsets, a));
        return result(call_of<calls::mask_elements, 0, type, 1>(integers, found.mask, found.offsets, a));
    } else {
        return result(read_at(ravel(a), as_expr(positions_of(found))));
    }
}

}  // namespace sinter::detail
