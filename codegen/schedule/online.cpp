// Finding such sums, and their tiles.
#include <codegen/schedule/online.hpp>

#include <codegen/ir/is_op.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <array>

namespace sinter::codegen {
namespace {

/// Columns, and steps of the first product: what registers and shared memory hold.
constexpr std::int64_t online_widest = 256;

class online_reader {
public:
    explicit online_reader(const loop_nest& k) : k_(k) {}

    std::optional<online_sums> read() {
        if (k_.nest_axis < 0 || k_.loops.size() != 4 || has_scans(k_) || folds_groups(k_)) return std::nullopt;
        for (const inner_loop& l : k_.loops)
            if (l.reductions.size() != 1 || l.axes.size() != 1) return std::nullopt;
        for (const kernel_store& s : k_.stores)
            if (s.loop != group_level) return std::nullopt;
        const std::optional<tensor_factors> scores = split_factors_in(k_);
        if (!scores || !read_loops()) return std::nullopt;
        sums_.scores = *scores;
        return sums_;
    }

private:
    const value& of(int v) const { return k_.values[static_cast<std::size_t>(v)]; }
    int reduction(int loop) const { return k_.loops[static_cast<std::size_t>(loop)].reductions[0]; }
    bool is_op(int v, builtin_op op) const {
        return v >= 0 && codegen::is_op(of(v), op) && of(v).type == dtype::float32;
    }
    /// The half number that a value is, as float32.
    int half_of(int v) const {
        if (v < 0 || of(v).what != value_kind::cast || of(v).type != dtype::float32) return -1;
        return is_half(of(of(v).in[0]).type) ? of(v).in[0] : -1;
    }

    bool read_loops() {
        sums_.maximum = reduction(1);
        sums_.total = reduction(2);
        sums_.result = reduction(3);
        if (!is_op(sums_.maximum, builtin_op::max) || !is_op(sums_.total, builtin_op::sum) ||
            !is_op(sums_.result, builtin_op::sum))
            return false;
        sums_.x = of(sums_.maximum).in[0];
        sums_.exponential = of(sums_.total).in[0];
        if (!is_exponential(sums_.exponential)) return false;
        sums_.difference = of(sums_.exponential).in[0];
        return read_product();
    }

    /// exp(x - maximum), in whatever loop.
    bool is_exponential(int v) const {
        if (!is_op(v, builtin_op::exp)) return false;
        const int difference = of(v).in[0];
        return is_op(difference, builtin_op::subtract) && of(difference).in[1] == sums_.maximum &&
               are_equal(of(difference).in[0], sums_.x);
    }

    bool read_product() {
        const int product = of(sums_.result).in[0];
        if (!is_op(product, builtin_op::multiply)) return false;
        const std::vector<char> weights = dependents_of(k_, sums_.maximum);
        const int side = weights[static_cast<std::size_t>(of(product).in[0])] != 0 ? 0 : 1;
        const int weight = of(product).in[static_cast<std::size_t>(side)];
        const int y = of(product).in[static_cast<std::size_t>(1 - side)];
        sums_.weight = half_of(weight);
        sums_.y = half_of(y);
        if (sums_.weight >= 0 && sums_.y >= 0) {
            if (of(sums_.weight).type != of(sums_.y).type || of(sums_.weight).what != value_kind::cast) return false;
        } else {
            sums_.weight = weight;
            sums_.y = split_factor(k_, y, 3);
            if (sums_.y < 0) return false;
        }
        return weights[static_cast<std::size_t>(sums_.y)] == 0 && of(sums_.y).loop == 3 && read_weight();
    }

    /// What becomes of an exponential. What is the same for all of a sum is applied to the sum.
    bool read_weight() {
        const bool is_rounded = is_half(of(sums_.weight).type);
        const linear_chain chain =
            linear_chain_to(k_, is_rounded ? of(sums_.weight).in[0] : sums_.weight, sums_.maximum);
        if (!is_exponential(chain.of)) return false;
        const std::vector<char> scores = dependents_of(k_, reduction(0)), maxima = dependents_of(k_, sums_.maximum);
        for (const linear_value& l : chain.values) {
            const std::vector<int> beside = operands_beside(k_, {l});
            const bool is_common = std::all_of(beside.begin(), beside.end(), [&](int v) {
                return of(v).loop == group_level && of(v).type == of(l.value).type;
            });
            (is_common ? sums_.of_sums : sums_.of_weights).push_back(l);
            if (is_common) continue;
            for (const int v : beside)
                if (scores[static_cast<std::size_t>(v)] != 0 || maxima[static_cast<std::size_t>(v)] != 0) return false;
        }
        return true;
    }

    /// Whether two values, in loops that go along the same places, are the same at each of them.
    bool are_equal(int u, int v) const {
        if (u == v) return true;
        if (u < 0 || v < 0) return false;
        const value &a = of(u), &b = of(v);
        if (a.what != b.what || a.type != b.type || a.op != b.op || a.bits != b.bits || a.scalar != b.scalar ||
            a.input != b.input || (a.at < 0) != (b.at < 0) || a.what == value_kind::reduce)
            return false;
        if (a.at >= 0 && !lie_alike(a, b)) return false;
        for (std::size_t i = 0; i < a.in.size(); ++i)
            if (!are_equal(a.in[i], b.in[i])) return false;
        return true;
    }

    bool lie_alike(const value& a, const value& b) const {
        const auto stride = [&](const value& v, int axis) {
            return k_.layouts[static_cast<std::size_t>(v.at)].stride[static_cast<std::size_t>(axis)];
        };
        const auto along = [&](const value& v) {
            return v.loop > 0 ? stride(v, k_.loops[static_cast<std::size_t>(v.loop)].axes[0]) : 0;
        };
        return along(a) == along(b) && std::all_of(k_.outer.begin(), k_.outer.end(),
                                                   [&](int axis) { return stride(a, axis) == stride(b, axis); });
    }

    const loop_nest& k_;
    online_sums sums_;
};

}  // namespace

std::vector<int> operands_beside(const loop_nest& k, const std::vector<linear_value>& f) {
    std::vector<int> found;
    for (const linear_value& l : f)
        for (std::size_t i = 0; i < ir::max_operands; ++i) {
            const int in = k.values[static_cast<std::size_t>(l.value)].in[i];
            if (i != l.operand && in >= 0) found.push_back(in);
        }
    return found;
}

std::vector<int> values_of_weights(const loop_nest& k, const online_sums& sums) {
    std::vector<char> needed(k.values.size(), 0);
    std::vector<int> found;
    for (const linear_value& l : sums.of_weights) found.push_back(l.value);
    for (const int v : operands_beside(k, sums.of_weights)) needed[static_cast<std::size_t>(v)] = 1;
    for (auto v = static_cast<int>(k.values.size()); v-- > 0;) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (needed[static_cast<std::size_t>(v)] == 0 || self.loop != 3) continue;
        found.push_back(v);
        for (const int in : self.in)
            if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    }
    return found;
}

std::optional<online_sums> online_sums_of(const loop_nest& k) { return online_reader(k).read(); }

bool is_y_along_steps(const loop_nest& k, const online_sums& sums, const tensor_tile& t) {
    return is_staged_along_steps(k, sums.y, 3, t.column_axis);
}

void settle_online(const loop_nest& k, const online_sums& sums, const std::vector<int>& alignment, schedule& s) {
    tensor_tile& t = s.tensor;
    const tensor_factors scores = with_columns_along(k, sums.scores, k.nest_axis);
    t.rows_along_steps = is_staged_along_steps(k, scores.rows, 0, t.row_axis);
    t.columns_along_steps = is_staged_along_steps(k, scores.columns, 0, k.nest_axis);
    t.wide_loads = 0;
    int position = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int bit = position++;
        const int axis = neighbours_axis(k, v, t, is_y_along_steps(k, sums, t));
        if (bit < 64 && axis >= 0 &&
            is_wide(k, {v.at, v.input, v.type, v.loop}, axis, neighbours_loaded(v, t), alignment))
            t.wide_loads |= std::uint64_t{1} << bit;
    }
    const std::vector<access> all = accesses_of(k);
    t.wide_stores =
        std::all_of(all.end() - static_cast<std::ptrdiff_t>(k.stores.size()), all.end(), [&](const access& a) {
            return stride_of(k, a, t.column_axis) == 0 || is_wide(k, a, t.column_axis, 2, alignment);
        });
}

int neighbours_axis(const loop_nest& k, const value& load, const tensor_tile& t, bool y_along_steps) {
    const auto varies = [&](int axis) { return (load.varies >> axis & 1) != 0; };
    if (load.loop == 0 && varies(t.row_axis)) return t.rows_along_steps ? k.loops[0].axes.back() : t.row_axis;
    if (load.loop == 0 && varies(k.nest_axis)) return t.columns_along_steps ? k.loops[0].axes.back() : k.nest_axis;
    if (load.loop == 1 && load.in[0] < 0 && varies(k.loops[1].axes[0])) return k.loops[1].axes[0];
    if (load.loop == 3 && varies(t.column_axis)) return y_along_steps ? k.loops[3].axes.back() : t.column_axis;
    if (load.loop == 3 && load.in[0] < 0 && varies(k.loops[3].axes[0])) return k.loops[3].axes[0];
    return -1;
}

namespace {

/// Rows of fragments per warp, warps, elements of the nest axis per slice.
struct online_shape {
    int fragments, warps, elements;
};

/// Of equal cost the first is chosen.
constexpr std::array<online_shape, 11> online_shapes{{
    {2, 4, 64},
    {2, 4, 32},
    {2, 2, 64},
    {2, 2, 32},
    {1, 8, 64},
    {1, 8, 32},
    {1, 4, 64},
    {1, 4, 32},
    {1, 2, 64},
    {1, 2, 32},
    {1, 1, 32},
}};

/// Groups of 4 warps, each with 64 rows, and elements of the nest axis per slice.
struct warpgroup_shape {
    int groups, elements;
};

constexpr std::array<warpgroup_shape, 4> warpgroup_shapes{{{2, 128}, {2, 64}, {1, 128}, {1, 64}}};

/// Of float32 factors only: parts take more registers and shared memory.
constexpr std::array<online_shape, 3> split_shapes{{{1, 8, 16}, {1, 4, 16}, {1, 2, 16}}};

/// Whether products of warpgroups can read the factors of the nest axis as they are copied. Rows that are neighbours in
/// memory are left to warps: that layout of a left factor has run in the emulator alone.
bool suits_warpgroups(const loop_nest& k, const online_sums& sums, const schedule& s) {
    if (has_split_factors(k, sums)) return false;
    const int along_nest = with_columns_along(k, sums.scores, k.nest_axis).columns;
    int position = 0, copied = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        if (k.values[static_cast<std::size_t>(v)].what != value_kind::load) continue;
        const int bit = position++;
        const bool wide = bit < 64 && (s.tensor.wide_loads >> bit & 1) != 0;
        if (wide && (v == along_nest || v == sums.y)) ++copied;
    }
    return copied == 2 && s.tensor.rows_along_steps;
}

void add_warpgroups(const loop_nest& k, const device_properties& m, const online_sums& sums, schedule s,
                    std::vector<schedule>& all) {
    tensor_tile& t = s.tensor;
    if (m.arch != warpgroup_arch || !suits_warpgroups(k, sums, s)) return;
    t.warpgroups = true;
    t.rows_in_registers = false;
    for (const warpgroup_shape& one : warpgroup_shapes) {
        t.warp_rows = 4 * one.groups;
        t.rows = 64 * one.groups;
        s.block_threads = 128 * one.groups;
        s.unroll = one.elements;
        const int fit = registers_of_multiprocessor / (s.block_threads * online_registers(k, sums, s));
        if (online_registers(k, sums, s) > max_registers_of_thread) continue;
        if (online_shared_bytes(k, sums, s) > m.dynamic_shared_per_block) continue;
        s.blocks_per_multiprocessor = std::min(fit, 4 / one.groups);
        all.push_back(s);
    }
}

void add_warps(const loop_nest& k, const device_properties& m, const online_sums& sums,
               const std::vector<int>& alignment, schedule s, std::vector<schedule>& all) {
    tensor_tile& t = s.tensor;
    std::vector<online_shape> shapes(online_shapes.begin(), online_shapes.end());
    if (has_split_factors(k, sums)) shapes.insert(shapes.end(), split_shapes.begin(), split_shapes.end());
    for (const online_shape& one : shapes) {
        t.warp_rows = one.warps;
        t.rows = 16 * one.fragments * one.warps;
        s.block_threads = 32 * one.warps;
        s.unroll = one.elements;
        t.rows_in_registers = true;
        t.rows_in_registers = loads_ahead(k, sums, s);
        if (!fits_registers(k, sums, s)) continue;
        settle_online(k, sums, alignment, s);
        if (online_shared_bytes(k, sums, s) <= m.dynamic_shared_per_block) all.push_back(s);
    }
}

/// The axes of rows and columns, their tile, and what masks exclude.
std::optional<schedule> online_axes(const loop_nest& k, const online_sums& sums) {
    const auto varies = [&](int v, int axis) {
        return (k.values[static_cast<std::size_t>(v)].varies >> axis & 1) != 0;
    };
    const tensor_factors scores = with_columns_along(k, sums.scores, k.nest_axis);
    const int rows = scores.rows, columns = scores.columns;
    if (varies(rows, k.nest_axis) || !is_plain_factor(k, rows, 0) || !is_plain_factor(k, columns, 0) ||
        !is_plain_factor(k, sums.y, 3))
        return std::nullopt;
    schedule s;
    s.form = schedule_form::tensor;
    tensor_tile& t = s.tensor;
    for (int axis : k.outer) {
        const bool of_scores = varies(sums.exponential, axis) || varies(rows, axis) || varies(columns, axis);
        if (!of_scores && varies(sums.y, axis)) {
            if (t.column_axis >= 0) return std::nullopt;
            t.column_axis = axis;
        } else if (varies(rows, axis) && !varies(columns, axis) && !varies(sums.y, axis)) {
            if (t.row_axis < 0 || extent_of(k, axis) >= extent_of(k, t.row_axis)) t.row_axis = axis;
        }
    }
    const std::int64_t steps = trip_count(k, k.loops[0]);
    if (t.row_axis < 0 || t.column_axis < 0 || steps == 0 || steps > online_widest ||
        extent_of(k, t.column_axis) > online_widest)
        return std::nullopt;
    t.columns = static_cast<int>(round_up(extent_of(k, t.column_axis), 16));
    t.depth = static_cast<int>(round_up(steps, 16));
    t.stages = 2;
    const support mask = support_of_scores(k, sums, t);
    t.skips = is_limited(mask.indices);
    t.last_rows_first = t.skips && last_rows_need_most(k, mask, t);
    return s;
}

}  // namespace

std::vector<schedule> online_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::vector<schedule> all;
    const std::optional<online_sums> sums = m.arch >= oldest_tensor_arch ? online_sums_of(k) : std::nullopt;
    if (!sums || outer_size(k) == 0 || extent_of(k, k.nest_axis) == 0) return all;
    std::optional<schedule> s = online_axes(k, *sums);
    if (!s) return all;
    s->wide_index = needs_wide_index(k, tensor_overshoot);
    add_warps(k, m, *sums, alignment, *s, all);
    settle_online(k, *sums, alignment, *s);
    add_warpgroups(k, m, *sums, *s, all);
    return all;
}

std::optional<schedule> schedule_online(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::optional<schedule> best;
    double least = 0;
    for (const schedule& s : online_candidates(k, m, alignment)) {
        const double seconds = online_seconds(k, s, m);
        if (best && seconds >= least) continue;
        least = seconds;
        best = s;
    }
    return best;
}

}  // namespace sinter::codegen
