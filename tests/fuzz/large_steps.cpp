// Shapes for stencils, clusters, teams of blocks and tiles that look back: see codegen/schedule for their bounds.
#include <tests/fuzz/large_steps.hpp>

#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::fuzz {
namespace {

/// Few instructions each, so that a thread has room for several rows and neighbours.
const op_row& simple_row(random& r) {
    return *r.pick({&op::add::row, &op::subtract::row, &op::multiply::row, &op::maximum::row});
}

int new_array(grower& g, std::int64_t rows, std::int64_t columns) {
    return g.add_leaf(g.any_type(), {rows, columns}, 2);
}

/// As many as the budget has room for beside `others`, or somewhat fewer; sometimes a multiple of 8.
std::int64_t any_length(grower& g, std::int64_t least, std::int64_t others) {
    const std::int64_t most = g.budget() / others;
    const std::int64_t length = g.r.between(std::min(g.r.percent(50) ? least : most - most / 4, most), most);
    return g.r.percent(60) && length > 8 ? length - length % 8 : length;
}

/// x op reduction(x) along an axis, and often the same once more.
int reduce_and_use(grower& g, int x, int axis) {
    for (int more = g.r.percent(60) ? 1 : 2; more > 0; --more) {
        const int reduced = g.add_reduction(any_row(g.r, true), x, 1u << axis, true);
        if (reduced == nothing) return nothing;
        x = g.add_binary(g.r.percent(70) ? simple_row(g.r) : binary_row(g.r), x, reduced);
        if (x == nothing) return nothing;
    }
    return x;
}

constexpr std::int64_t long_loop = 8193;  ///< longer than one block goes along alone

}  // namespace

int step_stencil(grower& g) {
    const std::int64_t unit = g.r.percent(50) ? 4 : 1;  // neighbours an access moves
    const std::int64_t down = g.r.between(1, 3), along = unit * g.r.between(0, 2);
    const std::int64_t columns = 128 * unit + unit * g.r.between(0, 40);
    const std::int64_t rows = any_length(g, 16, columns + along) - down;
    if (rows < 8) return nothing;
    const int x = new_array(g, rows + down, columns + along);
    if (x == nothing) return nothing;
    const auto part = [&](std::int64_t row, std::int64_t column) {
        return g.add_view(x, {rows, columns}, 2, {0, row, 1, 1, column, 1});
    };
    const auto any_along = [&] { return unit * g.r.between(0, along / unit); };
    int sum = part(0, any_along());
    for (std::int64_t more = g.r.between(1, 4); more > 0 && sum != nothing; --more) {
        const std::int64_t column = any_along();
        const int other = part(more == 1 ? down : g.r.between(0, down), column);
        sum = other == nothing ? nothing : g.add_binary(simple_row(g.r), sum, other);
    }
    return sum;
}

int step_long_rows(grower& g) {
    if (g.r.percent(35)) {  // those that one block, or a few, keep in registers
        const std::int64_t length =
            g.r.between(1025, std::max<std::int64_t>(1025, std::min<std::int64_t>(g.budget() / 2, 8192)));
        const int x = new_array(g, std::max<std::int64_t>(g.budget() / length, 1), length - length % 4);
        return x == nothing ? nothing : reduce_and_use(g, x, 1);
    }
    const std::int64_t rows = g.r.between(g.r.percent(20) ? 1 : 2, g.budget() < 4 * long_loop ? 2 : 8);
    const int x = new_array(g, rows, any_length(g, long_loop, rows));
    return x == nothing ? nothing : reduce_and_use(g, x, 1);
}

int step_long_columns(grower& g) {
    const std::int64_t most = std::clamp<std::int64_t>(g.budget() / long_loop, 1, 72);
    const std::int64_t columns =
        g.r.between(most > 40 && g.r.percent(70) ? 41 : 1, most);  // two tiles of blocks that meet at barriers
    const int x = new_array(g, any_length(g, long_loop, columns), columns);
    return x == nothing ? nothing : reduce_and_use(g, x, 0);
}

int step_rows_and_columns(grower& g) {
    const std::int64_t most = std::clamp<std::int64_t>(g.budget() / 8, 1, 2048);
    const std::int64_t columns = g.r.percent(60) ? g.r.between(1, most) / 4 * 4 : g.r.between(1, most);
    if (columns < 1) return nothing;
    const int x = new_array(g, std::max<std::int64_t>(g.budget() / columns, 1), columns);
    const int used = x == nothing ? nothing : reduce_and_use(g, x, 1);
    if (used == nothing || g.values(used).rank != 2) return nothing;
    const int folded = g.add_reduction(g.r.percent(60) ? op::sum::row : any_row(g.r, true), used, 1u << 0, false);
    if (folded != nothing && g.c.roots.empty() && g.r.percent(70)) g.c.roots.push_back(used);
    return folded;
}

int step_long_scan(grower& g) {
    const int axis = g.r.percent(50) ? 1 : 0;
    const std::int64_t others = g.r.between(1, axis == 1 ? 4 : 60);
    const std::int64_t length = any_length(g, axis == 1 ? long_loop : 1025, others);
    const int x = axis == 1 ? new_array(g, others, length) : new_array(g, length, others);
    if (x == nothing) return nothing;
    const int running = g.add_scan(any_row(g.r, true), x, axis);
    return running == nothing || g.r.percent(60) ? running : g.add_binary(simple_row(g.r), x, running);
}

int step_large_transpose(grower& g) {
    const std::int64_t unit = g.r.percent(70) ? 16 : 1;
    const std::int64_t columns = unit * g.r.between(64 / unit, 256 / unit);
    const std::int64_t rows = g.budget() / columns / unit * unit;
    if (rows < 8) return nothing;
    const int x = new_array(g, rows, columns);
    if (x == nothing) return nothing;
    const int y = g.add_leaf(g.r.percent(50) ? g.values(x).type : g.any_type(), {columns, rows}, 2);
    if (y == nothing) return nothing;
    const int transposed = g.add_view(y, {rows, columns}, 2, {1, 0, 1, 0, 0, 1});
    return transposed == nothing ? nothing : g.add_binary(simple_row(g.r), x, transposed);
}

}  // namespace sinter::fuzz
