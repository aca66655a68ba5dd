// Searches in ascending counts, used for selection by masks and repetition by counts.
#pragma once

#include <sinter/call.hpp>
#include <sinter/create.hpp>
#include <sinter/debug.hpp>
#include <sinter/let.hpp>
#include <sinter/memory.hpp>
#include <sinter/pack.hpp>
#include <sinter/reshape.hpp>
#include <sinter/scan.hpp>
#include <sinter/slice.hpp>
#include <sinter/tie.hpp>
#include <sinter/transfer.hpp>

#include <tuple>
#include <utility>

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

/// What a function of a mask, and of the operands beside it, chooses. It stores what it chooses while it counts the
/// trues, into memory for as many elements as the mask has; without that much memory it counts them first. A search for
/// NaNs would find what is left of that memory, so it counts first, too.
template <const ir::call_row& Row, dtype D, class... A>
array<element_t<D>, 1> chosen_by(const A&... mask_and_values) {
    const auto& mask = std::get<0>(std::tie(mask_and_values...));
    const auto with_room_for = [&](std::int64_t capacity) {
        array<element_t<D>, 1> chosen;
        array<std::int64_t, 1> count;
        tie(chosen, count) = pack(call_of<Row, 0, D, 1>(&capacity, mask_and_values...),
                                  call_of<Row, 1, dtype::int64, 1>(&capacity, mask_and_values...));
        std::int64_t trues = 0;
        copy_to_host(&trues, count.storage());
        storage_ref memory = chosen.storage();
        chosen = {};
        return array<element_t<D>, 1>(first_elements(std::move(memory), trues));
    };
    if (mask.size() == 0) return array<element_t<D>, 1>(shape<1>(0));
    try {
        if (!current_debug().nan) return with_room_for(mask.size());
    } catch (const out_of_memory&) {
    }
    return with_room_for(item(sum(mask)));
}

/// The row-major positions of the trues of a mask.
template <class Mask>
array<std::int64_t, 1> all_trues(const Mask& mask) {
    return chosen_by<calls::chosen_positions, dtype::int64>(mask);
}

/// Gathers elements at row-major positions; `otherwise` for positions past the end.
template <class A, class P, class V>
auto elements_or(const A& a, const P& position, V otherwise) {
    const std::int64_t n = a.size();
    return where(position < n, read_at(ravel(a), minimum(position, n > 0 ? n - 1 : 0)), otherwise);
}

/// Stores a vector's elements at positions of it.
template <class V>
array<element_t<V::type>, 1> read_at_all(const V& v, const array<std::int64_t, 1>& positions) {
    using result = array<element_t<V::type>, 1>;
    return positions.size() > 0 ? result(read_at(v, as_expr(positions))) : result(shape<1>(0));
}

template <class Tree>
inline constexpr bool is_array_itself = false;
template <dtype D, int Rank>
inline constexpr bool is_array_itself<tree::leaf<D, Rank>> = true;

/// The elements of an operand where a mask, which is broadcast to its shape, is true. On the host those of an
/// expression are computed where they are wanted alone.
template <class Mask, class A>
array<element_t<A::type>, 1> elements_where(const Mask& mask, const A& a) {
    const auto choose = [&](const auto& is_chosen) {
        if constexpr (!is_array_itself<typename expr_of<A>::tree_type>)
            if (current_device().is_host() && a.size() > 0) return read_at_all(ravel(a), all_trues(is_chosen));
        return chosen_by<calls::chosen_elements, A::type>(is_chosen, a);
    };
    return mask.shape() == a.shape() ? choose(mask) : choose(broadcast_to(mask, a.shape()));
}

}  // namespace sinter::detail
