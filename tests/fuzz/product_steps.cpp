// Pairs of points, products of halves, and attention, of few rows each.
#include <tests/fuzz/product_steps.hpp>

#include <sinter/op/functions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::fuzz {
namespace {

/// A leaf of (batch, n, k) or (batch, k, n) as (batch, n, 1, k) or (batch, 1, n, k).
int half_of_pairs(grower& g, dtype type, const extents& batch_n_k, bool first) {
    const bool transposed = g.r.percent(40);
    extents own = batch_n_k, shape{batch_n_k[0], 1, 1, batch_n_k[2]};
    if (transposed) std::swap(own[1], own[2]);
    shape[first ? 1 : 2] = batch_n_k[1];
    const int array = g.add_leaf(type, own, 3);
    const std::int64_t n = first ? 1 : 2;
    if (array == nothing) return nothing;
    if (transposed) return g.add_view(array, shape, 4, {0, 0, 1, 3, 0, 1, n, 0, 1});
    return g.add_view(array, shape, 4, {0, 0, 1, n, 0, 1, 3, 0, 1});
}

}  // namespace

int step_pairs(grower& g) {
    const std::int64_t coordinates = g.r.between(2, g.r.percent(50) ? 6 : 32);
    const std::int64_t batch = g.r.percent(80) ? 1 : g.r.between(2, 3);
    const std::int64_t most = g.budget() / (coordinates * batch);
    const std::int64_t n = g.r.between(1, std::min<std::int64_t>(std::max<std::int64_t>(most / 16, 2), 260));
    const std::int64_t m = g.r.between(1, std::min<std::int64_t>(std::max<std::int64_t>(most / n, 1), 260));
    const dtype type = g.any_type();
    const int x = half_of_pairs(g, type, {batch, n, coordinates}, true);
    const int y = x == nothing ? nothing : half_of_pairs(g, type, {batch, m, coordinates}, false);
    if (y == nothing) return nothing;
    int pairs =
        g.add_binary(g.r.percent(70) ? g.r.pick({&op::multiply::row, &op::subtract::row})[0] : binary_row(g.r), x, y);
    if (pairs != nothing && g.r.percent(20)) pairs = g.add_elementwise(any_row(g.r, false), pairs);
    if (pairs != nothing && g.r.percent(20)) pairs = g.add_elementwise(op::square::row, pairs);
    if (pairs == nothing) return nothing;
    const int rank = g.values(pairs).rank;
    int folded = g.add_reduction(any_row(g.r, true), pairs, 1u << (rank - 1), false);
    if (folded == nothing || !g.r.percent(40)) return folded;
    const int of_set = rank - (g.r.percent(80) ? 2 : 3);
    return g.add_reduction(any_row(g.r, true), folded, 1u << of_set, false);
}

namespace {

dtype any_half(random& r) { return r.percent(60) ? dtype::float16 : dtype::bfloat16; }

/// What the library makes of a product and of a factor that is computed: stored by a launch of its own, or by a kernel
/// that also computes what follows.
int add_stored(grower& g, int operand, ir::product what) {
    if (operand == nothing) return nothing;
    ir::node n;
    n.what = ir::kind::materialize;
    n.type = g.values(operand).type;
    n.rank = static_cast<std::int8_t>(g.values(operand).rank);
    n.in[0] = static_cast<std::int16_t>(operand);
    n.bits = static_cast<std::uint64_t>(what);
    return g.add(n);
}

/// The sums over the last axis of products of two arrays of axes (batch, n, 1, k) and (batch, 1, m, k), in `result`.
int product_of(grower& g, int x, int y, dtype result) {
    const int left = g.add_cast(x, dtype::float32), right = g.add_cast(y, dtype::float32);
    const int products = g.add_node(op::multiply::row, dtype::float32, {left, right});
    return add_stored(g, g.add_cast(g.add_fold(op::sum::row, products, 1u << 3, false), result), ir::product::exact);
}

/// A power of two that makes the largest element about 1, so that exponentials differ and are known well.
real scale_to_few(const node_values& v) {
    real most = 1;
    for (const known& x : v.at)
        if (x.is_sure() && std::isfinite(x.hi)) most = std::max(most, std::fabs(x.hi));
    return std::ldexp(real{1}, -std::ilogb(most));
}

/// Scores (batch, queries, keys) of which those before or after the diagonal are minus infinity.
int masked(grower& g, int scores) {
    const extents shape = g.values(scores).shape;
    const dtype type = g.values(scores).type;
    const int row = g.add_view(g.add_iota(shape[1]), {1, shape[1], 1}, 3, {1, 0, 1});
    const int column = g.add_view(g.add_iota(shape[2]), {1, 1, shape[2]}, 3, {2, 0, 1});
    const op_row& order = g.r.percent(70) ? op::greater_equal::row : op::less::row;
    const int seen = g.add_node(order, dtype::bool_, {row, column});
    const int excluded = g.add_scalar(type, bits_of(type, exactly(-std::numeric_limits<real>::infinity())));
    return g.add_node(op::where::row, type, {seen, scores, excluded});
}

/// Multiples of `unit` or, one time of four, any number.
std::int64_t any_size(grower& g, std::int64_t unit, std::int64_t least, std::int64_t most) {
    const std::int64_t size = g.r.between(std::min(least, most), most);
    return g.r.percent(75) && size > unit ? size - size % unit : size;
}

}  // namespace

int step_half_product(grower& g) {
    const std::int64_t steps = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / 256, 8, 96));
    const std::int64_t rows = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / (steps * 8), 1, 80));
    const std::int64_t columns = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / (steps * rows), 1, 80));
    const dtype type = any_half(g.r);
    int x = half_of_pairs(g, type, {1, rows, steps}, true);
    if (x != nothing && g.r.percent(25)) {
        const op_row& on_the_way_in = any_row(g.r, false);
        x = g.add_cast(g.add_elementwise(on_the_way_in, x), type);
    }
    if (x == nothing || g.values(x).rank != 4) return nothing;
    const int y = half_of_pairs(g, type, {1, columns, steps}, false);
    const int product = product_of(g, x, y, g.r.percent(50) ? type : dtype::float32);
    if (product == nothing || g.r.percent(40)) return product;
    const bool reduced = g.r.percent(50);
    const op_row& follows = any_row(g.r, reduced);
    const int axis = g.r.percent(70) ? 2 : 1;
    return reduced ? g.add_reduction(follows, product, 1u << axis, false) : g.add_elementwise(follows, product);
}

int step_attention(grower& g) {
    const std::int64_t width = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / 256, 8, 64));
    const std::int64_t keys = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / (width * 8), 1, 96));
    const std::int64_t queries = any_size(g, 8, 8, std::clamp<std::int64_t>(g.budget() / (width * keys), 1, 80));
    const dtype type = g.r.percent(70) ? any_half(g.r) : dtype::float32;
    const int q = half_of_pairs(g, type, {1, queries, width}, true);
    const int k = q == nothing ? nothing : half_of_pairs(g, type, {1, keys, width}, false);
    int scores = product_of(g, q, k, type);  // (1, queries, keys)
    if (scores == nothing) return nothing;
    const int scale = g.add_scalar(type, bits_of(type, exactly(scale_to_few(g.values(scores)))));
    scores = g.add_node(op::multiply::row, type, {scores, scale});
    if (scores != nothing && g.r.percent(50)) scores = masked(g, scores);
    const int most = g.add_fold(op::max::row, scores, 1u << 2, true);
    const int differences = g.add_node(op::subtract::row, type, {scores, most});
    const int weights = g.add_node(op::exp::row, type, {differences});
    const int total = g.add_fold(op::sum::row, weights, 1u << 2, true);
    const int shares = g.add_node(op::divide::row, type, {weights, total});
    const int stored = add_stored(g, g.add_conversion(shares, type), ir::product::none);
    const int left = g.add_view(stored, {1, queries, 1, keys}, 4, {0, 0, 1, 1, 0, 1, 3, 0, 1});
    const int v = half_of_pairs(g, type, {1, any_size(g, 8, 8, width), keys}, false);
    return product_of(g, left, v, type);
}

}  // namespace sinter::fuzz
