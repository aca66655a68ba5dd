// Where something is found in ascending counts: what choosing by masks and repeating by counts are made of.
#pragma once

#include <sinter/at.hpp>
#include <sinter/create.hpp>
#include <sinter/let.hpp>
#include <sinter/reshape.hpp>
#include <sinter/scan.hpp>

namespace sinter::detail {

/// The elements of a vector at int64 indices within it, which may have any rank.
template <class V, class Index>
auto read_at(const V& v, expr<Index> index) {
    const shape<Index::rank> to = index.shape_;
    auto read = make_taken<Index::rank>(v, std::move(index));
    read.shape_ = to;
    set_axis(own_integers(read), 0, ir::from_operand, 0, 1);
    set_extents(read, 1);
    return read;
}

/// How many steps a search takes, and into how many parts each one divides what the step before has left.
struct search_tree {
    static constexpr int levels = 4;
    std::int64_t extent, parts = 1;

    explicit search_tree(std::int64_t n) : extent(n) {
        while (block(0) * parts < n) ++parts;
    }
    /// The elements of a part of a level.
    std::int64_t block(int level) const {
        std::int64_t size = 1;
        for (int i = level + 1; i < levels; ++i) size *= parts;
        return size;
    }
};

/// Steps from a level on: `found` parts of that level's are known to be below `wanted`. Each step counts the parts of
/// the next level whose last element is.
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

/// How many of ascending int64 counts are not above each of `wanted`: in four steps, of as many comparisons each as the
/// fourth root of their number. The counts are an array, or stored by a launch of their own.
template <class Counts, class Wanted>
auto count_not_above(const Counts& counts, const Wanted& wanted) {
    const search_tree t(counts.shape().extent[0]);
    const auto none = wanted * std::int64_t{0};
    return let(none, [=](const auto& found) { return search_from<0>(t, counts, wanted, found); });
}

/// The positions of the first `count` trues of a vector, in their order; the vector's length where there are fewer.
template <class Mask>
auto first_trues(const Mask& mask, std::int64_t count) {
    return count_not_above(cumsum(mask), index_along<1>(0, count));
}

/// All of them, which waits for their number. It takes about as many steps as the vector has elements.
template <class Mask>
array<std::int64_t, 1> all_trues(const Mask& mask) {
    const std::int64_t n = mask.shape().extent[0];
    if (n == 0) return array<std::int64_t, 1>(shape<1>(0));
    const array<bool, 1> chosen = mask;
    const array<std::int64_t, 1> so_far = cumsum(chosen);
    const std::int64_t count = item(so_far(-1));
    auto positions = zeros<std::int64_t>(count);
    if (count > 0) at(positions, where(chosen, so_far - 1, count)) = index_along<1>(0, n);
    return positions;
}

/// The elements at row-major positions, and `otherwise` at those behind the last one.
template <class A, class P>
auto elements_or(const A& a, const P& position, element_t<A::type> otherwise) {
    const std::int64_t n = a.size();
    return where(position < n, read_at(ravel(a), minimum(position, n > 0 ? n - 1 : 0)), otherwise);
}

}  // namespace sinter::detail
