// From a seed to a graph: a first array, and then steps of a few kinds, each of which adds to what is there.
#include <tests/fuzz/grow.hpp>

#include <sinter/op/functions.hpp>
#include <tests/fuzz/bench.hpp>
#include <tests/fuzz/large_steps.hpp>
#include <tests/fuzz/layout_steps.hpp>
#include <tests/fuzz/product_steps.hpp>
#include <tests/fuzz/window_steps.hpp>

#include <algorithm>
#include <utility>

namespace sinter::fuzz {
namespace {

/// Elements beyond which blocks, teams and tiles come in.
constexpr std::int64_t large = 1500;

std::uint32_t any_axes(random& r, const node_values& of) {
    const int rank = of.rank;
    const std::uint32_t all = (1u << rank) - 1;
    if (rank == 0 || r.percent(20)) return all;
    if (of.size() > large && r.percent(50))
        return 1u << (std::max_element(of.shape.begin(), of.shape.begin() + rank) - of.shape.begin());
    if (r.percent(50)) return 1u << r.below(rank);
    if (r.percent(3)) return 0;  // over no axes at all a reduction is its operand
    return static_cast<std::uint32_t>(r.bits()) & all;
}

// What is drawn in one call is drawn before it, a statement each: compilers evaluate arguments in different orders.

int step_elementwise(grower& g) {
    const int operand = g.any_node();
    return g.add_elementwise(any_row(g.r, false), operand);
}

int step_reduction(grower& g) {
    const int operand = g.any_node();
    const bool keepdims = g.r.percent(50);
    const std::uint32_t axes = any_axes(g.r, g.values(operand));
    return g.add_reduction(any_row(g.r, true), operand, axes, keepdims);
}

/// A running value of any kind, or x op a running value of x.
int step_scan(grower& g) {
    const int operand = g.any_node();
    const int running = g.add_scan(any_row(g.r, true), operand);
    return running == nothing || g.r.percent(60) ? running : g.add_binary(binary_row(g.r), operand, running);
}

/// Elements in order, or where they were; of which others may be read again.
int step_sort(grower& g) {
    const int operand = g.any_node();
    const bool descending = g.r.percent(30);
    const int sorted = g.add_sort(operand, descending, g.r.percent(25) ? 1 : 0);
    if (sorted == nothing || g.r.percent(60)) return sorted;
    const int other = g.add_sort(operand, descending, g.r.percent(50) ? 1 : 0);
    return other == nothing ? nothing : g.add_binary(binary_row(g.r), sorted, other);
}

/// x op reduction(x): what softmax, normalisations and centred sums are made of.
int step_broadcast_back(grower& g) {
    const int operand = g.any_node();
    const std::uint32_t axes = any_axes(g.r, g.values(operand));
    const int reduced = g.add_reduction(any_row(g.r, true), operand, axes, true);
    if (reduced == nothing) return nothing;
    return g.add_binary(binary_row(g.r), operand, reduced);
}

/// x op (a view of x, or another array over its elements): differences of neighbours, sums with the transpose, and what
/// writing in place must not spoil.
int step_with_itself(grower& g) {
    int x = g.any_node(), y = nothing;
    if (g.r.percent(50)) x = static_cast<int>(g.r.below(g.node_count()));
    if (g.r.percent(30)) {
        y = g.add_twin();
    } else {
        const extents shape = g.values(x).shape;
        y = g.add_view_of_shape(x, shape, g.values(x).rank);
    }
    return y == nothing ? nothing : g.add_binary(binary_row(g.r), x, y);
}

/// An array beside itself a few rows and columns apart: what stencils are made of.
int step_neighbours(grower& g) {
    const int x = g.any_node(), rank = g.values(x).rank;
    if (rank < 2) return nothing;
    const std::int64_t down = g.r.between(1, 3), along = g.r.between(0, 4);
    extents shape = g.values(x).shape;
    std::int64_t& rows = shape[static_cast<std::size_t>(rank - 2)];
    std::int64_t& columns = shape[static_cast<std::size_t>(rank - 1)];
    rows -= down, columns -= along;
    if (rows < 1 || columns < 1) return nothing;
    const auto part = [&](std::int64_t row, std::int64_t column) {
        std::vector<std::int64_t> maps;
        for (int a = 0; a < rank; ++a)
            maps.insert(maps.end(), {a, a == rank - 2 ? row : a == rank - 1 ? column : 0, 1});
        return g.add_view(x, shape, rank, maps);
    };
    int sum = part(0, g.r.between(0, along));
    for (std::int64_t more = g.r.between(1, 3); more > 0 && sum != nothing; --more) {
        const std::int64_t column = g.r.between(0, along);
        const int other = part(more == 1 ? down : g.r.between(0, down), column);
        sum = other == nothing ? nothing : g.add_binary(binary_row(g.r), sum, other);
    }
    return sum;
}

/// x op an array whose last two axes lie the other way round.
int step_turned(grower& g) {
    const int x = g.any_node(), rank = g.values(x).rank;
    if (rank < 2) return nothing;
    const auto last = static_cast<std::size_t>(rank - 1);
    const extents shape = g.values(x).shape;
    extents transposed = shape;
    std::swap(transposed[last], transposed[last - 1]);
    const int array = g.add_leaf(g.any_type(), transposed, rank);
    if (array == nothing) return nothing;
    std::vector<std::int64_t> maps;
    for (int a = 0; a < rank; ++a) maps.insert(maps.end(), {a < rank - 2 ? a : 2 * rank - 3 - a, 0, 1});
    const int y = g.add_view(array, shape, rank, maps);
    return y == nothing ? nothing : g.add_binary(binary_row(g.r), x, y);
}

int step_cast(grower& g) {
    const dtype to = any_dtype(g.r);
    return g.add_cast(g.any_node(), to);
}

/// A view as indices make it: axes permuted, cut, reversed, dropped, added and repeated.
int step_view(grower& g) {
    const int operand = g.any_node();
    const node_values& from = g.values(operand);
    std::vector<std::int64_t> maps(static_cast<std::size_t>(3 * from.rank), 0);
    std::vector<std::pair<int, std::int64_t>> axes;  ///< of the result: source axis or -1, extent
    for (int a = 0; a < from.rank; ++a) {
        const std::int64_t extent = from.shape[static_cast<std::size_t>(a)];
        maps[static_cast<std::size_t>(3 * a)] = -1;
        if (g.r.percent(12) && extent > 0)
            maps[static_cast<std::size_t>(3 * a + 1)] = g.r.below(extent);
        else
            axes.emplace_back(a, g.r.percent(65) || extent == 0 ? extent : g.r.between(g.r.percent(5) ? 0 : 1, extent));
    }
    if (g.r.percent(40))
        for (std::size_t i = axes.size(); i > 1; --i)
            std::swap(axes[i - 1], axes[static_cast<std::size_t>(g.r.below(static_cast<std::int64_t>(i)))]);
    for (int extra = 0; extra < 2 && g.r.percent(20); ++extra) {
        const std::int64_t count = g.r.percent(60) ? 1 : g.r.between(1, 9);
        axes.insert(axes.begin() + g.r.below(static_cast<std::int64_t>(axes.size()) + 1), {-1, count});
    }
    if (axes.size() > static_cast<std::size_t>(ir::max_rank)) return nothing;
    extents shape{};
    for (std::size_t j = 0; j < axes.size(); ++j) {
        const auto [source, count] = axes[j];
        shape[j] = count;
        if (source < 0) continue;
        const std::int64_t extent = from.shape[static_cast<std::size_t>(source)];
        std::int64_t* map = maps.data() + 3 * source;
        const std::int64_t most = count > 1 ? (extent - 1) / (count - 1) : 1;
        map[0] = static_cast<std::int64_t>(j);
        map[2] = g.r.percent(50) ? 1 : g.r.between(1, std::max<std::int64_t>(most, 1));
        const std::int64_t reach = count > 0 ? map[2] * (count - 1) : 0;
        map[1] = count > 0 ? g.r.below(extent - reach) : 0;
        if (g.r.percent(35) && count > 0) {
            map[1] += reach;
            map[2] = -map[2];
        }
    }
    return g.add_view(operand, shape, static_cast<int>(axes.size()), maps);
}

/// The elements in other axes: all in one, or some axes split and some joined.
int step_reshape(grower& g) {
    const int operand = g.any_node();
    std::int64_t left = g.values(operand).size();
    extents shape{};
    int rank = 0;
    for (const int most = static_cast<int>(g.r.between(0, 4)); rank < most && left > 0; ++rank) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t d = 1; d <= left && d <= 4096; ++d)
            if (left % d == 0) divisors.push_back(d);
        shape[static_cast<std::size_t>(rank)] = g.r.pick(divisors);
        left /= shape[static_cast<std::size_t>(rank)];
    }
    if (left != 1) shape[static_cast<std::size_t>(rank++)] = left;
    return g.add_reshape(operand, shape, rank);
}

/// One axis read at computed indices, which take the axis's place in the result.
int step_take(grower& g) {
    const int operand = g.any_node();
    const int from_rank = g.values(operand).rank;
    if (from_rank == 0) return nothing;
    const int axis = static_cast<int>(g.r.below(from_rank));
    const extents from = g.values(operand).shape;
    if (from[static_cast<std::size_t>(axis)] == 0) return nothing;
    const int places = g.add_places(from[static_cast<std::size_t>(axis)]);
    if (places == nothing) return nothing;
    const int index_rank = g.values(places).rank, rank = from_rank - 1 + index_rank;
    if (rank > ir::max_rank) return nothing;
    extents shape{}, spread{};
    std::fill_n(spread.begin(), rank, 1);
    std::vector<std::int64_t> spread_maps, maps;
    for (int a = 0; a < index_rank; ++a) {
        const auto to = static_cast<std::size_t>(axis + a);
        shape[to] = spread[to] = g.values(places).shape[static_cast<std::size_t>(a)];
        spread_maps.insert(spread_maps.end(), {axis + a, 0, 1});
    }
    for (int a = 0; a < from_rank; ++a) {
        if (a == axis) {
            maps.insert(maps.end(), {ir::from_operand, 0, 1});
            continue;
        }
        const int to = a < axis ? a : a - 1 + index_rank;
        const bool backwards = g.r.percent(10);
        const std::int64_t extent = shape[static_cast<std::size_t>(to)] = from[static_cast<std::size_t>(a)];
        maps.insert(maps.end(), {to, backwards && extent > 0 ? extent - 1 : 0, backwards ? -1 : 1});
    }
    const int at = g.add_view(places, spread, rank, spread_maps);
    return at == nothing ? nothing : g.add_view(operand, shape, rank, maps, at);
}

/// A kind of step is one row; the weights say how often it is taken, in all graphs and in those of large arrays.
struct step {
    int (*take)(grower&);
    int weight, of_large;
    bool calls = false, layouts = false;
};
constexpr step steps[] = {
    {step_elementwise, 44, 24},
    {step_reduction, 17, 24},
    {step_broadcast_back, 12, 40},
    {step_with_itself, 10, 14},
    {step_view, 15, 6},
    {step_cast, 6, 4},
    {step_reshape, 8, 4},
    {step_take, 8, 4},
    {step_pairs, 4, 16},
    {step_scan, 8, 8},
    {step_neighbours, 3, 10},
    {step_turned, 3, 8},
    {step_stencil, 0, 8},
    {step_long_rows, 0, 14},
    {step_long_columns, 0, 14},
    {step_rows_and_columns, 1, 30, false, true},
    {step_long_scan, 0, 8},
    {step_large_transpose, 0, 8},
    {step_windows, 6, 40},
    {step_short_rows, 2, 8},
    {step_half_product, 2, 12},
    {step_attention, 1, 40},
    {step_concat, 6, 14, false, true},
    {step_stack, 4, 12, false, true},
    {step_pad, 4, 10, false, true},
    {step_mirror, 3, 6, false, true},
    {step_roll, 3, 8, false, true},
    {step_repeat, 3, 8, false, true},
    {step_channels, 3, 30, false, true},
    {step_join_channels, 2, 30, false, true},
    {step_reduce_gathered, 4, 10, false, true},
    {step_one_hot, 4, 10, false, true},
    {step_sort, 30, 20, true},
};

int take_step(grower& g) {
    const auto weight = [&](const step& s) {
        if ((s.calls && !g.with_calls) || (s.layouts && !g.with_layouts)) return 0;
        return g.budget() > large ? s.of_large : s.weight;
    };
    int total = 0;
    for (const step& s : steps) total += weight(s);
    int chance = static_cast<int>(g.r.below(total));
    for (const step& s : steps) {
        chance -= weight(s);
        if (chance < 0) return s.take(g);
    }
    return nothing;
}

std::int64_t any_budget(random& r, sizes wanted) {
    if (wanted == sizes::large) return r.pick({20000, 20000, 20000, 20000, 150000, 150000, 300000, 300000, 600000});
    if (r.percent(55)) return 48;
    if (r.percent(67)) return large;
    return r.percent(80) ? 20000 : 150000;
}

/// x = x op (a view of x) or x = x op (whatever was made last): an update in place, or what must not become one.
void end_with_update(grower& g) {
    std::vector<int> arrays;
    for (int i = 0; i < g.node_count(); ++i)
        if (const ir::node& n = g.c.nodes[static_cast<std::size_t>(i)];
            n.what == ir::kind::leaf && n.rank > 0 && g.c.leaves[static_cast<std::size_t>(n.argument)].owned)
            arrays.push_back(i);
    if (arrays.empty()) return;
    const grower::mark before = g.here();
    const int x = g.r.pick(arrays);
    const extents shape = g.values(x).shape;
    const int rank = g.values(x).rank, last = g.node_count() - 1;
    const int y = g.r.percent(70) ? g.add_view_of_shape(x, shape, rank) : last;
    const int updated = y == nothing ? nothing : g.add_binary(binary_row(g.r), x, y);
    if (updated == nothing || g.add_cast(updated, g.values(x).type) == nothing ||
        g.values(g.node_count() - 1).shape != shape)
        g.back_to(before);
}

/// The last node, and sometimes others that one kernel may store as well: of the same shape, or what is made of them.
void choose_roots(grower& g) {
    const int last = g.node_count() - 1;
    if (g.r.percent(15))
        for (std::int64_t more = g.r.between(1, 3); more > 0; --more) {
            const int other = static_cast<int>(g.r.below(last + 1));
            const node_values &v = g.values(other), &root = g.values(last);
            if (other != last && (g.r.percent(20) || (v.rank == root.rank && v.shape == root.shape)))
                g.c.roots.push_back(other);
        }
    std::erase(g.c.roots, last);
    g.c.roots.push_back(last);
}

/// The array that the result may be written to: mostly one that is read, as in x = x + 1.
void choose_target(grower& g) {
    const node_values& root = g.values(g.node_count() - 1);
    std::vector<int> fitting;
    for (std::size_t l = 0; l < g.c.leaves.size(); ++l) {
        const leaf& one = g.c.leaves[l];
        const auto shares = std::count_if(g.c.leaves.begin(), g.c.leaves.end(),
                                          [&](const leaf& other) { return other.buffer == one.buffer; });
        const bool same = one.rank == root.rank && one.shape == root.shape &&
                          g.c.buffers[static_cast<std::size_t>(one.buffer)].type == root.type;
        if (one.owned && shares == 1 && (same || g.r.percent(3))) fitting.push_back(static_cast<int>(l));
    }
    if (!fitting.empty() && g.r.percent(70))
        g.c.target = g.r.pick(fitting);
    else if (g.r.percent(20))
        g.c.target = fresh_target;
}

}  // namespace

fuzz_case generate(std::uint64_t seed, sizes wanted_sizes, bool with_calls, bool with_layouts) {
    random r(
        random(seed).bits());  // mixed, so that neighbouring seeds do not begin one sequence at neighbouring places
    const std::int64_t budget = any_budget(r, wanted_sizes);
    grower g(r.bits(), budget);
    g.c.seed = seed;
    g.with_calls = with_calls;
    g.with_layouts = with_layouts;
    const int rank = r.pick({0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5});
    while (g.node_count() == 0) {
        const extents shape = g.any_shape(rank);
        g.add_leaf(g.any_type(), shape, rank);
    }
    const std::int64_t wanted = budget > large ? r.between(1, 6) : r.percent(8) ? r.between(10, 25) : r.between(1, 9);
    for (std::int64_t taken = 0, tries = 0; taken < wanted && tries < 4 * wanted; ++tries) {
        const grower::mark before = g.here();
        if (take_step(g) != nothing)
            ++taken;
        else
            g.back_to(before);
    }
    if (g.r.percent(15)) end_with_update(g);
    choose_roots(g);
    if (g.r.percent(12))
        g.choose_region();
    else
        choose_target(g);
    g.c.as_tree = r.percent(60);
    g.c.unfused = r.percent(15);
    g.c.reversed = r.percent(30);
    g.c.device_properties = static_cast<int>(r.below(machine_count()));
    sweep(g.c);
    return std::move(g.c);
}

}  // namespace sinter::fuzz
