// Joins are gathers and selections, as concat, stack and pad write them; repetitions are views of which two axes become
// one.
#include <tests/fuzz/layout_steps.hpp>

#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>
#include <tests/fuzz/index_nodes.hpp>

#include <algorithm>

namespace sinter::fuzz {
namespace {

std::int64_t extent_of(const grower& g, int x, int axis) { return g.values(x).shape[static_cast<std::size_t>(axis)]; }

int any_axis(grower& g, int x) { return static_cast<int>(g.r.below(g.values(x).rank)); }

int less(grower& g, int x, int y) { return g.add_node(op::less::row, dtype::bool_, {x, y}); }

int chosen(grower& g, int condition, int x, int y) {
    return x == nothing ? nothing : g.add_node(op::where::row, g.values(x).type, {condition, x, y});
}

/// An array of the same dtype as x, along `axis` of that extent or, where it is negative, of another.
int joined_with(grower& g, int x, int axis, std::int64_t extent) {
    const node_values& v = g.values(x);
    const dtype type = v.type;
    const int rank = v.rank;
    extents shape = v.shape;
    std::int64_t& length = shape[static_cast<std::size_t>(axis)];
    const bool same = extent < 0 ? g.r.percent(50) : extent == length;
    if (extent >= 0)
        length = extent;
    else if (!same)
        length = g.r.percent(5) ? 0 : g.r.between(1, 9);
    if (same && g.r.percent(50)) {
        const int made = g.add_elementwise(any_row(g.r, false), x);
        if (made != nothing && g.values(made).rank == rank && g.values(made).shape == shape)
            return g.add_cast(made, type);
    }
    if (g.r.percent(30)) return g.add_view_of_shape(x, shape, rank);
    return g.add_leaf(type, shape, rank);
}

/// x along an axis at the indices of a part, which are an index in the whole, where the part begins, and its length.
int read_part(grower& g, int x, int axis, std::int64_t total, std::initializer_list<int> indices) {
    g.in_part = true;
    const int within = g.add_node(detail::index_of_part_row::row, dtype::int64, indices);
    const int mine = read_along(g, x, axis, total, within);
    g.in_part = false;
    return mine;
}

/// The parts one after the other: what concat makes of them, the last one first.
int concatenated(grower& g, const std::vector<int>& parts, int axis) {
    std::int64_t total = 0;
    for (const int part : parts) {
        if (part == nothing) return nothing;
        total += extent_of(g, part, axis);
    }
    if (total == 0) return nothing;
    const int rank = g.values(parts[0]).rank, index = index_along(g, rank, axis, total);
    int joined = nothing;
    std::int64_t start = total;
    for (std::size_t p = parts.size(); p-- > 0;) {
        const std::int64_t n = extent_of(g, parts[p], axis);
        start -= n;
        if (n == 0) continue;  // it has no element to read
        const int first = fixed_index(g, start), length = fixed_index(g, n);
        if (index == nothing || first == nothing || length == nothing) return nothing;
        const int mine = read_part(g, parts[p], axis, total, {index, first, length});
        if (mine == nothing) return nothing;
        g.in_part = start > 0;
        joined = joined == nothing ? mine : chosen(g, less(g, index, fixed_index(g, start + n)), mine, joined);
        g.in_part = false;
        if (joined == nothing) return nothing;
    }
    return joined;
}

/// x with an axis of extent 1, or one along which it is repeated.
int with_axis(grower& g, int x, int axis, std::int64_t count = 1) {
    if (x == nothing) return nothing;
    const int rank = g.values(x).rank;
    if (rank == ir::max_rank) return nothing;
    extents shape{};
    std::vector<std::int64_t> maps;
    for (int a = 0; a < rank; ++a) {
        const int to = a < axis ? a : a + 1;
        shape[static_cast<std::size_t>(to)] = extent_of(g, x, a);
        maps.insert(maps.end(), {to, 0, 1});
    }
    shape[static_cast<std::size_t>(axis)] = count;
    return g.add_view(x, shape, rank + 1, maps);
}

/// Axes `axis` and `axis` + 1 as one.
int merged_axes(grower& g, int x, int axis) {
    if (x == nothing) return nothing;
    extents shape{};
    int rank = 0;
    for (int a = 0; a < g.values(x).rank; ++a)
        if (a == axis + 1)
            shape[static_cast<std::size_t>(axis)] *= extent_of(g, x, a);
        else
            shape[static_cast<std::size_t>(rank++)] = extent_of(g, x, a);
    return g.add_reshape(x, shape, rank);
}

int moved_axis(grower& g, int x, int from, int to) {
    if (x == nothing) return nothing;
    const int rank = g.values(x).rank;
    std::vector<int> order;
    for (int a = 0; a < rank; ++a)
        if (a != from) order.push_back(a);
    order.insert(order.begin() + to, from);
    extents shape{};
    std::vector<std::int64_t> maps(static_cast<std::size_t>(3 * rank));
    for (int a = 0; a < rank; ++a) {
        const int source = order[static_cast<std::size_t>(a)];
        shape[static_cast<std::size_t>(a)] = extent_of(g, x, source);
        std::copy_n(std::initializer_list<std::int64_t>{a, 0, 1}.begin(), 3, maps.begin() + 3 * source);
    }
    return g.add_view(x, shape, rank, maps);
}

/// Sometimes what is made of an array is read again, by an operation with another operand.
int sometimes_used(grower& g, int x) {
    return x == nothing || g.r.percent(60) ? x : g.add_elementwise(any_row(g.r, false), x);
}

/// Pixels of a few channels: (rows, pixels, channels), (pixels, channels).
int new_image(grower& g, std::int64_t channels) {
    const std::int64_t all = g.budget() / channels, rows = g.r.percent(50) ? 1 : g.r.between(2, 6);
    std::int64_t pixels = g.r.percent(70) ? all / rows : g.r.between(1, std::max<std::int64_t>(all / rows, 1));
    if (g.r.percent(70) && pixels > 16) pixels -= pixels % 16;
    if (pixels < 1) return nothing;
    if (rows == 1) return g.add_leaf(any_dtype(g.r), {pixels, channels}, 2);
    return g.add_leaf(any_dtype(g.r), {rows, pixels, channels}, 3);
}

/// Channel `number` of an image, alone.
int channel_of(grower& g, int image, std::int64_t number) {
    const int rank = g.values(image).rank;
    std::vector<std::int64_t> maps;
    for (int a = 0; a + 1 < rank; ++a) maps.insert(maps.end(), {a, 0, 1});
    maps.insert(maps.end(), {-1, number, 0});
    return g.add_view(image, g.values(image).shape, rank - 1, maps);
}

}  // namespace

int step_concat(grower& g) {
    const int x = g.any_node();
    if (g.values(x).rank == 0) return nothing;
    const int axis = any_axis(g, x);
    std::vector<int> parts{x};
    const std::int64_t length = g.r.percent(50) ? extent_of(g, x, axis) : -1;
    for (std::int64_t more = g.r.between(1, 3); more > 0; --more) {
        parts.push_back(joined_with(g, x, axis, length));
        if (parts.back() == nothing) return nothing;
    }
    if (g.r.percent(30)) std::swap(parts.front(), parts.back());
    return sometimes_used(g, concatenated(g, parts, axis));
}

int step_stack(grower& g) {
    const int x = g.any_node(), rank = g.values(x).rank;
    const int axis = static_cast<int>(g.r.between(0, rank));
    std::vector<int> parts{with_axis(g, x, axis)};
    for (std::int64_t more = g.r.between(1, 4); more > 0; --more) {
        const int made = g.add_elementwise(any_row(g.r, false), x);
        if (made == nothing || g.values(made).rank != rank || g.values(made).shape != g.values(x).shape) return nothing;
        parts.push_back(with_axis(g, g.add_cast(made, g.values(x).type), axis));
        if (parts.back() == nothing) return nothing;
    }
    const int stacked = concatenated(g, parts, axis);
    if (stacked == nothing || rank == 0 || g.r.percent(50)) return sometimes_used(g, stacked);
    return sometimes_used(g, merged_axes(g, stacked, axis == rank ? axis - 1 : axis));
}

int step_pad(grower& g) {
    int x = g.any_node();
    if (x == nothing || g.values(x).rank == 0 || g.values(x).size() == 0) return nothing;
    const int value = g.add_scalar(g.values(x).type);
    for (int axis = 0; axis < g.values(x).rank && x != nothing; ++axis) {
        if (g.r.percent(40)) continue;
        const std::int64_t before = g.r.between(0, 4), n = extent_of(g, x, axis),
                           total = before + n + g.r.between(0, 4);
        const int index = index_along(g, g.values(x).rank, axis, total);
        const int first = fixed_index(g, before), length = fixed_index(g, n), last = fixed_index(g, before + n);
        if (index == nothing) return nothing;
        const int part = read_part(g, x, axis, total, {index, first, length});
        const int behind = g.add_node(op::greater_equal::row, dtype::bool_, {index, first});
        const int inside = g.add_node(op::logical_and::row, dtype::bool_, {behind, less(g, index, last)});
        x = chosen(g, inside, part, value);
    }
    return sometimes_used(g, x);
}

/// Padding by the elements at the other end, or mirrored.
int step_mirror(grower& g) {
    const int x = g.any_node();
    if (g.values(x).rank == 0 || g.values(x).size() == 0) return nothing;
    const int axis = any_axis(g, x), rank = g.values(x).rank;
    const std::int64_t n = extent_of(g, x, axis), before = g.r.between(0, n + 2),
                       total = before + n + g.r.between(0, 3);
    const int i =
        g.add_node(op::subtract::row, dtype::int64, {index_along(g, rank, axis, total), fixed_index(g, before)});
    const bool mirrored = g.r.percent(60);
    const int period = fixed_index(g, mirrored ? std::max<std::int64_t>(2 * (n - 1), 1) : n);
    int index = g.add_node(op::remainder::row, dtype::int64, {i, period});
    if (mirrored)
        index = g.add_node(op::minimum::row, dtype::int64,
                           {index, g.add_node(op::subtract::row, dtype::int64, {period, index})});
    return sometimes_used(g, read_along(g, x, axis, total, index));
}

int step_roll(grower& g) {
    int x = g.any_node();
    if (g.values(x).rank == 0 || g.values(x).size() == 0) return nothing;
    for (std::int64_t more = g.r.between(1, 2); more > 0 && x != nothing; --more) {
        const int axis = any_axis(g, x);
        const std::int64_t n = extent_of(g, x, axis);
        const int index = index_along(g, g.values(x).rank, axis, n);
        const int from = g.add_node(detail::index_rolled_row::row, dtype::int64,
                                    {index, g.add_integer(g.r.below(n)), g.add_integer(n)});
        const int rolled = read_along(g, x, axis, n, from);
        x = rolled == nothing || g.r.percent(50) ? rolled : g.add_binary(binary_row(g.r), x, rolled);
    }
    return x;
}

/// Each element several times, or the whole array; sometimes along two axes, as images are enlarged.
int step_repeat(grower& g) {
    int x = g.any_node();
    for (std::int64_t more = g.r.percent(40) ? 2 : 1; more > 0 && x != nothing; --more) {
        if (g.values(x).rank == 0) return nothing;
        const int axis = any_axis(g, x), elements = g.r.percent(70) ? 1 : 0;
        x = merged_axes(g, with_axis(g, x, axis + elements, g.r.between(1, 4)), axis);
    }
    return sometimes_used(g, x);
}

/// Interleaved channels become planes, or planes become interleaved, with an operand per channel.
int step_channels(grower& g) {
    const std::int64_t channels = g.r.between(2, 8);
    int x = new_image(g, channels);
    if (x == nothing) return nothing;
    const int last = g.values(x).rank - 1;
    const bool to_planes = g.r.percent(60);
    if (!to_planes) {
        extents shape = g.values(x).shape;
        std::rotate(shape.begin(), shape.begin() + last, shape.begin() + last + 1);
        x = moved_axis(g, g.add_leaf(any_dtype(g.r), shape, last + 1), 0, last);
    }
    const int scales = g.add_leaf(g.any_type(), {channels}, 1);
    if (g.r.percent(70)) x = scales == nothing || x == nothing ? nothing : g.add_binary(binary_row(g.r), x, scales);
    if (x == nothing) return nothing;
    const dtype type = any_dtype(g.r);
    x = g.add_cast(x, g.r.percent(50) ? type : g.values(x).type);
    return to_planes ? moved_axis(g, x, last, static_cast<int>(g.r.below(last + 1))) : x;
}

/// Pixels of channels that are each computed of channels of an image.
int step_join_channels(grower& g) {
    const std::int64_t channels = g.r.between(2, 4);
    const int image = new_image(g, channels);
    if (image == nothing) return nothing;
    const int rank = g.values(image).rank, axis=g.r.percent(70) ? rank - 1 : 0;
    const dtype type = g.r.percent(70) ? g.values(image).type : any_dtype(g.r);
    std::vector<int> parts;
    for (std::int64_t made = g.r.between(2, 4); made > 0; --made) {
        int x = channel_of(g, image, g.r.below(channels));
        const int y = channel_of(g, image, g.r.below(channels));
        if (g.r.percent(70)) x = g.add_binary(binary_row(g.r), x, y);
        x = x == nothing ? nothing : g.add_cast(x, type);
        if (x == nothing) return nothing;
        parts.push_back(with_axis(g, x, axis));
    }
    return concatenated(g, parts, axis);
}

/// Rows read at computed indices, weighted or not, and reduced: over the indices or along the rows.
int step_reduce_gathered(grower& g) {
    const int x = g.any_node();
    if (g.values(x).rank == 0 || g.values(x).size() == 0) return nothing;
    const int axis = any_axis(g, x), rank = g.values(x).rank;
    const int places = g.add_places(extent_of(g, x, axis));
    if (places == nothing || g.values(places).rank != 1) return nothing;
    const std::int64_t count = extent_of(g, places, 0);
    extents along{};
    std::fill_n(along.begin(), rank, 1);
    along[static_cast<std::size_t>(axis)] = count;
    int read = read_along(g, x, axis, count, g.add_view(places, along, rank, {axis, 0, 1}));
    if (read != nothing && g.r.percent(50)) read = g.add_elementwise(any_row(g.r, false), read);
    if (read == nothing || g.values(read).rank == 0) return nothing;
    const int reduced = g.r.percent(60) && g.values(read).rank == rank ? axis : any_axis(g, read);
    const bool keepdims = g.r.percent(30);
    return g.add_reduction(any_row(g.r, true), read, 1u << reduced, keepdims);
}

/// The elements of each row whose index is the row's label, reduced; others are the identity of sums.
int step_one_hot(grower& g) {
    const int x = g.any_node();
    if (g.values(x).rank == 0 || g.values(x).size() == 0) return nothing;
    const int axis = any_axis(g, x), rank = g.values(x).rank;
    const std::int64_t n = extent_of(g, x, axis);
    extents shape = g.values(x).shape;
    shape[static_cast<std::size_t>(axis)] = 1;
    const dtype types[] = {dtype::int64, dtype::int32, dtype::uint8, dtype::int8};
    const dtype type = g.r.percent(60) ? dtype::int64 : types[g.r.below(4)];
    const int labels = g.add_leaf(type, shape, rank);  // some are beyond the axis
    if (labels == nothing) return nothing;
    const int index = index_along(g, rank, axis, n);
    const op_row& compares = g.r.percent(80) ? op::equal::row : op::not_equal::row;
    const int is_label = g.add_node(compares, dtype::bool_, {index, g.add_cast(labels, dtype::int64)});
    const int zero = g.add_scalar(g.values(x).type, {});
    const int chosen_one = g.r.percent(80) ? chosen(g, is_label, x, zero) : chosen(g, is_label, zero, x);
    const op_row& fold = g.r.percent(70) ? op::sum::row : any_row(g.r, true);
    const bool keepdims = g.r.percent(30);
    return g.add_reduction(fold, chosen_one, 1u << axis, keepdims);
}

}  // namespace sinter::fuzz
