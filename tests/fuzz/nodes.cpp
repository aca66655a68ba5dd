// Random nodes of nodes: whether a node is worth taking, its operands, its axes, its views.
#include <tests/fuzz/grow.hpp>

#include <sinter/call.hpp>
#include <sinter/error.hpp>
#include <sinter/op/functions.hpp>
#include <tests/fuzz/meaning.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::fuzz {
namespace {

constexpr int max_axes = 6;

/// Whether enough is known of the values to find a mistake in them.
bool tells_enough(const node_values& v) {
    std::int64_t narrow = 0, nans = 0;
    for (const known& x : v.at) {
        nans += x.state == certainty::nan;
        if (!x.is_sure()) continue;
        if (!is_floating(v.type) && !is_complex(v.type)) {
            ++narrow;
            continue;
        }
        const real most = std::fmax(std::fmax(std::fabs(x.lo), std::fabs(x.hi)), std::fabs(x.im_lo));
        const real width = std::fmax(x.hi - x.lo, x.im_hi - x.im_lo);
        narrow += x.is_point() || width < 0.1L * most || width < 1e-6L;
    }
    return 5 * (narrow + nans) >= 4 * v.size() && 4 * nans <= 3 * v.size();
}

/// The dtype that a row computes in, near the one at hand.
dtype compute_type(random& r, const op_row& op, dtype near) {
    const dtype integers[] = {dtype::bool_, dtype::int8,   dtype::int16,  dtype::int32, dtype::int64,
                              dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64};
    const auto allowed = [&](dtype type) {
        if (refuses_complex(op.rule)) type = real_of(type);
        return type == dtype::bool_ && refuses_bool(op.rule) ? dtype::int8 : type;
    };
    const bool wide = r.percent(50);
    near = allowed(near);
    const bool whole = !is_floating(near) && !is_complex(near);
    switch (op.rule) {
        case dtype_rule::floating:
        case dtype_rule::analytic: return !whole ? near : wide ? dtype::float64 : dtype::float32;
        case dtype_rule::logical: return dtype::bool_;
        case dtype_rule::integral:
        case dtype_rule::integer: return whole ? near : allowed(integers[r.below(9)]);
        case dtype_rule::to_bits: return wide ? dtype::float64 : dtype::float32;
        case dtype_rule::of_bits: return wide ? dtype::int64 : dtype::int32;
        case dtype_rule::sum: return !whole ? near : is_unsigned(near) ? dtype::uint64 : dtype::int64;
        case dtype_rule::complex_:
        case dtype_rule::part: return complex_of(near);
        default: return r.percent(85) ? near : allowed(any_dtype(r));
    }
}

}  // namespace

int grower::add(ir::node n) {
    try {
        const extents shape = shape_of(c, n, values_);
        if (size_of_shape(shape, n.rank) > budget_ || n.rank > max_axes) return nothing;
        node_values v = evaluate(c, n, values_);
        if (!in_part && !tells_enough(v)) return nothing;
        c.nodes.push_back(n);
        values_.push_back(std::move(v));
    } catch (const error&) {
        return nothing;
    }
    return node_count() - 1;
}

grower::mark grower::here() const {
    return {c.nodes.size(), c.buffers.size(), c.leaves.size(), c.scalars.size(), c.integers.size()};
}

void grower::back_to(const mark& m) {
    c.nodes.resize(m.nodes);
    values_.resize(m.nodes);
    c.buffers.resize(m.buffers);
    c.leaves.resize(m.leaves);
    c.scalars.resize(m.scalars);
    c.integers.resize(m.integers);
}

int grower::any_node() { return r.percent(60) ? node_count() - 1 : static_cast<int>(r.below(node_count())); }

int grower::add_cast(int from, dtype to) {
    if (from == nothing) return nothing;
    return values(from).type == to && !r.percent(2) ? from : add_conversion(from, to);
}

int grower::add_conversion(int from, dtype to) {
    if (from == nothing) return nothing;
    ir::node n;
    n.what = ir::kind::cast;
    n.type = to;
    n.rank = static_cast<std::int8_t>(values(from).rank);
    n.in[0] = static_cast<std::int16_t>(from);
    return add(n);
}

int grower::add_operand(const extents& shape, int rank, dtype type) {
    const int chance = static_cast<int>(r.below(100));
    int made = nothing;
    if (chance < 40) {
        for (int tries = 0; tries < 3; ++tries) {
            const int other = static_cast<int>(r.below(node_count()));
            const node_values& v = values(other);
            bool fits = true;
            std::int64_t size = size_of_shape(shape, rank);
            for (int a = 1; a <= std::max(rank, v.rank); ++a) {
                const std::int64_t here = a <= rank ? shape[static_cast<std::size_t>(rank - a)] : 1;
                const std::int64_t there = a <= v.rank ? v.shape[static_cast<std::size_t>(v.rank - a)] : 1;
                fits = fits && (here == there || here == 1 || there == 1);
                if (here == 1) size *= there;
            }
            if (fits && size <= budget_ && (made = add_cast(other, type)) != nothing) return made;
        }
    } else if (chance < 55) {
        made = add_scalar(type);
    } else if (chance < 60) {
        made = add_constant(type);
    } else if (chance < 66) {
        // the index along one of the axes
        const int axis = rank > 0 ? static_cast<int>(r.below(rank)) : 0;
        made = add_iota(rank > 0 ? shape[static_cast<std::size_t>(axis)] : 1);
        if (made != nothing && rank > 0) {
            extents along{};
            std::fill_n(along.begin(), rank, 1);
            along[static_cast<std::size_t>(axis)] = shape[static_cast<std::size_t>(axis)];
            made = add_view(made, along, rank, {axis, 0, 1});
        }
        if (made != nothing) made = add_cast(made, type);
    } else if (chance < 80) {
        made = add_view_of_shape(static_cast<int>(r.below(node_count())), shape, rank);
        if (made != nothing) made = add_cast(made, type);
    }
    if (made != nothing) return made;
    int partner_rank = 0;
    const extents own = partner(shape, rank, partner_rank);
    return add_leaf(type, own, partner_rank);
}

int grower::add_elementwise(const op_row& op, int first) {
    if (first == nothing) return nothing;
    const bool selects = op.rule == dtype_rule::select;
    const dtype compute = compute_type(r, op, values(first).type);
    const dtype types[] = {selects ? dtype::bool_ : compute, compute, compute};
    // The node at hand becomes any of the operands.
    const int at = static_cast<int>(r.below(op.arity));
    ir::node n;
    n.what = ir::kind::elementwise;
    n.type = result_of(op.rule, compute);
    n.op = &op;
    const int main = add_cast(first, types[at]);
    if (main == nothing) return nothing;
    extents shape = values(main).shape;
    int rank = values(main).rank;
    n.in[at] = static_cast<std::int16_t>(main);
    n.rank = static_cast<std::int8_t>(rank);
    for (int k = 0; k < op.arity; ++k) {
        if (k == at) continue;
        const int other = r.percent(5) && types[k] == values(main).type ? main : add_operand(shape, rank, types[k]);
        if (other == nothing) return nothing;
        n.in[k] = static_cast<std::int16_t>(other);
        n.rank = static_cast<std::int8_t>(std::max<int>(n.rank, values(other).rank));
    }
    return add(n);
}

int grower::add_node(const op_row& op, dtype result, std::initializer_list<int> operands) {
    ir::node n;
    n.what = ir::kind::elementwise;
    n.type = result;
    n.op = &op;
    int count = 0;
    for (const int operand : operands) {
        if (operand == nothing) return nothing;
        n.in[count++] = static_cast<std::int16_t>(operand);
        n.rank = static_cast<std::int8_t>(std::max<int>(n.rank, values(operand).rank));
    }
    return add(n);
}

int grower::add_binary(const op_row& op, int x, int y) {
    if (x == nothing || y == nothing) return nothing;
    const dtype compute = compute_type(r, op, values(x).type);
    x = add_cast(x, compute);
    if (x == nothing) return nothing;
    y = add_cast(y, compute);
    if (y == nothing) return nothing;
    ir::node n;
    n.what = ir::kind::elementwise;
    n.type = result_of(op.rule, compute);
    n.op = &op;
    n.rank = static_cast<std::int8_t>(std::max(values(x).rank, values(y).rank));
    n.in[0] = static_cast<std::int16_t>(x);
    n.in[1] = static_cast<std::int16_t>(y);
    return add(n);
}

int grower::add_reduction(const op_row& op, int operand, std::uint32_t axes, bool keepdims) {
    if (operand == nothing) return nothing;
    return add_fold(op, add_cast(operand, compute_type(r, op, values(operand).type)), axes, keepdims);
}

int grower::add_fold(const op_row& op, int from, std::uint32_t axes, bool keepdims) {
    if (from == nothing) return nothing;
    ir::node n;
    n.what = ir::kind::reduction;
    n.type = values(from).type;
    n.op = &op;
    n.in[0] = static_cast<std::int16_t>(from);
    n.keepdims = keepdims;
    const int count = __builtin_popcount(axes);
    n.rank = static_cast<std::int8_t>(values(from).rank - (keepdims ? 0 : count));
    n.axes_known = r.percent(50);
    n.bits = static_cast<std::uint64_t>(count);
    if (n.axes_known) {
        n.axes = axes;
    } else {
        n.argument = static_cast<std::int16_t>(c.integers.size());
        c.integers.push_back(axes);
    }
    return add(n);
}

/// Factors of complex running products, of which the reference multiplies all again for every element.
constexpr std::int64_t max_factors = 1000000;

int grower::add_scan(const op_row& op, int operand, int axis) {
    const int from = add_cast(operand, compute_type(r, op, values(operand).type));
    if (from == nothing || values(from).rank == 0) return nothing;
    if (axis < 0) axis = static_cast<int>(r.below(values(from).rank));
    const std::int64_t factors = values(from).size() * values(from).shape[static_cast<std::size_t>(axis)];
    if (is_complex(values(from).type) && factors > max_factors) return nothing;
    ir::node n;
    n.what = ir::kind::scan;
    n.type = values(from).type;
    n.op = &op;
    n.in[0] = static_cast<std::int16_t>(from);
    n.rank = static_cast<std::int8_t>(values(from).rank);
    n.exclusive = op.has_identity && r.percent(30);
    n.reverse = r.percent(30);
    n.axes_known = r.percent(50);
    n.bits = 1;
    const std::uint32_t axes = 1u << axis;
    if (n.axes_known) {
        n.axes = axes;
    } else {
        n.argument = static_cast<std::int16_t>(c.integers.size());
        c.integers.push_back(axes);
    }
    return add(n);
}

int grower::add_view(int operand, const extents& shape, int rank, const std::vector<std::int64_t>& maps, int places) {
    if (operand == nothing) return nothing;
    ir::node n;
    n.what = ir::kind::index_map;
    n.type = values(operand).type;
    n.rank = static_cast<std::int8_t>(rank);
    n.in[0] = static_cast<std::int16_t>(operand);
    n.in[1] = static_cast<std::int16_t>(places);
    n.argument = static_cast<std::int16_t>(c.integers.size());
    c.integers.insert(c.integers.end(), maps.begin(), maps.end());
    c.integers.insert(c.integers.end(), shape.begin(), shape.begin() + rank);
    return add(n);
}

int grower::add_view_of_shape(int operand, const extents& shape, int rank) {
    const node_values& from = values(operand);
    std::vector<std::int64_t> maps;
    for (int a = 0; a < from.rank; ++a) {
        const std::int64_t extent = from.shape[static_cast<std::size_t>(a)];
        // Usually axes stay in order, aligned at the last one; sometimes any axis reads along any other.
        const int aligned = a + rank - from.rank;
        const int axis = rank == 0 || r.percent(10)      ? -1
                         : aligned >= 0 && r.percent(70) ? aligned
                                                         : static_cast<int>(r.below(rank));
        const std::int64_t wanted = axis < 0 ? 1 : shape[static_cast<std::size_t>(axis)];
        if (axis < 0 || (wanted > 1 && extent < wanted)) {
            maps.insert(maps.end(), {-1, extent > 0 ? r.below(extent) : 0, 0});
            continue;
        }
        const std::int64_t most = wanted > 1 ? (extent - 1) / (wanted - 1) : 1;
        std::int64_t step = r.percent(70) ? 1 : r.between(1, most);
        const std::int64_t reach = wanted > 0 ? step * (wanted - 1) : 0;
        std::int64_t start = extent > reach && wanted > 0 ? r.below(extent - reach) : 0;
        if (r.percent(30) && wanted > 0) {
            start += reach;
            step = -step;
        }
        maps.insert(maps.end(), {axis, start, step});
    }
    return add_view(operand, shape, rank, maps);
}

int grower::add_sort(int operand, bool descending, int result) {
    const node_values& from = values(operand);
    if (from.rank == 0 || is_complex(from.type)) return nothing;
    ir::node n;
    n.what = ir::kind::call;
    n.callee = &sinter::detail::calls::sort;
    n.bits = static_cast<std::uint64_t>(result);
    n.type = result == 1 ? dtype::int64 : from.type;
    n.rank = static_cast<std::int8_t>(from.rank);
    n.in[0] = static_cast<std::int16_t>(operand);
    n.argument = static_cast<std::int16_t>(c.integers.size());
    c.integers.push_back(descending);
    return add(n);
}

int grower::add_reshape(int operand, const extents& shape, int rank) {
    ir::node n;
    n.what = ir::kind::reshape;
    n.type = values(operand).type;
    n.rank = static_cast<std::int8_t>(rank);
    n.in[0] = static_cast<std::int16_t>(operand);
    n.argument = static_cast<std::int16_t>(c.integers.size());
    c.integers.insert(c.integers.end(), shape.begin(), shape.begin() + rank);
    return add(n);
}

int grower::add_iota(std::int64_t extent) {
    ir::node n;
    n.what = ir::kind::iota;
    n.type = dtype::int64;
    n.rank = 1;
    n.argument = static_cast<std::int16_t>(c.integers.size());
    c.integers.push_back(extent);
    return add(n);
}

int grower::add_places(std::int64_t extent) {
    if (r.percent(40)) {
        const int rank = r.pick({0, 1, 1, 1, 2});
        leaf l;
        l.rank = rank;
        for (int a = 0; a < rank; ++a) l.shape[static_cast<std::size_t>(a)] = r.between(1, 12);
        l.strides = row_major(l.shape, rank);
        l.buffer = static_cast<int>(c.buffers.size());
        buffer b;
        b.type = dtype::int64;
        for (std::int64_t i = size_of_shape(l.shape, rank); i > 0; --i)
            b.elements.push_back({static_cast<std::uint64_t>(r.below(extent))});
        c.buffers.push_back(std::move(b));
        c.leaves.push_back(l);
        ir::node n;
        n.what = ir::kind::leaf;
        n.type = dtype::int64;
        n.rank = static_cast<std::int8_t>(rank);
        n.argument = static_cast<std::int16_t>(c.leaves.size() - 1);
        return add(n);
    }
    // Whatever there is, or an index moved on, held within the axis.
    int index = nothing;
    if (r.percent(50)) {
        index = add_iota(r.percent(50) ? extent : r.between(1, 2 * extent));
        if (index != nothing) {
            const int by = add_scalar(dtype::int64);
            index = by == nothing ? nothing : add_binary(r.percent(50) ? op::add::row : op::subtract::row, index, by);
        }
    } else {
        index = add_cast(any_node(), dtype::int64);
    }
    if (index == nothing || values(index).type != dtype::int64) return nothing;
    return add_node(op::clip::row, dtype::int64, {index, add_integer(0), add_integer(extent - 1)});
}

}  // namespace sinter::fuzz
