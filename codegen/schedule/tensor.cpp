// Products on tensor cores. A block stages slices of both factors in shared memory, some steps of the loop each,
// several slices ahead of what is computed; its warps multiply fragments of 16 x 16 elements (mma.sync) and keep the
// sums in registers. A factor may be any expression: it is computed when its slice is staged, once for all the rows or
// columns that it serves. What is a plain array there is copied by cp.async, which takes no registers. What follows
// the sum is computed from the registers, so that it costs no memory.
#include <codegen/schedule/tensor.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/forms.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <array>

namespace sinter::codegen {
namespace {

constexpr std::int64_t fewest_groups = 8;  ///< along rows, and along columns: below, most of a fragment is idle
constexpr std::int64_t fewest_steps = 8;
/// Up to these a batch's matrices leave half of the smallest tile idle, and more of its slices.
constexpr std::int64_t results_of_half_a_tile = 256, steps_of_part_of_a_slice = 32;

bool goes_along(const value& v, int axis) { return v.varies >> axis & 1; }

const value& at(const loop_nest& k, int v) { return k.values[static_cast<std::size_t>(v)]; }

bool is_op(const value& v, builtin_op op) { return v.op != nullptr && v.op->builtin == static_cast<int>(op); }

/// What a factor may be made of.
bool is_plain(const value& v) {
    return v.what == value_kind::elementwise || v.what == value_kind::cast ||
           (v.what == value_kind::load && v.in[0] < 0);
}

/// What the loop may hold: what else there may be is left to other forms.
bool is_plain_loop(const loop_nest& k) {
    return std::all_of(k.values.begin(), k.values.end(), [](const value& v) { return v.loop != 0 || is_plain(v); });
}

/// The half number of a loop that a float32 is; -1 where it is none.
int half_of(const loop_nest& k, int v, int loop) {
    const value& self = at(k, v);
    if (self.what != value_kind::cast || self.type != dtype::float32) return -1;
    const value& from = at(k, self.in[0]);
    return is_half(from.type) && from.loop == loop ? self.in[0] : -1;
}

bool find_axes(const loop_nest& k, const tensor_factors& f, tensor_tile& t) {
    const auto longest = [&](int factor, int other) {
        int found = -1;
        for (int axis : k.outer) {
            if (!goes_along(at(k, factor), axis) || goes_along(at(k, other), axis)) continue;
            if (found < 0 || extent_of(k, axis) >= extent_of(k, found)) found = axis;
        }
        return found;
    };
    t.row_axis = longest(f.rows, f.columns);
    t.column_axis = longest(f.columns, f.rows);
    if (t.row_axis < 0 || t.column_axis < 0) return false;
    // the lanes of a warp store neighbouring columns
    const auto& stride = k.layouts[static_cast<std::size_t>(k.stores[0].at)].stride;
    if (stride[static_cast<std::size_t>(t.row_axis)] == 1) std::swap(t.row_axis, t.column_axis);
    const std::int64_t rows = extent_of(k, t.row_axis), columns = extent_of(k, t.column_axis);
    const bool idle = outer_size(k) > rows * columns && rows * columns <= results_of_half_a_tile &&
                      trip_count(k, k.loops[0]) <= steps_of_part_of_a_slice;
    return std::min(rows, columns) >= fewest_groups && !idle;
}

struct tensor_shape {
    int rows, columns, warp_rows, warp_columns, depth, stages;
};

/// Of equal cost the first is chosen.
constexpr std::array<tensor_shape, 9> tensor_shapes{{
    {128, 128, 2, 4, 32, 4},
    {128, 64, 2, 2, 32, 4},
    {64, 128, 2, 2, 32, 4},
    {64, 64, 2, 2, 64, 3},
    {64, 32, 2, 2, 64, 4},
    {32, 64, 2, 2, 64, 4},
    {32, 32, 2, 2, 64, 4},
    {16, 64, 1, 4, 64, 4},
    {16, 32, 1, 2, 128, 4},
}};

}  // namespace

std::vector<int> values_of_factor(const loop_nest& k, int factor, int loop) {
    std::vector<char> used(k.values.size(), 0);
    used[static_cast<std::size_t>(factor)] = 1;
    std::vector<int> all;
    for (int v = factor; v >= 0; --v) {
        if (used[static_cast<std::size_t>(v)] == 0 || at(k, v).loop != loop) continue;
        for (int in : at(k, v).in)
            if (in >= 0) used[static_cast<std::size_t>(in)] = 1;
        all.push_back(v);
    }
    return all;
}

bool is_staged_along_steps(const loop_nest& k, int factor, int loop, int axis) {
    const int steps = k.loops[static_cast<std::size_t>(loop)].axes.back();
    bool result = true;
    for (const int of : values_of_factor(k, factor, loop)) {
        const value& v = at(k, of);
        if (v.what != value_kind::load || !goes_along(v, axis)) continue;
        const auto& stride = k.layouts[static_cast<std::size_t>(v.at)].stride;
        result = stride[static_cast<std::size_t>(axis)] != 1 && stride[static_cast<std::size_t>(steps)] == 1;
    }
    return result;
}

bool is_plain_factor(const loop_nest& k, int factor, int loop) {
    const std::vector<int> all = values_of_factor(k, factor, loop);
    return std::all_of(all.begin(), all.end(), [&](int v) { return is_plain(at(k, v)); });
}

tensor_factors with_columns_along(const loop_nest& k, tensor_factors f, int axis) {
    if (!goes_along(at(k, f.columns), axis)) std::swap(f.rows, f.columns);
    return f;
}

std::optional<tensor_factors> tensor_factors_of(const loop_nest& k) {
    if (k.nest_axis >= 0 || k.loops.size() != 1 || folds_groups(k)) return std::nullopt;
    return tensor_factors_in(k);
}

std::optional<tensor_factors> tensor_factors_in(const loop_nest& k, int loop) {
    const std::vector<int>& reductions = k.loops[static_cast<std::size_t>(loop)].reductions;
    if (reductions.size() != 1) return std::nullopt;
    tensor_factors f;
    f.sum = reductions[0];
    const value& sum = at(k, f.sum);
    if (!is_op(sum, builtin_op::sum) || sum.type != dtype::float32) return std::nullopt;
    const value& product = at(k, sum.in[0]);
    if (product.what != value_kind::elementwise || !is_op(product, builtin_op::multiply)) return std::nullopt;
    if (product.type != dtype::float32) return std::nullopt;
    f.rows = half_of(k, product.in[0], loop);
    f.columns = half_of(k, product.in[1], loop);
    if (f.rows < 0 || f.columns < 0 || at(k, f.rows).type != at(k, f.columns).type) return std::nullopt;
    return f;
}

std::size_t tensor_shared_bytes(const tensor_tile& t) {
    const auto slice = [&](int size, bool along) {
        return along ? size * (t.depth + tensor_padding) : t.depth * (size + tensor_padding);
    };
    return 2 * static_cast<std::size_t>(t.stages) *
           static_cast<std::size_t>(slice(t.rows, t.rows_along_steps) + slice(t.columns, t.columns_along_steps));
}

std::int64_t tiles_of(const loop_nest& k, const tensor_tile& t) {
    const std::int64_t rows = extent_of(k, t.row_axis), columns = t.column_axis < 0 ? 1 : extent_of(k, t.column_axis);
    if (outer_size(k) == 0) return 0;
    return outer_size(k) / rows / columns * divide_up(rows, t.rows) * divide_up(columns, t.columns);
}

void settle_tensor(const loop_nest& k, const tensor_factors& f, const std::vector<int>& alignment, schedule& s) {
    tensor_tile& t = s.tensor;
    const tensor_factors of = with_columns_along(k, f, t.column_axis);
    t.rows_along_steps = is_staged_along_steps(k, of.rows, 0, t.row_axis);
    t.columns_along_steps = is_staged_along_steps(k, of.columns, 0, t.column_axis);
    t.wide_loads = 0;
    int position = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int bit = position++;
        const bool of_rows = goes_along(v, t.row_axis);
        if (v.loop != 0 || (!of_rows && !goes_along(v, t.column_axis)) || bit >= 64) continue;
        const bool steps = of_rows ? t.rows_along_steps : t.columns_along_steps;
        const int axis = steps ? k.loops[0].axes.back() : of_rows ? t.row_axis : t.column_axis;
        if (is_wide(k, {v.at, v.input, v.type, v.loop}, axis, 8, alignment)) t.wide_loads |= std::uint64_t{1} << bit;
    }
    const std::vector<access> all = accesses_of(k);
    t.wide_stores = std::all_of(all.end() - static_cast<std::ptrdiff_t>(k.stores.size()), all.end(),
                                [&](const access& a) { return is_wide(k, a, t.column_axis, 2, alignment); });
}

std::optional<schedule> schedule_tensor(const loop_nest& k, const machine& m, const std::vector<int>& alignment) {
    if (m.arch < oldest_tensor_arch || !can_split(k) || !is_plain_loop(k) || outer_size(k) == 0) return std::nullopt;
    const std::optional<tensor_factors> f = tensor_factors_of(k);
    schedule s;
    s.form = schedule_form::tensor;
    if (!f || trip_count(k, k.loops[0]) < fewest_steps || !find_axes(k, *f, s.tensor)) return std::nullopt;
    double most = 0;
    std::optional<schedule> best;
    for (const tensor_shape& one : tensor_shapes) {
        tensor_tile& t = s.tensor;
        t.rows = one.rows;
        t.columns = one.columns;
        t.warp_rows = one.warp_rows;
        t.warp_columns = one.warp_columns;
        t.depth = one.depth;
        settle_tensor(k, *f, alignment, s);
        for (t.stages = one.stages; t.stages > 2 && tensor_shared_bytes(t) > m.dynamic_shared_per_block;) --t.stages;
        if (tensor_shared_bytes(t) > m.dynamic_shared_per_block) continue;
        s.block_threads = 32 * t.warp_rows * t.warp_columns;
        const double cost = tensor_seconds(k, s, m);
        if (best && cost >= most) continue;
        most = cost;
        best = s;
    }
    if (best) best->wide_index = needs_wide_index(k, tensor_overshoot);
    return best;
}

}  // namespace sinter::codegen
