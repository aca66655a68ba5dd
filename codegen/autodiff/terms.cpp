// Terms as graph nodes: dtypes, shapes, views.
#include <codegen/autodiff/terms.hpp>

#include <algorithm>
#include <bit>

namespace sinter::codegen::gradient {
namespace {

std::uint64_t bits_of(dtype type, double value) {
    switch (type) {
        case dtype::float64: return std::bit_cast<std::uint64_t>(value);
        case dtype::float32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        case dtype::float8_e4m3: return float8_e4m3(static_cast<float>(value)).bits;
        case dtype::float8_e5m2: return float8_e5m2(static_cast<float>(value)).bits;
        case dtype::float16: return std::bit_cast<std::uint16_t>(float16(static_cast<float>(value)));
        case dtype::bfloat16: return std::bit_cast<std::uint16_t>(bfloat16(static_cast<float>(value)));
        default: return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
}

}  // namespace

term builder::push(const graph_node& n) {
    g_.nodes.push_back(n);
    return at(static_cast<int>(g_.nodes.size()) - 1);
}

term builder::elementwise(const op_row& row, std::initializer_list<arg> operands) {
    const bool select = row.rule == dtype_rule::select;
    dtype computed = type;
    for (const arg* a = operands.begin() + select; a != operands.end(); ++a)
        if (a->t.exists()) computed = (*a->t).type;
    graph_node n;
    n.what = ir::kind::elementwise;
    n.op = &row;
    int count = 0;
    for (const arg& a : operands) n.in[static_cast<std::size_t>(count++)] = as_term(a, computed).node;
    if (&row == &op::multiply::row) {
        if (is_one(at(n.in[0]))) return at(n.in[1]);
        if (is_one(at(n.in[1]))) return at(n.in[0]);
    }
    n.type = result_of(row.rule, computed);
    for (int i = 0; i < count; ++i) n.rank = std::max(n.rank, (*this)[n.in[static_cast<std::size_t>(i)]].rank);
    std::fill_n(n.shape.begin(), n.rank, 1);
    for (int i = 0; i < count; ++i) {
        const graph_node& operand = (*this)[n.in[static_cast<std::size_t>(i)]];
        for (int a = 0; a < operand.rank; ++a)
            if (operand.shape[a] != 1) n.shape[aligned_axis(a, n.rank, operand.rank)] = operand.shape[a];
    }
    return push(n);
}

graph_node builder::of(ir::kind what, term x) {
    graph_node n;
    n.what = what;
    n.type = (*x).type;
    n.rank = (*x).rank;
    n.shape = (*x).shape;
    n.in[0] = x.node;
    return n;
}

term builder::cast(term x, dtype to) {
    if ((*x).type == to) return x;
    if (is_one(x) && is_floating(to)) return constant(to, 1);
    graph_node n = of(ir::kind::cast, x);
    n.type = to;
    return push(n);
}

term builder::product(term sum, ir::product how) {
    graph_node n = of(ir::kind::materialize, sum);
    n.bits = static_cast<std::uint64_t>(how);
    return push(n);
}

term builder::fold(const op_row& row, term x, std::uint32_t axes) {
    graph_node n = of(ir::kind::reduction, x);
    n.op = &row;
    for (int a = 0; a < n.rank; ++a)
        if (axes >> a & 1) n.shape[a] = 1;
    n.axes = axes;
    n.keepdims = true;
    return push(n);
}

term builder::constant(dtype of, double value) {
    graph_node n;
    n.what = ir::kind::constant;
    n.type = of;
    n.bits = bits_of(of, value);
    return push(n);
}

bool builder::is_one(term x) const {
    const graph_node& n = *x;
    return n.what == ir::kind::constant && is_floating(n.type) && n.bits == bits_of(n.type, 1);
}

term builder::number(std::int64_t n) {
    graph_node counting;
    counting.what = ir::kind::iota;
    counting.type = dtype::int64;
    counting.rank = 1;
    counting.shape[0] = n + 1;
    return view(push(counting), 0, {}, {mapped_axis{-1, n, 0}});
}

term builder::view(term x, int rank, const extents& shape, const std::array<mapped_axis, ir::max_rank>& map) {
    graph_node n = of(ir::kind::index_map, x);
    n.rank = rank;
    n.shape = shape;
    n.map = map;
    return push(n);
}

term builder::reshape(term x, int rank, const extents& shape) {
    graph_node n = of(ir::kind::reshape, x);
    n.rank = rank;
    n.shape = shape;
    return push(n);
}

term builder::broadcast(term x, int rank, const extents& shape) {
    const graph_node from = *x;
    if (from.rank == rank && from.shape == shape) return x;
    std::array<mapped_axis, ir::max_rank> map{};
    for (int a = 0; a < from.rank; ++a)
        map[a] = from.shape[a] == 1 ? mapped_axis{-1, 0, 0} : mapped_axis{aligned_axis(a, rank, from.rank), 0, 1};
    return view(x, rank, shape, map);
}

term builder::with_rank(term x, int rank) {
    const graph_node from = *x;
    extents shape{};
    std::fill_n(shape.begin(), rank, 1);
    for (int a = 0; a < from.rank; ++a) shape[aligned_axis(a, rank, from.rank)] = from.shape[a];
    return broadcast(x, rank, shape);
}

term builder::along(int axis, int rank, std::int64_t extent) {
    graph_node counting;
    counting.what = ir::kind::iota;
    counting.type = dtype::int64;
    counting.rank = 1;
    counting.shape[0] = extent;
    extents shape{};
    std::fill_n(shape.begin(), rank, 1);
    shape[axis] = extent;
    return view(push(counting), rank, shape, {mapped_axis{axis, 0, 1}});
}

term builder::gather(term x, int axis, std::int64_t extent, term index) {
    graph_node n = of(ir::kind::index_map, x);
    n.shape[axis] = extent;
    n.in[1] = index.node;
    for (int a = 0; a < n.rank; ++a) n.map[a] = {a == axis ? ir::from_operand : a, 0, 1};
    return push(n);
}

term builder::sum_to(term x, int from_rank, const extents& from, int to_rank, const extents& to) {
    const graph_node have = *x;
    std::uint32_t summed = 0;
    std::int64_t repeated = 1;
    for (int a = 0; a < from_rank; ++a) {
        const int target = a + to_rank - from_rank, own = a + have.rank - from_rank;
        if (from[a] == 1 || (target >= 0 && to[target] != 1)) continue;
        if (own < 0 || have.shape[own] == 1)
            repeated *= from[a];
        else
            summed |= 1u << own;
    }
    term sum = summed != 0 ? fold(op::sum::row, x, summed) : x;
    if (have.rank > to_rank) {
        std::array<mapped_axis, ir::max_rank> map{};
        extents shape{};
        const int leading = have.rank - to_rank;
        for (int a = 0; a < have.rank; ++a) {
            map[a] = a < leading ? mapped_axis{-1, 0, 0} : mapped_axis{a - leading, 0, 1};
            if (a >= leading) shape[a - leading] = (*sum).shape[a];
        }
        sum = view(sum, to_rank, shape, map);
    }
    return times(sum, repeated);
}

term builder::times(term x, std::int64_t n) { return n == 1 ? x : x * cast(number(n), (*x).type); }

namespace detail {

term apply(const op_row& row, std::initializer_list<arg> operands) {
    builder* in = nullptr;
    for (const arg& a : operands)
        if (a.t.exists()) in = a.t.in;
    return in->elementwise(row, operands);
}

term apply_fold(const op_row& row, const term& x) { return x.in->fold(row, x, x.in->folded_axes); }

}  // namespace detail

term number(const term& condition) { return condition.in->cast(condition, condition.in->type); }

term shared(const term& decides, const term& both, const term& g) {
    return where(both, 0.5 * g, where(decides, g, 0.0));
}

term evenly(const term& condition, const term& g) { return where(condition, g / sum(number(condition)), 0.0); }

term digamma(const term& x) {
    // The asymptotic series is accurate from 10 on. The recurrence moves x up by ten; reflection makes it positive.
    constexpr int steps = 10;
    constexpr double series[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
    const term reflects = x < 0.5;
    const term up = where(reflects, 1.0 - x, x);
    term below = 1.0 / up;
    for (int k = 1; k < steps; ++k) below = below + 1.0 / (up + static_cast<double>(k));
    const term z = up + static_cast<double>(steps);
    const term w = 1.0 / (z * z);
    term tail = w * series[6];
    for (int k = 5; k >= 0; --k) tail = w * (tail + series[k]);
    const term value = log(z) - 0.5 / z - tail - below;
    return where(reflects, value - pi * cospi(x) / sinpi(x), value);
}

term product_of_others(const term& x) {
    const term is_zero = x == 0.0;
    const term others = prod(where(is_zero, 1.0, x));
    const term zeros = sum(number(is_zero));
    return where(is_zero, where(zeros == 1.0, others, 0.0), where(zeros == 0.0, others / x, 0.0));
}

}  // namespace sinter::codegen::gradient
