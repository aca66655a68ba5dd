// The derivative w.r.t. a view's operand. Each source element gets the sum of the derivatives at the indices that read
// it: result axes that no source axis maps to are summed; other axes are read inversely where the step hits, and are 0
// elsewhere.
#include <codegen/autodiff/gradient.hpp>
#include <sinter/error.hpp>
#include <sinter/gather.hpp>
#include <sinter/sliding_window.hpp>

#include <algorithm>

namespace sinter::codegen::gradient {
namespace {

using axis_map = std::array<mapped_axis, ir::max_rank>;

class view_reader {
public:
    view_reader(builder& b, const graph_node& view, const graph_node& source)
        : b_(b), rank_(view.rank), shape_(view.shape), map_(view.map), source_(source) {}

    term run(term g, term index) {
        g = b_.with_rank(g, rank_);
        if (index.exists()) g = scatter_by_index(g, index);
        for (int a = 0; a < source_.rank; ++a)
            if (map_[a].from >= 0 && (shape_[map_[a].from] == 1 || map_[a].step == 0)) map_[a].from = -1;
        find_primaries();
        g = to_source_axes(sum_unread(g));
        for (int a = 0; a < source_.rank; ++a) g = place(g, a);
        return g;
    }

private:
    /// For gathers: adds an axis for the source's index, along which the derivative is 0 except at the gathered index.
    /// The rest is an affine view.
    term scatter_by_index(term g, term index) {
        const int computed = static_cast<int>(
            std::find_if(map_.begin(), map_.end(), [](const mapped_axis& m) { return m.from == ir::from_operand; }) -
            map_.begin());
        if (rank_ == ir::max_rank)
            throw error(
                "grad: a gather of 8 axes cannot be differentiated, because its gradient needs one axis more; reshape "
                "it to fewer axes");
        const std::int64_t extent = source_.shape[computed];
        if (const term back = read_back(g, computed, index); back.exists()) {
            shape_[computed] = extent;
            map_[computed] = {computed, 0, 1};
            return back;
        }
        g = with_last_axis(g);
        index = with_last_axis(b_.with_rank(index, rank_));
        shape_[rank_] = extent;
        map_[computed] = {rank_, 0, 1};
        ++rank_;
        return where(index == b_.along(rank_ - 1, rank_, extent), g, 0.0);
    }

    /// The inverse of a gather that is known to read each source element at a single known index, so that no axis is
    /// added: a part of a concatenation (a slice), a roll, and windows (per element of a window). `none` for other
    /// gathers.
    term read_back(term g, int axis, term index) {
        const graph_node n = *index;
        if (n.op == &sinter::detail::index_in_window_row::row) return sum_of_windows(g, axis, b_[n.in[1]]);
        const bool part = n.op == &sinter::detail::index_of_part_row::row;
        if (n.what != ir::kind::elementwise || (!part && n.op != &sinter::detail::index_rolled_row::row)) return none;
        if ((*g).shape[axis] == 1) return g;
        const std::int64_t extent = source_.shape[axis];
        if (part) return slice(g, axis, b_[n.in[1]].map[0].start, extent);
        const term own = b_.along(axis, source_.rank, extent), by = b_.at(n.in[1]), all = b_.at(n.in[2]);
        return b_.gather(g, axis, extent, b_.elementwise(*n.op, {own, (all - by) % all, all}));
    }

    /// Windows along an axis: index j of the source is element k of window j - k, if that exists. A window's elements
    /// go along the axis of `elements`, over which the derivatives are summed later.
    term sum_of_windows(term g, int axis, const graph_node& elements) {
        const int across = elements.map[0].from;
        const std::int64_t windows = shape_[axis], extent = source_.shape[axis];
        const term window = b_.along(axis, rank_, extent) - b_.along(across, rank_, shape_[across]);
        const term exists = window >= 0.0 && window < b_.number(windows);
        if ((*g).shape[axis] != 1) {
            extents shape = (*g).shape;
            shape[across] = shape_[across];
            g = b_.gather(b_.broadcast(g, rank_, shape), axis, extent, clip(window, 0.0, b_.number(windows - 1)));
        }
        return where(exists, g, 0.0);
    }

    term slice(term g, int axis, std::int64_t first, std::int64_t extent) {
        extents shape = (*g).shape;
        shape[axis] = extent;
        axis_map map{};
        for (int a = 0; a < rank_; ++a) map[a] = {a, a == axis ? first : 0, 1};
        return b_.view(g, rank_, shape, map);
    }

    term with_last_axis(term x) {
        const graph_node from = *x;
        axis_map map{};
        extents shape = from.shape;
        shape[from.rank] = 1;
        for (int a = 0; a < from.rank; ++a) map[a] = {a, 0, 1};
        return b_.view(x, from.rank + 1, shape, map);
    }

    /// Several source axes may map to one result axis, as in a diagonal: the first of them reads it.
    void find_primaries() {
        primary_.fill(-1);
        for (int a = source_.rank; a-- > 0;)
            if (map_[a].from >= 0) primary_[static_cast<std::size_t>(map_[a].from)] = a;
    }

    term sum_unread(term g) {
        extents to = shape_;
        for (int k = 0; k < rank_; ++k)
            if (primary_[static_cast<std::size_t>(k)] < 0) to[k] = 1;
        return b_.sum_to(g, rank_, shape_, rank_, to);
    }

    bool whole(int a) const {
        const mapped_axis& m = map_[a];
        const std::int64_t extent = source_.shape[a];
        return shape_[m.from] == extent && ((m.step == 1 && m.start == 0) || (m.step == -1 && m.start == extent - 1));
    }

    /// Moves axis k of the derivative to the source axis that maps to it.
    term to_source_axes(term g) {
        const graph_node from = *g;
        axis_map map{};
        extents shape{};
        std::fill_n(shape.begin(), source_.rank, 1);
        for (int k = 0; k < rank_; ++k) {
            const int a = primary_[static_cast<std::size_t>(k)];
            if (a < 0 || from.shape[k] == 1) {
                map[k] = {-1, 0, 0};
                continue;
            }
            const bool backwards = whole(a) && map_[a].step < 0;
            map[k] = {a, backwards ? from.shape[k] - 1 : 0, backwards ? -1 : 1};
            shape[a] = from.shape[k];
        }
        return b_.view(g, source_.rank, shape, map);
    }

    /// The result index that reads index j of a source axis; valid only where `hits`.
    term index_of(int a) {
        const mapped_axis& m = map_[a];
        const term j = b_.along(a, source_.rank, source_.shape[a]);
        const term start = b_.number(m.start);
        const term distance = m.step > 0 ? j - start : start - j;
        return m.step == 1 || m.step == -1 ? distance : floor_divide(distance, b_.number(std::abs(m.step)));
    }

    term hits(int a) {
        const mapped_axis& m = map_[a];
        const term index = index_of(a);
        term hit = index >= 0.0 && index < b_.number(shape_[m.from]);
        if (m.step != 1 && m.step != -1) {
            const term j = b_.along(a, source_.rank, source_.shape[a]), start = b_.number(m.start);
            hit = hit && (m.step > 0 ? j - start : start - j) % b_.number(std::abs(m.step)) == 0.0;
        }
        return hit;
    }

    /// The derivative at the indices read along one source axis, and 0 elsewhere.
    term place(term g, int a) {
        const mapped_axis& m = map_[a];
        if (m.from < 0) {
            if (source_.shape[a] == 1) return g;
            return where(b_.along(a, source_.rank, source_.shape[a]) == b_.number(m.start), g, 0.0);
        }
        const int first = primary_[static_cast<std::size_t>(m.from)];
        if (first != a) {
            const term steps = index_of(first) * b_.number(std::abs(m.step)), start = b_.number(m.start);
            const term there = m.step > 0 ? start + steps : start - steps;
            return where(b_.along(a, source_.rank, source_.shape[a]) == there, g, 0.0);
        }
        if (whole(a)) return g;
        if ((*g).shape[a] != 1)
            g = b_.gather(g, a, source_.shape[a], clip(index_of(a), 0.0, b_.number(shape_[m.from] - 1)));
        return where(hits(a), g, 0.0);
    }

    builder& b_;
    int rank_;
    extents shape_;
    axis_map map_;
    graph_node source_;
    std::array<int, ir::max_rank> primary_{};
};

}  // namespace

term through_view(builder& b, int view, term g) {
    const graph_node n = b[view];
    if (size_of_shape(n.shape, n.rank) == 0) return none;
    return view_reader(b, n, b[n.in[0]]).run(g, n.in[1] < 0 ? none : b.at(n.in[1]));
}

}  // namespace sinter::codegen::gradient
