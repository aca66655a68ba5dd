// Which bin between ascending edges an element lies in. Most elements are found by one multiplication: the range of the
// edges is cut into cells of one width, and a table tells how many edges lie before each cell, so that only the edges
// within the element's cell are compared (H.-C. Chen and Y. Asau, "On generating random variates from an empirical
// distribution", AIIE Transactions 6, 1974). Rounding does no harm: elements and edges find their cells by the same
// function, which ascends.
#pragma once

#include <sinter/number/both.hpp>

namespace sinter::detail::number {

// <kernel text>

// cell_scale: what cell_of multiplies by; 0, which makes one cell of all, where the width is no positive finite number.
template <class G>
SINTER_BOTH G cell_scale(const G low, const G high, const int cells) {
    const G scale = G(cells) / (high - low);
    return scale > G(0) && scale - scale == G(0) ? scale : G(0);
}

// cell_of: from 0 to cells - 1; 0 for NaN.
template <class G>
SINTER_BOTH int cell_of(const G x, const G low, const G scale, const int cells) {
    const G at = (x - low) * scale;
    return at >= G(0) ? (at < G(cells) ? int(at) : cells - 1) : 0;
}

// edges_before_cell: how many of `count` edges lie in a cell before this one.
template <class G, class Edges>
SINTER_BOTH int edges_before_cell(const Edges& edge, const int count, const int cell, const G low, const G scale,
                                  const int cells) {
    int from = 0, to = count;
    while (from < to) {
        const int half = from + (to - from) / 2;
        if (cell_of<G>(G(edge(half)), low, scale, cells) < cell)
            from = half + 1;
        else
            to = half;
    }
    return from;
}

// edges_not_above: how many edges are not above x, where it is known to be `from` at least and `to` at most.
template <class T, class Index, class Edges>
SINTER_BOTH Index edges_not_above(const T x, const Edges& edge, Index from, Index to) {
    while (from < to) {
        const Index half = from + (to - from) / 2;
        if (edge(half) <= x)
            from = half + 1;
        else
            to = half;
    }
    return from;
}

// bin_of_edges: the bin of x, above or at so many of bins + 1 edges; -1 for none. The last bin has its upper edge.
template <class T, class Index, class Edges>
SINTER_BOTH Index bin_of_edges(const T x, const Edges& edge, const Index bins, const Index not_above) {
    if (not_above <= bins) return not_above - 1;
    return x == edge(bins) ? bins - 1 : -1;
}
// </kernel text>

}  // namespace sinter::detail::number
