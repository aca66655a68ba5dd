// Products on tensor cores. A block stages slices of both factors in shared memory, some steps of the loop each,
// several slices ahead of what is computed; its warps multiply fragments of 16 x 16 elements (mma.sync), or groups of 4
// warps 64 rows at once (wgmma), and keep the sums in registers. A factor may be any expression: it is computed when
// its slice is staged, once for all the rows or columns that it serves. What is a plain array there is copied by
// cp.async, which takes no registers. What follows the sum is computed from the registers, so that it costs no memory.
#include <codegen/schedule/tensor.hpp>

#include <codegen/ir/is_op.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/ir/value_at.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

bool goes_along(const value& v, int axis) { return v.varies >> axis & 1; }

}  // namespace

int half_of(const loop_nest& k, int v, int loop) {
    const value& self = value_at(k, v);
    if (self.what != value_kind::cast || self.type != dtype::float32) return -1;
    const value& from = value_at(k, self.in[0]);
    return is_half(from.type) && from.loop == loop ? self.in[0] : -1;
}

bool is_plain(const value& v) {
    return v.what == value_kind::elementwise || v.what == value_kind::cast ||
           (v.what == value_kind::load && v.in[0] < 0);
}

std::vector<int> values_of_factor(const loop_nest& k, int factor, int loop) {
    std::vector<char> used(k.values.size(), 0);
    used[static_cast<std::size_t>(factor)] = 1;
    std::vector<int> all;
    for (int v = factor; v >= 0; --v) {
        if (used[static_cast<std::size_t>(v)] == 0 || value_at(k, v).loop != loop) continue;
        for (int in : value_at(k, v).in)
            if (in >= 0) used[static_cast<std::size_t>(in)] = 1;
        all.push_back(v);
    }
    return all;
}

bool is_staged_along_steps(const loop_nest& k, int factor, int loop, int axis) {
    const int steps = k.loops[static_cast<std::size_t>(loop)].axes.back();
    bool result = true;
    for (const int of : values_of_factor(k, factor, loop)) {
        const value& v = value_at(k, of);
        if (v.what != value_kind::load || !goes_along(v, axis)) continue;
        const auto& stride = k.layouts[static_cast<std::size_t>(v.at)].stride;
        result = stride[static_cast<std::size_t>(axis)] != 1 && stride[static_cast<std::size_t>(steps)] == 1;
    }
    return result;
}

bool is_plain_factor(const loop_nest& k, int factor, int loop) {
    const std::vector<int> all = values_of_factor(k, factor, loop);
    return std::all_of(all.begin(), all.end(), [&](int v) { return is_plain(value_at(k, v)); });
}

tensor_factors with_columns_along(const loop_nest& k, tensor_factors f, int axis) {
    if (!goes_along(value_at(k, f.columns), axis)) std::swap(f.rows, f.columns);
    return f;
}

bool has_one_loop(const loop_nest& k) { return k.nest_axis < 0 && k.loops.size() == 1 && !folds_groups(k); }

std::optional<tensor_factors> tensor_factors_of(const loop_nest& k) {
    return has_one_loop(k) ? tensor_factors_in(k) : std::nullopt;
}

std::optional<tensor_factors> summed_product_in(const loop_nest& k, int loop) {
    const std::vector<int>& reductions = k.loops[static_cast<std::size_t>(loop)].reductions;
    if (reductions.size() != 1) return std::nullopt;
    const value& sum = value_at(k, reductions[0]);
    if (!is_op(sum, builtin_op::sum) || sum.type != dtype::float32) return std::nullopt;
    const value& product = value_at(k, sum.in[0]);
    if (product.what != value_kind::elementwise || !is_op(product, builtin_op::multiply)) return std::nullopt;
    if (product.type != dtype::float32) return std::nullopt;
    return tensor_factors{reductions[0], product.in[0], product.in[1]};
}

std::optional<tensor_factors> tensor_factors_in(const loop_nest& k, int loop) {
    std::optional<tensor_factors> f = summed_product_in(k, loop);
    if (!f) return std::nullopt;
    f->rows = half_of(k, f->rows, loop);
    f->columns = half_of(k, f->columns, loop);
    if (f->rows < 0 || f->columns < 0 || value_at(k, f->rows).type != value_at(k, f->columns).type) return std::nullopt;
    return f;
}

std::optional<tensor_factors> float8_factors(const loop_nest& k, const tensor_factors& f) {
    const auto is_array = [&](int factor) {
        if (value_at(k, factor).what != value_kind::cast) return false;
        const value& from = value_at(k, value_at(k, factor).in[0]);
        return is_float8(from.type) && from.what == value_kind::load && from.in[0] < 0 && from.loop == 0;
    };
    if (!is_array(f.rows) || !is_array(f.columns)) return std::nullopt;
    return tensor_factors{f.sum, value_at(k, f.rows).in[0], value_at(k, f.columns).in[0]};
}

bool tolerates_float8_sums(const loop_nest& k) {
    return std::all_of(k.outputs.begin(), k.outputs.end(), [&](dtype type) {
        return is_float8(type) || type == dtype::bfloat16 || (is_half(type) && k.precision == arithmetic::fast);
    });
}

tensor_factors staged_factors(const loop_nest& k, const tensor_tile& t) {
    const tensor_factors f = *tensor_factors_in(k);
    return t.persistent_blocks > 0 ? float8_factors(k, f).value_or(f) : f;
}

std::int64_t tiles_of(const loop_nest& k, const tensor_tile& t) {
    const std::int64_t rows = extent_of(k, t.row_axis), columns = t.column_axis < 0 ? 1 : extent_of(k, t.column_axis);
    if (outer_size(k) == 0) return 0;
    const std::int64_t layers = outer_size(k) / rows / (folds_product(k, t) ? 1 : columns);
    return layers * divide_up(rows, t.rows) * divide_up(columns, t.columns);
}

std::vector<char> wide_values(const loop_nest& k, const tensor_tile& t) {
    std::vector<char> wide;
    int position = 0;
    for (const value& v : k.values) {
        const int bit = v.what == value_kind::load ? position++ : 64;
        wide.push_back(bit < 64 && (t.wide_loads >> bit & 1) != 0);
    }
    return wide;
}

int neighbours_axis(const loop_nest& k, const value& load, const tensor_tile& t) {
    const bool of_rows = goes_along(load, t.row_axis), of_columns = goes_along(load, t.column_axis);
    if (load.loop != 0) return t.wide_stores && of_columns && load.in[0] < 0 ? t.column_axis : -1;
    const int along_steps = k.loops[0].axes.back();
    if (!of_rows && !of_columns) return goes_along(load, along_steps) ? along_steps : -1;
    const bool steps = of_rows ? t.rows_along_steps : t.columns_along_steps;
    return steps ? along_steps : of_rows ? t.row_axis : t.column_axis;
}

namespace {

bool is_copied(const loop_nest& k, const tensor_tile& t, int factor) {
    return value_at(k, factor).what == value_kind::load && wide_values(k, t)[static_cast<std::size_t>(factor)] != 0;
}

/// The loads that change from slice to slice.
std::vector<int> fetched_loads(const loop_nest& k, int factor) {
    std::vector<int> all;
    for (const int v : values_of_factor(k, factor, 0))
        if (value_at(k, v).what == value_kind::load && goes_along(value_at(k, v), k.loops[0].axes.back()))
            all.push_back(v);
    return all;
}

}  // namespace

std::optional<scaled_bytes> scaled_bytes_of(const loop_nest& k, int factor, const std::vector<char>& wide) {
    const auto operand_of_cast = [&](int v, dtype type) {
        return v >= 0 && value_at(k, v).what == value_kind::cast && value_at(k, v).type == type ? value_at(k, v).in[0]
                                                                                                : -1;
    };
    const auto is_bytes = [&](int v) {
        return v >= 0 && value_at(k, v).what == value_kind::load && value_at(k, v).loop == 0 &&
               wide[static_cast<std::size_t>(v)] != 0 &&
               (value_at(k, v).type == dtype::int8 || value_at(k, v).type == dtype::uint8);
    };
    const int rounded = operand_of_cast(factor, dtype::float16);
    if (is_bytes(rounded)) return scaled_bytes{rounded, -1};
    if (rounded < 0 || value_at(k, rounded).what != value_kind::elementwise ||
        !is_op(value_at(k, rounded), builtin_op::multiply))
        return std::nullopt;
    for (const int side : {0, 1}) {
        const int whole = operand_of_cast(value_at(k, rounded).in[static_cast<std::size_t>(side)], dtype::float32);
        const int load = is_bytes(whole) ? whole : operand_of_cast(whole, dtype::float16);
        const int scale = operand_of_cast(value_at(k, rounded).in[static_cast<std::size_t>(1 - side)], dtype::float32);
        if (is_bytes(load) && scale >= 0 && value_at(k, scale).type == dtype::float16 && value_at(k, scale).loop != 0)
            return scaled_bytes{load, scale};
    }
    return std::nullopt;
}

std::size_t fetched_bytes(const loop_nest& k, const tensor_tile& t, int factor) {
    std::size_t all = 0;
    if (is_copied(k, t, factor)) return all;
    for (const int v : fetched_loads(k, factor)) all += size_of(value_at(k, v).type);
    return all;
}

bool can_fetch(const loop_nest& k, const tensor_factors& f, const tensor_tile& t) {
    if (k.loops[0].axes.size() > 1) return false;
    const tensor_factors of = with_columns_along(k, f, t.column_axis);
    const std::vector<char> wide = wide_values(k, t);
    const int block_threads = 32 * t.warp_rows * t.warp_columns;
    bool fetches = false;
    for (const int factor : {of.rows, of.columns}) {
        if (is_copied(k, t, factor)) continue;
        const bool is_row = factor == of.rows, along_steps = is_row ? t.rows_along_steps : t.columns_along_steps;
        const int fast = along_steps ? k.loops[0].axes.back() : is_row ? t.row_axis : t.column_axis;
        const int chunks_of_line = (along_steps ? t.depth : is_row ? t.rows : t.columns) / 8;
        if (block_threads % chunks_of_line != 0) return false;
        for (const int v : fetched_loads(k, factor))
            if (wide[static_cast<std::size_t>(v)] == 0 || !goes_along(value_at(k, v), fast) ||
                size_of(value_at(k, v).type) > 2)
                return false;
        fetches = true;
    }
    return fetches;
}

bool has_wide_steps(const loop_nest& k, const tensor_factors& f, const tensor_tile& t) {
    if (k.loops[0].axes.size() > 1) return false;
    const tensor_factors of = with_columns_along(k, f, t.column_axis);
    const std::vector<char> wide = wide_values(k, t);
    for (const int factor : {of.rows, of.columns}) {
        const bool is_row = factor == of.rows, along_steps = is_row ? t.rows_along_steps : t.columns_along_steps;
        const int fast = along_steps ? k.loops[0].axes.back() : is_row ? t.row_axis : t.column_axis;
        for (const int v : fetched_loads(k, factor))
            if (wide[static_cast<std::size_t>(v)] == 0 && goes_along(value_at(k, v), fast)) return false;
    }
    return true;
}

void settle_tensor(const loop_nest& k, const tensor_factors& f, const std::vector<int>& alignment, schedule& s) {
    tensor_tile& t = s.tensor;
    const tensor_factors of = with_columns_along(k, f, t.column_axis);
    t.rows_along_steps = is_staged_along_steps(k, of.rows, 0, t.row_axis);
    t.columns_along_steps = is_staged_along_steps(k, of.columns, 0, t.column_axis);
    const std::vector<access> all = accesses_of(k);
    const auto are_stores_wide = [&](int neighbours) {
        return std::all_of(all.end() - static_cast<std::ptrdiff_t>(k.stores.size()), all.end(),
                           [&](const access& a) { return is_wide(k, a, t.column_axis, neighbours, alignment); });
    };
    t.wide_stores = are_stores_wide(2);
    t.exchanges = t.columns / t.warp_columns % exchanged_columns == 0 && are_stores_wide(8);
    t.wide_loads = 0;
    int position = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int bit = position++, axis=neighbours_axis(k, v, t);
        if (bit < 64 && axis >= 0 && is_wide(k, {v.at, v.input, v.type, v.loop}, axis, neighbours_of(v, t), alignment))
            t.wide_loads |= std::uint64_t{1} << bit;
    }
}

}  // namespace sinter::codegen
