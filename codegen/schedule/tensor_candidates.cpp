// The tiles of products on tensor cores, of which the cheapest is chosen.
#include <codegen/schedule/tensor.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/gemm.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <array>

namespace sinter::codegen {
namespace {

constexpr std::int64_t fewest_groups = 8;  ///< along rows, and along columns: below, most of a fragment is idle
constexpr std::int64_t fewest_steps = 8;

bool goes_along(const loop_nest& k, int v, int axis) {
    return k.values[static_cast<std::size_t>(v)].varies >> axis & 1;
}

/// What the loop may hold: what else there may be is left to other forms.
bool is_plain_loop(const loop_nest& k) {
    return std::all_of(k.values.begin(), k.values.end(), [](const value& v) { return v.loop != 0 || is_plain(v); });
}

bool find_axes(const loop_nest& k, const tensor_factors& f, tensor_tile& t) {
    const auto longest = [&](int factor, int other) {
        int found = -1;
        for (int axis : k.outer) {
            if (!goes_along(k, factor, axis) || goes_along(k, other, axis)) continue;
            if (found < 0 || extent_of(k, axis) >= extent_of(k, found)) found = axis;
        }
        return found;
    };
    t.row_axis = longest(f.rows, f.columns);
    t.column_axis = k.nest_axis >= 0 ? k.nest_axis : longest(f.columns, f.rows);
    if (t.row_axis < 0 || t.column_axis < 0) return false;
    // the lanes of a warp store neighbouring columns
    const auto& stride = k.layouts[static_cast<std::size_t>(k.stores[0].at)].stride;
    if (k.nest_axis < 0 && stride[static_cast<std::size_t>(t.row_axis)] == 1) std::swap(t.row_axis, t.column_axis);
    const std::int64_t rows = extent_of(k, t.row_axis), columns = extent_of(k, t.column_axis);
    const std::int64_t outer_columns = folds_product(k, t) ? 1 : columns;
    const bool idle =
        outer_size(k) > rows * outer_columns && is_small_in_batch(rows * columns, trip_count(k, k.loops[0]));
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

/// A tile's results, groups of 4 warps along both, and blocks that share a multiprocessor.
struct group_tile {
    int rows, columns, row_groups, column_groups, blocks;
};

constexpr std::array<group_tile, 5> group_tiles{{
    {128, 128, 2, 1, 2},
    {128, 256, 2, 1, 1},
    {128, 64, 2, 1, 2},
    {64, 128, 1, 1, 3},
    {64, 64, 1, 1, 4},
}};

/// Of a tile whose steps blocks may divide. How many blocks do is a launch value, so that one kernel serves all.
constexpr int most_results_of_shares = 64 * 64;
constexpr int max_shares = 32, fewest_slices = 2;                        ///< of a tile's steps, and of one share
constexpr int most_stages_of_fetched = 8, fewest_stages_of_fetched = 3;  ///< of what factors are computed of
constexpr int threads_beside_fetched = 512;  ///< that a multiprocessor has at once, by as many blocks
constexpr int most_rows_beside_groups = 64;  ///< of warps, where warpgroups have larger tiles
constexpr int most_stages = 6, fewest_stages_of_groups = 3;
constexpr std::size_t bytes_beside_boxes = 1024;  ///< of a tensor map under construction, and what aligns it
constexpr int rows_of_order = 8;                  ///< tiles of rows that go along the columns together

/// The same with a tile's steps divided among blocks, where there are fewer tiles than multiprocessors.
void add_shares(const loop_nest& k, const device_properties& m, schedule s, std::vector<schedule>& all) {
    const std::int64_t tiles = tiles_of(k, s.tensor), slices = divide_up(trip_count(k, k.loops[0]), s.tensor.depth);
    if (!s.tensor.divides_steps || tiles > m.multiprocessors) return;
    for (s.blocks_per_output = 2; s.blocks_per_output <= max_shares; s.blocks_per_output *= 2)
        if (slices >= fewest_slices * s.blocks_per_output) all.push_back(s);
}

/// Shared memory for each of some blocks of a multiprocessor, which keeps a kilobyte of each.
std::size_t shared_of_each(const device_properties& m, int blocks) {
    return (m.dynamic_shared_per_block + 1024) / static_cast<std::size_t>(blocks) - 1024;
}

void add_warps(const loop_nest& k, const device_properties& m, const tensor_factors& f,
               const std::vector<int>& alignment, schedule s, std::vector<schedule>& all) {
    for (const tensor_shape& one : tensor_shapes) {
        if (m.arch == warpgroup_arch && one.rows > most_rows_beside_groups) continue;
        tensor_tile& t = s.tensor;
        t.rows = one.rows;
        t.columns = one.columns;
        t.warp_rows = one.warp_rows;
        t.warp_columns = one.warp_columns;
        t.depth = one.depth;
        t.divides_steps = k.nest_axis < 0 && one.rows * one.columns <= most_results_of_shares;
        settle_tensor(k, f, alignment, s);
        t.fetches = k.nest_axis < 0 && can_fetch(k, f, t);
        s.block_threads = 32 * t.warp_rows * t.warp_columns;
        const std::size_t shared = t.fetches ? shared_of_each(m, std::max(1, threads_beside_fetched / s.block_threads))
                                             : m.dynamic_shared_per_block;
        const int least = t.fetches ? fewest_stages_of_fetched : 2;
        t.stages = t.fetches ? most_stages_of_fetched : one.stages;
        while (t.stages > least && tensor_shared_bytes(k, t) > shared) --t.stages;
        if (tensor_shared_bytes(k, t) > m.dynamic_shared_per_block) continue;
        if (divide_columns(k, s)) all.push_back(s);
        add_shares(k, m, s, all);
    }
}

/// Rows, steps that a warp has loaded, blocks that share a multiprocessor.
struct register_tile {
    int rows, steps, blocks;
};

constexpr std::array<register_tile, 1> register_tiles{{{16, 32, 5}}};

/// Of a few rows a factor's elements serve one warp alone, which may as well load them itself.
void add_in_registers(const loop_nest& k, const device_properties& m, const tensor_factors& f,
                      const std::vector<int>& alignment, schedule s, std::vector<schedule>& all) {
    if (k.nest_axis >= 0) return;
    for (const register_tile& one : register_tiles) {
        tensor_tile& t = s.tensor;
        t.rows = one.rows;
        t.columns = columns_of_registers;
        t.depth = warps_beside_steps * one.steps;
        t.stages = 0;
        s.blocks_per_multiprocessor = one.blocks;
        t.divides_steps = true;
        settle_tensor(k, f, alignment, s);
        s.block_threads = 32 * warps_beside_steps;
        if (!t.rows_along_steps || !has_wide_steps(k, f, t)) continue;
        all.push_back(s);
        add_shares(k, m, s, all);
    }
}

void add_warpgroups(const loop_nest& k, const device_properties& m, const tensor_factors& f,
                    const std::vector<int>& alignment, schedule s, std::vector<schedule>& all) {
    tensor_tile& t = s.tensor;
    if (m.arch != warpgroup_arch) return;
    t.warpgroups = true;
    t.depth = 64;
    t.rows_together = rows_of_order;
    for (const group_tile& one : group_tiles) {
        t.rows = one.rows;
        t.columns = one.columns;
        t.warp_rows = 4 * one.row_groups;
        t.warp_columns = one.column_groups;
        settle_tensor(k, f, alignment, s);
        s.block_threads = 128 * one.row_groups * one.column_groups;
        s.blocks_per_multiprocessor = one.blocks;
        const std::size_t shared = shared_of_each(m, one.blocks);
        for (t.stages = most_stages; t.stages > fewest_stages_of_groups && tensor_shared_bytes(k, t) > shared;)
            --t.stages;
        if (tensor_shared_bytes(k, t) <= shared && divide_columns(k, s)) all.push_back(s);
    }
}

/// The tiles of a persistent grid, whose blocks have one more warpgroup, which copies. A warpgroup adds up products of
/// float8 numbers 64 rows at a time, so that these sums and those of all slices fit its registers.
constexpr group_tile persistent_tile{128, 256, 2, 1, 1};
constexpr std::array<group_tile, 2> float8_tiles{{{256, 128, 2, 1, 1}, {128, 128, 2, 1, 1}}};
constexpr std::int64_t longest_of_box_map = std::int64_t{1} << 31;

constexpr int most_layer_axes = 3;  ///< of an array that boxes are copied from, beside lines and their elements

/// Whether a factor is an array as it is, in lines that boxes can be copied from: it moves forward along the steps, its
/// side and the axes of a batch, and its lines begin at multiples of 16 bytes.
bool has_boxes(const loop_nest& k, const tensor_tile& t, int factor, int side, const std::vector<int>& alignment) {
    const value& v = k.values[static_cast<std::size_t>(factor)];
    if (v.what != value_kind::load || wide_values(k, t)[static_cast<std::size_t>(factor)] == 0) return false;
    if (is_float8(v.type) && !is_wide(k, {v.at, v.input, v.type, v.loop}, k.loops[0].axes.back(), 16, alignment))
        return false;  // only lines along the steps can be multiplied
    const int steps = k.loops[0].axes.back();
    const auto& stride = k.layouts[static_cast<std::size_t>(v.at)].stride;
    int layers = 0;
    for (std::size_t axis = 0; axis < k.extents.size(); ++axis) {
        const bool of_layer = static_cast<int>(axis) != steps && static_cast<int>(axis) != side;
        if (of_layer && stride[axis] == 0) continue;
        layers += of_layer ? 1 : 0;
        if (stride[axis] < (of_layer ? 2 : 1) || k.extents[axis] >= longest_of_box_map) return false;
    }
    return layers <= most_layer_axes;
}

void add_persistent(const loop_nest& k, const device_properties& m, const tensor_factors& f, const group_tile& tile,
                    const std::vector<int>& alignment, schedule s, std::vector<schedule>& all) {
    tensor_tile& t = s.tensor;
    t.warpgroups = true;
    t.rows_together = rows_of_order;
    t.rows = tile.rows;
    t.columns = tile.columns;
    t.warp_rows = 4 * tile.row_groups;
    t.warp_columns = tile.column_groups;
    settle_tensor(k, f, alignment, s);
    s.block_threads = 128 * (tile.row_groups * tile.column_groups + 1);
    s.blocks_per_multiprocessor = tile.blocks;
    t.persistent_blocks = static_cast<int>(std::min<std::int64_t>(tiles_of(k, t), m.multiprocessors));
    const tensor_factors of = with_columns_along(k, staged_factors(k, t), t.column_axis);
    t.depth = 128 / static_cast<int>(size_of(k.values[static_cast<std::size_t>(of.rows)].type));
    const std::size_t shared = shared_of_each(m, tile.blocks);
    for (t.stages = most_stages; t.stages > 2 && tensor_shared_bytes(k, t) > shared;) --t.stages;
    if (!has_boxes(k, t, of.rows, t.row_axis, alignment) || !has_boxes(k, t, of.columns, t.column_axis, alignment))
        return;
    if (tensor_shared_bytes(k, t) <= shared && divide_columns(k, s)) all.push_back(s);
}

void add_persistent(const loop_nest& k, const device_properties& m, const tensor_factors& f,
                    const std::vector<int>& alignment, const schedule& s, std::vector<schedule>& all) {
    if (m.arch != warpgroup_arch || !m.makes_tensor_maps || k.loops[0].axes.size() > 1) return;
    if (!float8_factors(k, f)) return add_persistent(k, m, f, persistent_tile, alignment, s, all);
    if (!tolerates_float8_sums(k)) return;
    for (const group_tile& one : float8_tiles) add_persistent(k, m, f, one, alignment, s, all);
}

}  // namespace

std::size_t tensor_shared_bytes(const loop_nest& k, const tensor_tile& t) {
    if (is_in_registers(t)) return sizeof(float) * static_cast<std::size_t>(warps_beside_steps * t.rows * t.columns);
    const auto stages = static_cast<std::size_t>(t.stages);
    const auto slices = [&](int factor, int size, bool along) {
        const int lines = along ? size : t.depth, line = along ? t.depth : size;
        const std::size_t bytes = size_of(k.values[static_cast<std::size_t>(factor)].type);
        const auto elements = static_cast<std::size_t>(
            lines * (t.warpgroups ? static_cast<int>(round_up(line, 128 / static_cast<std::int64_t>(bytes)))
                                  : line + tensor_padding));
        const std::size_t fetched = t.fetches ? fetched_bytes(k, t, factor) : 0;
        if (fetched == 0) return bytes * elements * stages;
        return 2 * elements * 2 + fetched * static_cast<std::size_t>(size * t.depth) * stages;
    };
    const tensor_factors of = with_columns_along(k, staged_factors(k, t), t.column_axis);
    const std::size_t staged =
        slices(of.rows, t.rows, t.rows_along_steps) + slices(of.columns, t.columns, t.columns_along_steps);
    const std::size_t beside =
        t.persistent_blocks > 0 ? static_cast<std::size_t>(16 * t.stages) + bytes_beside_boxes : 0;
    if (!folds_product(k, t)) return staged + beside;
    std::size_t of_row = 0;
    for (const int r : k.loops[1].reductions) of_row += size_of(k.values[static_cast<std::size_t>(r)].type);
    return staged + beside + of_row * static_cast<std::size_t>(t.warp_columns * t.rows) + last_block_bytes;
}

std::vector<schedule> tensor_candidates(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    std::vector<schedule> all;
    if (m.arch < oldest_tensor_arch || !is_plain_loop(k) || outer_size(k) == 0) return all;
    const std::optional<tensor_factors> f = k.nest_axis >= 0 ? folded_factors_of(k)
                                            : can_split(k)   ? tensor_factors_of(k)
                                                             : std::nullopt;
    schedule s;
    s.form = schedule_form::tensor;
    if (!f || trip_count(k, k.loops[0]) < fewest_steps || !find_axes(k, *f, s.tensor)) return all;
    s.wide_index = needs_wide_index(k, tensor_overshoot);
    add_persistent(k, m, *f, alignment, s, all);
    add_warpgroups(k, m, *f, alignment, s, all);
    add_warps(k, m, *f, alignment, s, all);
    add_in_registers(k, m, *f, alignment, s, all);
    return all;
}

std::optional<schedule> schedule_tensor(const loop_nest& k, const device_properties& m,
                                        const std::vector<int>& alignment) {
    double most = 0;
    std::optional<schedule> best;
    for (const schedule& s : tensor_candidates(k, m, alignment)) {
        const double cost = tensor_seconds(k, s, m);
        if (best && cost >= most) continue;
        most = cost;
        best = s;
    }
    return best;
}

}  // namespace sinter::codegen
