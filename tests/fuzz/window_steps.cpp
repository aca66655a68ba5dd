// Windows as sliding_window makes them: gathers at the sum of two indices.
#include <tests/fuzz/window_steps.hpp>

#include <sinter/sliding_window.hpp>
#include <tests/fuzz/index_nodes.hpp>

#include <algorithm>

namespace sinter::fuzz {
namespace {

/// Window i begins at element i * stride - margin, and its elements lie `dilation` apart. Where there is a margin,
/// elements beyond the axis are those at its end.
struct windows {
    std::int64_t size = 1, stride = 1, dilation = 1, margin = 0;

    std::int64_t reach() const { return (size - 1) * dilation + 1; }
    std::int64_t count(std::int64_t extent) const { return (extent + 2 * margin - reach()) / stride + 1; }
};

std::int64_t any_window_size(random& r, int axes) {
    return axes > 1 ? r.pick({1, 2, 2, 3, 3, 3, 4, 5}) : r.pick({1, 2, 2, 3, 3, 3, 4, 5, 7, 9, 16});
}

windows any_windows(random& r, std::int64_t size, std::int64_t extent) {
    windows w;
    w.size = std::min(size, extent);
    if (r.percent(25)) w.stride = r.percent(50) ? w.size : r.between(1, 3);
    if (r.percent(15) && w.size > 1) w.dilation = r.between(1, std::max<std::int64_t>((extent - 1) / (w.size - 1), 1));
    if (r.percent(25)) w.margin = r.between(1, w.reach());
    return w;
}

/// An array of `least` to 3 axes with that many elements or fewer.
int new_array(grower& g, int least, std::int64_t elements) {
    const int rank = static_cast<int>(g.r.between(least, 3));
    const std::int64_t rows = rank == 1 ? 1 : g.r.between(1, std::min<std::int64_t>(elements, 40));
    const std::int64_t images = rank == 3 ? g.r.between(1, 3) : 1;
    const std::int64_t columns = elements / rows / images;
    if (columns < 4) return nothing;
    extents shape = {columns};
    if (rank == 2) shape = {rows, columns};
    if (rank == 3) shape = {images, rows, columns};
    return g.add_leaf(g.any_type(), shape, rank);
}

/// The windows along an axis, whose elements lie along a new last axis.
int windows_along(grower& g, int x, int axis, const windows& w) {
    const int rank = g.values(x).rank;
    const auto position = static_cast<std::size_t>(axis);
    extents shape = g.values(x).shape;
    const std::int64_t extent = shape[position], count = w.count(extent);
    if (count < 1) return nothing;
    shape[position] = count;
    shape[static_cast<std::size_t>(rank)] = w.size;
    const int starts = index_along(g, rank + 1, axis, count, w.stride);
    const int elements = index_along(g, rank + 1, rank, w.size, w.dilation);
    int places = g.add_node(detail::index_in_window_row::row, dtype::int64, {starts, elements});
    if (w.margin > 0) {
        places = g.add_node(op::subtract::row, dtype::int64, {places, g.add_integer(w.margin)});
        places = g.add_node(op::clip::row, dtype::int64, {places, g.add_integer(0), g.add_integer(extent - 1)});
    }
    if (places == nothing) return nothing;
    std::vector<std::int64_t> maps;
    for (int a = 0; a < rank; ++a) maps.insert(maps.end(), {a == axis ? ir::from_operand : a, 0, 1});
    return g.add_view(x, shape, rank + 1, maps, places);
}

}  // namespace

int step_windows(grower& g) {
    const bool of_two_axes = g.r.percent(50);
    const std::int64_t size = any_window_size(g.r, of_two_axes ? 2 : 1);
    const std::int64_t other = of_two_axes ? any_window_size(g.r, 2) : 1;
    int x = g.r.percent(60) ? new_array(g, of_two_axes ? 2 : 1, g.budget() / (size * other)) : g.any_node();
    const int rank = x == nothing ? 0 : g.values(x).rank;
    const int axes = rank >= 2 && of_two_axes ? 2 : 1;
    if (rank == 0 || rank + axes > ir::max_rank || g.values(x).size() == 0) return nothing;
    const int first = g.r.percent(80) ? rank - axes : static_cast<int>(g.r.below(rank - axes + 1));
    extents sizes{};
    for (int a = 0; a < axes; ++a) {
        const std::int64_t extent = g.values(x).shape[static_cast<std::size_t>(first + a)];
        const windows w = any_windows(g.r, a == 0 ? size : other, extent);
        x = windows_along(g, x, first + a, w);
        if (x == nothing) return nothing;
        sizes[static_cast<std::size_t>(a)] = w.size;
    }
    if (g.r.percent(40)) {
        const int filter = g.add_leaf(g.any_type(), sizes, axes);
        const op_row& combine = g.r.percent(70) ? op::multiply::row : binary_row(g.r);
        x = g.add_binary(combine, x, filter);
    } else if (g.r.percent(30)) {
        x = g.add_elementwise(any_row(g.r, false), x);
    }
    if (x == nothing || g.values(x).rank != rank + axes) return nothing;
    const std::uint32_t of_windows = ((1u << axes) - 1) << rank;
    const op_row& fold =
        g.r.percent(50) ? *g.r.pick({&op::sum::row, &op::max::row, &op::min::row}) : any_row(g.r, true);
    const bool keepdims = g.r.percent(15);
    return g.add_reduction(fold, x, of_windows, keepdims);
}

int step_short_rows(grower& g) {
    const std::int64_t length = g.r.between(2, 9);
    const std::int64_t rows = g.budget() / length / g.r.between(1, 3);
    if (rows < 1) return nothing;
    const int x = g.add_leaf(g.any_type(), {rows, length}, 2);
    const int reduced = g.add_reduction(any_row(g.r, true), x, 2, true);
    if (reduced == nothing || g.r.percent(40)) return reduced;
    return g.add_binary(binary_row(g.r), x, reduced);
}

}  // namespace sinter::fuzz
