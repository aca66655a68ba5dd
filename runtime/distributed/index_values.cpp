// Bounds on computed index values by interval arithmetic: R. E. Moore, "Interval Analysis", 1966.
#include <runtime/distributed/split_graph.hpp>
#include <sinter/gather.hpp>
#include <sinter/op/builtin.hpp>
#include <sinter/sliding_window.hpp>

#include <initializer_list>
#include <optional>

namespace sinter::codegen {
namespace {

interval single(std::int64_t value) { return {value, value + 1}; }
bool is_single(const interval& x) { return x.size() == 1; }

/// The image of intervals under a function that is increasing in each operand.
template <class F>
interval growing(const F& f, const interval& x, const interval& y) {
    return {f(x.begin, y.begin), f(x.end - 1, y.end - 1) + 1};
}

interval limited(const interval& x, std::int64_t least, std::int64_t most) {
    const auto limit = [&](std::int64_t i) { return std::min(std::max(i, least), most); };
    return {limit(x.begin), limit(x.end - 1) + 1};
}

std::int64_t floored_quotient_of(std::int64_t x, std::int64_t y) { return x / y - (x % y < 0 ? 1 : 0); }

interval product(const interval& x, const interval& y) {
    const auto [least, most] =
        std::minmax({x.begin * y.begin, x.begin * (y.end - 1), (x.end - 1) * y.begin, (x.end - 1) * (y.end - 1)});
    return {least, most + 1};
}

/// x % y, and x / y rounded down, for a single y > 0.
std::optional<interval> floored_division(const interval& x, const interval& y, bool remainder) {
    if (!is_single(y) || y.begin <= 0) return std::nullopt;
    const std::int64_t first = floored_quotient_of(x.begin, y.begin), last = floored_quotient_of(x.end - 1, y.begin);
    if (!remainder) return interval{first, last + 1};
    if (first != last) return interval{0, y.begin};
    return interval{x.begin - first * y.begin, x.end - first * y.begin};
}

/// Sinter's own index functions, following their bodies.
std::optional<interval> of_index_row(const op_row* row, const interval& x, const interval& y, const interval& z) {
    if (row == &sinter::detail::index_in_window_row::row)
        return growing([](std::int64_t i, std::int64_t j) { return i + j; }, x, y);
    if (!is_single(y)) return std::nullopt;
    if (row == &sinter::detail::index_of_part_row::row)
        return limited({x.begin - y.begin, x.end - y.begin}, 0, z.begin - 1);
    if (row == &sinter::detail::index_within_row::row) {
        const std::int64_t n = y.begin;
        if (x.begin >= 0) return limited(x, 0, n - 1);
        return x.end <= 0 ? limited({x.begin + n, x.end + n}, 0, n - 1) : interval{0, n};
    }
    if (row == &sinter::detail::index_rolled_row::row) {
        if (x.end <= y.begin) return interval{x.begin + z.begin - y.begin, x.end + z.begin - y.begin};
        if (x.begin >= y.begin) return interval{x.begin - y.begin, x.end - y.begin};
        return interval{0, z.begin};
    }
    return std::nullopt;
}

std::optional<interval> of_row(const op_row* row, const interval& x, const interval& y, const interval& z) {
    switch (static_cast<builtin_op>(row->builtin)) {
        case builtin_op::add: return growing([](std::int64_t i, std::int64_t j) { return i + j; }, x, y);
        case builtin_op::subtract: return interval{x.begin - y.end + 1, x.end - y.begin};
        case builtin_op::negative: return interval{1 - x.end, 1 - x.begin};
        case builtin_op::multiply: return product(x, y);
        case builtin_op::maximum: return growing([](std::int64_t i, std::int64_t j) { return std::max(i, j); }, x, y);
        case builtin_op::minimum: return growing([](std::int64_t i, std::int64_t j) { return std::min(i, j); }, x, y);
        case builtin_op::clip:
            if (!is_single(y) || !is_single(z)) return std::nullopt;
            return limited(x, y.begin, z.begin);
        case builtin_op::remainder: return floored_division(x, y, true);
        case builtin_op::floor_divide: return floored_division(x, y, false);
        default: return of_index_row(row, x, y, z);
    }
}

}  // namespace

interval split_graph::index_values(int node, int along, const interval& range, int reader) const {
    const graph_node& n = (*this)[node];
    const auto operand = [&](int k) {
        const int in = n.in[as_size(k)];
        if (in < 0) return interval{};
        const int own = along - (n.rank - (*this)[in].rank);
        return index_values(in, own >= 0 && (*this)[in].shape[as_size(own)] != 1 ? own : -1, range, reader);
    };
    switch (n.what) {
        case ir::kind::iota: return along == 0 ? range : interval{0, n.shape[0]};
        case ir::kind::constant:
            if (n.type == dtype::int64) return single(static_cast<std::int64_t>(n.bits));
            break;
        case ir::kind::scalar:
            if (n.type == dtype::int64) return single(static_cast<std::int64_t>(scalars_[n.argument].bits));
            break;
        case ir::kind::stop_gradient:
        case ir::kind::materialize: return operand(0);
        case ir::kind::index_map: {
            const graph_node& source = (*this)[n.in[0]];
            if (n.in[1] >= 0 || source.rank > 1) break;
            if (source.rank == 0) return index_values(n.in[0], -1, {}, reader);
            const mapped_axis& m = n.map[0];
            if (m.from < 0 || m.step == 0) return index_values(n.in[0], 0, single(m.start), reader);
            const interval read = m.from == along ? range : interval{0, n.shape[as_size(m.from)]};
            return index_values(n.in[0], 0, affine_indices(m, read), reader);
        }
        case ir::kind::elementwise:
            if (n.type != dtype::int64) break;
            if (const auto values = of_row(n.op, operand(0), operand(1), operand(2))) return *values;
            break;
        default: break;
    }
    refuse(reader, "reads the split axis at indices that only the data determine");
}

}  // namespace sinter::codegen
