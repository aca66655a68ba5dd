// The tiles of nested products.
#include <codegen/schedule/nested_products.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/online.hpp>

#include <algorithm>
#include <array>

namespace sinter::codegen {
namespace {

/// Columns, and steps of a product: what registers and shared memory hold.
constexpr std::int64_t nested_widest = 256;

/// Rows of fragments per warp, warps, elements of the nest axis per slice.
struct nested_shape {
    int fragments, warps, elements;
};

/// Of equal cost the first is chosen.
constexpr std::array<nested_shape, 8> nested_shapes{{
    {1, 8, 64},
    {1, 8, 32},
    {1, 4, 64},
    {1, 4, 32},
    {1, 4, 16},
    {2, 4, 32},
    {1, 2, 32},
    {1, 1, 16},
}};

constexpr int registers_of_nested = 255;
constexpr int registers_beside =
    60;  ///< addresses, counters, fragments of the nest axis's factors, an element's values

void settle_nested(const loop_nest& k, const nested_products& of, const std::vector<int>& alignment, schedule& s) {
    tensor_tile& t = s.tensor;
    t.wide_loads = 0;
    int position = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (self.what != value_kind::load) continue;
        const int bit = position++, axis=staged_axis(k, of, v);
        if (bit < 64 && axis >= 0 && is_wide(k, {self.at, self.input, self.type, self.loop}, axis, 8, alignment))
            t.wide_loads |= std::uint64_t{1} << bit;
    }
    const std::vector<access> all = accesses_of(k);
    t.wide_stores =
        of.has_columns() && std::all_of(all.end() - static_cast<std::ptrdiff_t>(k.stores.size()), all.end(),
                                        [&](const access& a) { return is_wide(k, a, t.column_axis, 2, alignment); });
}

std::optional<schedule> nested_axes(const loop_nest& k, const nested_products& of) {
    schedule s;
    s.form = schedule_form::tensor;
    tensor_tile& t = s.tensor;
    t.row_axis = of.row_axis;
    t.column_axis = of.column_axis;
    t.columns = of.has_columns() ? static_cast<int>(round_up(extent_of(k, of.column_axis), 16)) : 1;
    t.depth = 0;
    for (int l = 0; l < of.last(); ++l) {
        const std::int64_t steps = trip_count(k, k.loops[static_cast<std::size_t>(l)]);
        if (steps == 0 || steps > nested_widest) return std::nullopt;
        t.depth = std::max(t.depth, static_cast<int>(round_up(steps, 16)));
    }
    if (t.columns > nested_widest) return std::nullopt;
    t.stages = 2;
    const std::vector<support> where = supports_of_weights(k, of);
    t.skips = std::all_of(where.begin(), where.end(), [](const support& one) { return is_limited(one.indices); });
    t.last_rows_first = t.skips && std::any_of(where.begin(), where.end(),
                                               [&](const support& one) { return last_rows_need_most(k, one, t); });
    s.wide_index = needs_wide_index(k, tensor_overshoot);
    return s;
}

}  // namespace

int nested_registers(const nested_products& of, const schedule& s) {
    const tensor_tile& t = s.tensor;
    const int fragments = t.rows / t.warp_rows / 16, products = of.last();
    int of_row = products * (nested_slice(s) / 2 + (t.rows_in_registers ? t.depth / 4 : 4)) + 4;
    of_row += static_cast<int>(of.results.size()) * (of.has_columns() ? t.columns / 2 : 2);
    return fragments * of_row + registers_beside;
}

std::size_t nested_shared_bytes(const loop_nest& k, const nested_products& of, const schedule& s) {
    const tensor_tile& t = s.tensor;
    const auto slice = [](int size, int depth, bool along) {
        const int lines = along ? size : depth, line = along ? depth : size;
        return static_cast<std::size_t>(lines * (line + tensor_padding));
    };
    std::size_t once = 0, staged = 0;
    for (int l = 0; l < of.last(); ++l) {
        const tensor_factors& f = of.factors[static_cast<std::size_t>(l)];
        once += slice(t.rows, t.depth, is_staged_along_steps(k, f.rows, l, of.row_axis));
        staged += slice(nested_slice(s), t.depth, is_staged_along_steps(k, f.columns, l, k.nest_axis));
    }
    for (const nested_products::result& r : of.results)
        if (r.y >= 0)
            staged += slice(t.columns, nested_slice(s), is_staged_along_steps(k, r.y, of.last(), of.column_axis));
    return 2 * (once + static_cast<std::size_t>(t.stages) * staged);
}

std::vector<schedule> nested_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::vector<schedule> all;
    const std::optional<nested_products> of = m.arch >= oldest_tensor_arch ? nested_products_of(k) : std::nullopt;
    if (!of || outer_size(k) == 0 || extent_of(k, k.nest_axis) == 0) return all;
    if (of->repeat_axis >= 0 && extent_of(k, of->repeat_axis) == 0) return all;
    std::optional<schedule> s = nested_axes(k, *of);
    if (!s) return all;
    settle_nested(k, *of, alignment, *s);
    for (const nested_shape& one : nested_shapes) {
        tensor_tile& t = s->tensor;
        t.warp_rows = one.warps;
        t.rows = 16 * one.fragments * one.warps;
        s->block_threads = 32 * one.warps;
        s->unroll = one.elements;
        t.rows_in_registers = true;
        t.rows_in_registers = nested_registers(*of, *s) <= registers_of_nested;
        // the last shape has the fewest registers: it is there for whatever fits no other
        if (nested_registers(*of, *s) > registers_of_nested && one.elements > 16) continue;
        if (nested_shared_bytes(k, *of, *s) <= m.dynamic_shared_per_block) all.push_back(*s);
    }
    return all;
}

std::optional<schedule> schedule_nested(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::optional<schedule> best;
    double least = 0;
    for (const schedule& s : nested_candidates(k, m, alignment)) {
        const double seconds = nested_seconds(k, s, m);
        if (best && seconds >= least) continue;
        least = seconds;
        best = s;
    }
    return best;
}

}  // namespace sinter::codegen
