// One function a kind of node: its shape and its elements.
#include <tests/fuzz/reference.hpp>

#include <sinter/error.hpp>
#include <sinter/gather.hpp>
#include <tests/fuzz/meaning.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace sinter::fuzz {
namespace {

using all_values = std::vector<node_values>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

const node_values& operand(const ir::node& n, int k, const all_values& before) { return before[at(n.in[k])]; }

/// Row-major indices, one after the other.
class counter {
public:
    counter(const extents& shape, int rank) : shape_(shape), rank_(rank) {}
    const extents& index() const { return index_; }
    void next() {
        for (int a = rank_ - 1; a >= 0; --a) {
            if (++index_[at(a)] < shape_[at(a)]) return;
            index_[at(a)] = 0;
        }
    }

private:
    extents shape_;
    int rank_;
    extents index_{};
};

std::int64_t offset(const extents& index, const extents& strides, int rank) {
    std::int64_t sum = 0;
    for (int a = 0; a < rank; ++a) sum += index[at(a)] * strides[at(a)];
    return sum;
}

std::uint32_t reduced_axes(const fuzz_case& c, const ir::node& n) {
    return n.axes_known ? n.axes : static_cast<std::uint32_t>(c.integers[at(n.argument)]);
}

/// Source axis `axis` of an index map: (result axis or -1, start, step).
const std::int64_t* map_of(const fuzz_case& c, const ir::node& n, int axis) {
    return c.integers.data() + n.argument + 3 * axis;
}

/// The element of an elementwise operand that belongs to an index of the result.
const known& broadcast(const node_values& from, const extents& index, int rank) {
    const extents strides = row_major(from.shape, from.rank);
    extents own{};
    for (int a = 0; a < from.rank; ++a) own[at(a)] = from.shape[at(a)] == 1 ? 0 : index[at(a + rank - from.rank)];
    return from.at[at(offset(own, strides, from.rank))];
}

void leaf_elements(const fuzz_case& c, const ir::node& n, const all_values&, node_values& out) {
    const leaf& l = c.leaves[at(n.argument)];
    const buffer& b = c.buffers[at(l.buffer)];
    counter i(out.shape, out.rank);
    for (known& x : out.at) {
        x = read(out.type, b.elements[at(l.offset + offset(i.index(), l.strides, l.rank))]);
        i.next();
    }
}

void scalar_elements(const fuzz_case& c, const ir::node& n, const all_values&, node_values& out) {
    out.at[0] = read(out.type, c.scalars[at(n.argument)]);
}

void constant_elements(const fuzz_case&, const ir::node& n, const all_values&, node_values& out) {
    out.at[0] = read(out.type, {n.bits});
}

void elementwise_elements(const fuzz_case&, const ir::node& n, const all_values& before, node_values& out) {
    const dtype compute = operand(n, n.op->rule == dtype_rule::select ? 1 : 0, before).type;
    const rule meaning = meaning_of(*n.op, compute);
    counter i(out.shape, out.rank);
    for (known& x : out.at) {
        known in[ir::max_operands];
        for (int k = 0; k < n.op->arity; ++k) in[k] = broadcast(operand(n, k, before), i.index(), out.rank);
        x = meaning(compute, in);
        i.next();
    }
}

void cast_elements(const fuzz_case&, const ir::node& n, const all_values& before, node_values& out) {
    const node_values& from = operand(n, 0, before);
    for (std::size_t i = 0; i < out.at.size(); ++i) out.at[i] = converted(from.at[i], from.type, out.type);
}

void reduction_elements(const fuzz_case& c, const ir::node& n, const all_values& before, node_values& out) {
    const node_values& from = operand(n, 0, before);
    const std::uint32_t axes = reduced_axes(c, n);
    const extents strides = row_major(out.shape, out.rank);
    std::vector<std::vector<known>> folded(out.at.size());
    counter i(from.shape, from.rank);
    for (const known& x : from.at) {
        extents to{};
        for (int a = 0, kept = 0; a < from.rank; ++a) {
            if (!(axes >> a & 1))
                to[at(kept++)] = i.index()[at(a)];
            else if (n.keepdims)
                to[at(kept++)] = 0;
        }
        folded[at(offset(to, strides, out.rank))].push_back(x);
        i.next();
    }
    for (std::size_t r = 0; r < out.at.size(); ++r) out.at[r] = fold(*n.op, out.type, folded[r]);
}

/// A running value is what a reduction gives of the elements up to it.
void scan_elements(const fuzz_case& c, const ir::node& n, const all_values& before, node_values& out) {
    const node_values& from = operand(n, 0, before);
    const int axis = __builtin_ctz(reduced_axes(c, n));
    const extents strides = row_major(from.shape, from.rank);
    const std::int64_t stride = strides[at(axis)], extent = from.shape[at(axis)];
    counter i(from.shape, from.rank);
    for (std::int64_t first = 0; first < from.size(); ++first, i.next()) {
        if (i.index()[at(axis)] != 0) continue;
        const std::unique_ptr<folding> so_far = start_folding(*n.op, out.type);
        for (std::int64_t k = 0; k < extent; ++k) {
            const std::size_t place = at(first + (n.reverse ? extent - 1 - k : k) * stride);
            if (n.exclusive) out.at[place] = so_far->value();
            so_far->add(from.at[place]);
            if (!n.exclusive) out.at[place] = so_far->value();
        }
    }
}

/// An index that a node gives. One beyond the axis, or that is not known, is a mistake in the graph.
std::int64_t place_in(std::int64_t extent, const known& index) {
    if (!index.is_sure() || index.integer < 0 || index.integer >= extent)
        throw error("fuzz: an index map reads at a place that is not in its operand");
    return index.integer;
}

/// Whether a node's elements are indices in one part of a join, and unknown in the others.
bool is_index_of_part(const fuzz_case& c, int node) {
    return c.nodes[static_cast<std::size_t>(node)].op == &detail::index_of_part_row::row;
}

void index_map_elements(const fuzz_case& c, const ir::node& n, const all_values& before, node_values& out) {
    const node_values& from = operand(n, 0, before);
    const extents strides = row_major(from.shape, from.rank);
    counter i(out.shape, out.rank);
    for (known& x : out.at) {
        extents source{};
        bool beyond = false;
        for (int a = 0; a < from.rank; ++a) {
            const std::int64_t* m = map_of(c, n, a);
            if (m[0] != ir::from_operand) {
                source[at(a)] = m[1] + (m[0] < 0 ? 0 : m[2] * i.index()[at(m[0])]);
                continue;
            }
            const known place = broadcast(operand(n, 1, before), i.index(), out.rank);
            beyond = beyond || (!place.is_sure() && is_index_of_part(c, n.in[1]));
            if (!beyond) source[at(a)] = place_in(from.shape[at(a)], place);
        }
        x = beyond ? unknown() : from.at[at(offset(source, strides, from.rank))];
        i.next();
    }
}

/// Where a row's elements stand in order, for points: of equal ones the first goes first, and NaN is behind all.
std::vector<std::size_t> order_of_points(const std::vector<known>& row, dtype type, bool descending) {
    const auto before = [&](const known& x, const known& y) {
        if (!is_floating(type)) {
            const auto bits = [](const known& k) { return static_cast<std::uint64_t>(k.integer); };
            return is_unsigned(type) ? bits(x) < bits(y) : x.integer < y.integer;
        }
        return x.is_sure() && (!y.is_sure() || x.lo < y.lo);
    };
    std::vector<std::size_t> order(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return descending ? before(row[j], row[i]) : before(row[i], row[j]);
    });
    return order;
}

/// Element k of what is sorted lies between element k of the sorted lower ends and that of the upper ones.
void sort_row(std::vector<known>& row, dtype type, bool descending) {
    std::vector<known> ends[2] = {row, row};
    for (known& k : ends[1]) k.lo = k.hi;
    const std::vector<std::size_t> low = order_of_points(ends[0], type, descending);
    const std::vector<std::size_t> high = order_of_points(ends[1], type, descending);
    for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = ends[0][low[i]];
        row[i].hi = ends[1][high[i]].hi;
    }
}

void sort_elements(const fuzz_case& c, const ir::node& n, const all_values& before, node_values& out) {
    const node_values& from = operand(n, 0, before);
    const bool descending = c.integers[at(n.argument)] != 0;
    const std::size_t length = at(from.shape[at(from.rank - 1)]);
    for (std::size_t first = 0; first < from.at.size(); first += length) {
        const auto begin = from.at.begin() + static_cast<std::ptrdiff_t>(first);
        std::vector<known> row(begin, begin + static_cast<std::ptrdiff_t>(length));
        const bool told =
            std::none_of(row.begin(), row.end(), [](const known& k) { return k.state == certainty::unknown; });
        const bool points =
            !is_floating(from.type) || std::all_of(row.begin(), row.end(), [](const known& k) { return k.is_point(); });
        if (!told || (n.bits == 1 && !points)) {
            row.assign(length, unknown());
        } else if (n.bits == 1) {
            const std::vector<std::size_t> order = order_of_points(row, from.type, descending);
            for (std::size_t i = 0; i < length; ++i) row[i] = whole(static_cast<std::int64_t>(order[i]));
        } else {
            sort_row(row, from.type, descending);
        }
        std::copy(row.begin(), row.end(), out.at.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

void reshape_elements(const fuzz_case&, const ir::node& n, const all_values& before, node_values& out) {
    out.at = operand(n, 0, before).at;
}

void iota_elements(const fuzz_case&, const ir::node&, const all_values&, node_values& out) {
    for (std::size_t i = 0; i < out.at.size(); ++i) out.at[i] = whole(static_cast<std::int64_t>(i));
}

extents leaf_shape(const fuzz_case& c, const ir::node& n, const all_values&) { return c.leaves[at(n.argument)].shape; }

extents no_shape(const fuzz_case&, const ir::node&, const all_values&) { return {}; }

extents broadcast_shape(const fuzz_case&, const ir::node& n, const all_values& before) {
    extents shape{};
    std::fill_n(shape.begin(), n.rank, 1);
    for (int in : n.in) {
        if (in < 0) continue;
        const node_values& from = before[at(in)];
        if (from.rank > n.rank) throw error("fuzz: an operand has a higher rank than its user");
        for (int a = 0; a < from.rank; ++a) {
            std::int64_t& extent = shape[at(a + n.rank - from.rank)];
            if (extent == 1)
                extent = from.shape[at(a)];
            else if (from.shape[at(a)] != 1 && from.shape[at(a)] != extent)
                throw error("fuzz: operands do not broadcast");
        }
    }
    return shape;
}

extents scanned_shape(const fuzz_case& c, const ir::node& n, const all_values& before) {
    const node_values& from = operand(n, 0, before);
    const std::uint32_t axes = reduced_axes(c, n);
    if (__builtin_popcount(axes) != 1 || axes >> from.rank != 0) throw error("fuzz: a scan along no one axis");
    if (n.rank != from.rank) throw error("fuzz: a scan has another rank than its operand");
    return from.shape;
}

extents sorted_shape(const fuzz_case&, const ir::node& n, const all_values& before) {
    const node_values& from = operand(n, 0, before);
    if (from.rank == 0 || n.rank != from.rank) throw error("fuzz: a sort along no axis");
    return from.shape;
}

extents reduced_shape(const fuzz_case& c, const ir::node& n, const all_values& before) {
    const node_values& from = operand(n, 0, before);
    const std::uint32_t axes = reduced_axes(c, n);
    if (axes >> from.rank != 0) throw error("fuzz: a reduced axis is out of range");
    extents shape{};
    std::int64_t count = 1;
    int kept = 0;
    for (int a = 0; a < from.rank; ++a) {
        const bool reduced = axes >> a & 1;
        if (reduced) count *= from.shape[at(a)];
        if (!reduced || n.keepdims) shape[at(kept++)] = reduced ? 1 : from.shape[at(a)];
    }
    if (kept != n.rank) throw error("fuzz: a reduction's rank does not follow from its axes");
    if (count == 0 && !n.op->has_identity && size_of_shape(shape, n.rank) != 0)
        throw error("fuzz: an extreme of no elements");
    return shape;
}

bool broadcasts_to(const node_values& from, const extents& shape, int rank) {
    if (from.rank > rank) return false;
    for (int a = 0; a < from.rank; ++a)
        if (from.shape[at(a)] != 1 && from.shape[at(a)] != shape[at(a + rank - from.rank)]) return false;
    return true;
}

/// Of the kinds whose integers are their extents.
extents given_shape(const fuzz_case& c, const ir::node& n, const all_values& before) {
    extents shape{};
    std::copy_n(c.integers.data() + n.argument, n.rank, shape.begin());
    if (n.in[0] >= 0 && size_of_shape(shape, n.rank) != operand(n, 0, before).size())
        throw error("fuzz: a reshape to another number of elements");
    return shape;
}

extents mapped_shape(const fuzz_case& c, const ir::node& n, const all_values& before) {
    const node_values& from = operand(n, 0, before);
    extents shape{};
    std::copy_n(map_of(c, n, from.rank), n.rank, shape.begin());
    if (n.in[1] >= 0 && !broadcasts_to(operand(n, 1, before), shape, n.rank))
        throw error("fuzz: the places to read at do not broadcast to the result");
    if (size_of_shape(shape, n.rank) == 0) return shape;
    for (int a = 0; a < from.rank; ++a) {
        const std::int64_t* m = map_of(c, n, a);
        if (m[0] == ir::from_operand) {
            if (n.in[1] < 0 || operand(n, 1, before).type != dtype::int64)
                throw error("fuzz: an index map has no places to read at");
            continue;
        }
        if (m[0] >= n.rank) throw error("fuzz: an index map reads along an axis that it has not");
        const std::int64_t last = m[1] + (m[0] < 0 ? 0 : m[2] * (shape[at(m[0])] - 1));
        if (std::min(m[1], last) < 0 || std::max(m[1], last) >= from.shape[at(a)])
            throw error("fuzz: an index map reads beyond its operand");
    }
    return shape;
}

/// A kind of node is one row.
struct definition {
    ir::kind what;
    extents (*shape)(const fuzz_case& c, const ir::node& n, const all_values& before);
    void (*elements)(const fuzz_case& c, const ir::node& n, const all_values& before, node_values& out);
};
constexpr definition definitions[] = {
    {ir::kind::leaf, leaf_shape, leaf_elements},        {ir::kind::scalar, no_shape, scalar_elements},
    {ir::kind::constant, no_shape, constant_elements},  {ir::kind::elementwise, broadcast_shape, elementwise_elements},
    {ir::kind::cast, broadcast_shape, cast_elements},   {ir::kind::reduction, reduced_shape, reduction_elements},
    {ir::kind::scan, scanned_shape, scan_elements},     {ir::kind::index_map, mapped_shape, index_map_elements},
    {ir::kind::reshape, given_shape, reshape_elements}, {ir::kind::iota, given_shape, iota_elements},
    {ir::kind::call, sorted_shape, sort_elements},      {ir::kind::materialize, broadcast_shape, cast_elements},
};

const definition& definition_of(ir::kind what) {
    for (const definition& d : definitions)
        if (d.what == what) return d;
    throw error("fuzz: a kind of node without a definition; add it to tests/fuzz/reference.cpp");
}

}  // namespace

extents shape_of(const fuzz_case& c, const ir::node& n, const all_values& before) {
    return definition_of(n.what).shape(c, n, before);
}

node_values evaluate(const fuzz_case& c, const ir::node& n, const all_values& before) {
    node_values out;
    out.type = n.type;
    out.rank = n.rank;
    out.shape = shape_of(c, n, before);
    out.at.resize(at(size_of_shape(out.shape, out.rank)));
    definition_of(n.what).elements(c, n, before, out);
    return out;
}

std::vector<node_values> evaluate_all(const fuzz_case& c) {
    all_values values;
    for (const ir::node& n : c.nodes) values.push_back(evaluate(c, n, values));
    return values;
}

std::vector<node_values> results_of(const fuzz_case& c, const std::vector<node_values>& values) {
    std::vector<node_values> results;
    for (int root : c.roots) results.push_back(values[at(root)]);
    return results;
}

}  // namespace sinter::fuzz
