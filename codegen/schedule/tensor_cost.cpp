// How long products on tensor cores take: a throughput for each thing that a multiprocessor does, combined by a norm,
// since what is nearly as slow as the slowest adds a part of its time, and the latency of slices where few warps hide
// it. Rates are a multiprocessor's, in cycles.
#include <codegen/schedule/tensor.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/kernel_work.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/schedule/tensor_rates.hpp>
#include <codegen/transforms/even_indices.hpp>
#include <sinter/op/builtin.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sinter::codegen {
namespace {

// Fitted to the times of products of 256 to 4096 rows, columns and steps by the tiles of schedule/tensor.cpp on an
// H200, which they give within a sixth; cuBLASLt's likewise.
constexpr double most_multiplications = 800;  ///< by mma.sync, which knows no more of newer tensor cores, a cycle
constexpr double of_persistent_tensor_cores = 0.87;  ///< of their rate, what a persistent grid reaches,
constexpr double of_float8_tensor_cores = 0.78;      ///< of twice the rate, of float8 numbers: 4096^3, 8192^3
constexpr double slowdown_of_layers = 1.9;           ///< of an epilogue by a persistent grid's 8 warps, in a batch
constexpr double function_instructions = 30, slowdown_by_spills = 4;
constexpr double busy_threads = 512;           ///< of a multiprocessor: fewer do not compute at its rate
constexpr double registers_beside_sums = 50;   ///< of a thread, beside its sums and what it stages
constexpr double registers_beside_loads = 40;  ///< likewise, of a thread that has its factors in registers
constexpr double writes_of_sector = 8;   ///< by stores of single results, each of which the second-level cache merges
constexpr double cycles_of_slice = 300;  ///< a barrier, and what waits for memory
constexpr double cycles_of_copy = 15;    ///< 16 bytes of each thread of 4 warps
constexpr double copied_bytes_per_cycle = 55;     ///< from the second-level cache, for products of warpgroups,
constexpr double copied_bytes_beside_folds = 45;  ///< likewise, where columns are folded: fitted to both sizes of
constexpr double cycles_of_lone_fold = 4000;      ///< tiles, for 128 and 4096 steps; what no other block hides
constexpr double cycles_of_copied_slice = 200;    ///< and two barriers and the wait for a slice
constexpr double cycles_of_computed = 400;        ///< until what is to be computed is in registers
constexpr double instructions_of_result = 20;     ///< where it lies, and its store; of those of 8 neighbours that
constexpr double instructions_of_exchanged = 13;  ///< lanes exchange
constexpr double instructions_of_column = 4;      ///< where it lies, of a result that is folded
constexpr double instructions_one_by_one = 8;     ///< of an element that is not loaded with its neighbours
constexpr double seconds_of_last_fold = 3e-6;     ///< of the partial results of all blocks, by the last one
constexpr double seconds_of_ticket = 1.5e-6;      ///< until the last block sees what the others have stored
constexpr double seconds_of_cached_load = 0.3e-6;
constexpr double bytes_in_flight = 32;  ///< of a thread that adds shares
constexpr double instructions_of_conversion = 8, instructions_of_widened = 3, instructions_of_scaled = 4;
constexpr double launch_of_online = 2.4e-6;
constexpr double cycles_of_nest_slice = 800;   ///< of one block: another one hides half
constexpr double cycles_around_slices = 2000;  ///< until the first slice is there, and from the last one on
constexpr double cycles_of_group_slice = 650;  ///< a barrier, products and exchanges; other blocks hide them
constexpr double exponentials_per_cycle = 16;
constexpr double instructions_of_score = 8;  ///< an exponential and what keeps the running sums
constexpr double instructions_of_exponential = 3;
constexpr double shared_bytes_per_cycle = 128;
constexpr double cached_bytes_per_second = 5.5e12;

double instructions_of(const value& v) {
    if (v.op == nullptr) return 1;
    const op_traits t = traits_of(*v.op);
    return 1 + t.steps + function_instructions * (t.functions + t.divisions);
}

/// An integer takes as long as so many instructions to become a float, but neighbouring bytes become floats together,
/// whether as half or as float32 numbers.
double instructions_of_cast(const loop_nest& k, const std::vector<char>& wide, const value& v) {
    const auto operand = [&](const value& of) { return static_cast<std::size_t>(of.in[0]); };
    const auto is_widened = [&](const value& of) {
        if (of.what != value_kind::cast || wide[operand(of)] == 0) return false;
        const value& from = k.values[operand(of)];
        return from.what == value_kind::load && size_of(from.type) == 1 && is_integer(from.type);
    };
    if (is_widened(v)) return instructions_of_widened;
    if (is_widened(k.values[operand(v)])) return 0;
    const bool converts = is_floating(v.type) && is_integer(k.values[operand(v)].type);
    return converts ? 1 + instructions_of_conversion : 1;
}

/// Instructions for an element of a factor: 0 where it is copied as it is.
double instructions_of_factor(const loop_nest& k, const std::vector<char>& wide, int factor, int loop = 0) {
    if (loop == 0 && scaled_bytes_of(k, factor, wide)) return instructions_of_scaled;
    double all = 0;
    for (const int v : values_of_factor(k, factor, loop)) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (self.what == value_kind::cast)
            all += instructions_of_cast(k, wide, self);
        else if (self.what != value_kind::load)
            all += instructions_of(self);
        else if (wide[static_cast<std::size_t>(v)] == 0)
            all += instructions_one_by_one;
    }
    return k.values[static_cast<std::size_t>(factor)].what == value_kind::load ? all : all + 4;
}

/// Of a thread that stages slices of a factor, or loads its own: a register for each element that is loaded alone.
double registers_of_factor(const loop_nest& k, const std::vector<char>& wide, int factor, double elements,
                           bool is_copied) {
    double all = 0;
    for (const int v : values_of_factor(k, factor, 0)) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        const bool is_wide = wide[static_cast<std::size_t>(v)] != 0;
        if (self.what != value_kind::load || (v == factor && is_wide && is_copied)) continue;
        all += elements * (is_wide ? static_cast<double>(size_of(self.type)) / 4 : 1);
    }
    return all;
}

double bytes_stored(const loop_nest& k) {
    double all = 0;
    for (const kernel_store& st : k.stores)
        all += static_cast<double>(outer_size(k)) *
               static_cast<double>(size_of(k.outputs[static_cast<std::size_t>(st.output)]));
    return all;
}

/// For each result.
double instructions_after(const loop_nest& k, const tensor_tile& t) {
    double all = 0;
    for (const value& v : k.values)
        if (v.loop != 0 && v.over != 0 && v.stage > 0) all += instructions_of(v);
    if (t.persistent_blocks > 0 && k.outer.size() > 2) all *= slowdown_of_layers;
    return all + (t.exchanges ? instructions_of_exchanged : instructions_of_result);
}

/// For each result that is folded and not stored.
double instructions_of_fold(const loop_nest& k) {
    double all = instructions_of_column;
    for (const value& v : k.values) {
        const bool of_column = v.loop == 1 || v.loop == nest_level || v.over == 1;
        if (of_column && v.over != 0) all += v.what == value_kind::load ? instructions_one_by_one : instructions_of(v);
    }
    return all;
}

/// For a score, what computes it of the sum of products included, and what multiplies its exponential.
double instructions_for_score(const loop_nest& k, const online_sums& sums) {
    double all = instructions_of_score;
    const auto add = [&](const value& v) {
        all += v.what == value_kind::load ? instructions_one_by_one : instructions_of(v);
        if (shares_with_neighbour(k, v)) all -= traits_of(*v.op).shared / 2.0;
    };
    for (const value& v : k.values)
        if (v.loop == 1) add(v);
    for (const int v : values_of_weights(k, sums)) add(k.values[static_cast<std::size_t>(v)]);
    return all;
}

/// Of fragments, a cycle of a multiprocessor.
double multiplications(const architecture& a) {
    return std::min(most_multiplications, of_tensor_cores * a.tensor_products);
}

/// Blocks of so many bytes of shared memory that fit a multiprocessor.
double blocks_that_fit(const architecture& a, std::size_t shared_bytes) {
    const auto bytes = static_cast<double>(shared_bytes) + 1024.0 * a.reserved_kilobytes;
    return std::floor(1024.0 * a.shared_kilobytes / bytes);
}

/// Of the last block, which adds the sums of all blocks of a tile.
double seconds_of_shares(const schedule& s) {
    const double bytes = 4.0 * s.tensor.rows * s.tensor.columns * s.blocks_per_output;
    return seconds_of_ticket + bytes / (bytes_in_flight * s.block_threads) * seconds_of_cached_load;
}

/// Cycles of all slices and of what follows them, of blocks that share a multiprocessor: while one of them waits,
/// others go on. Products and copies from the second-level cache are under way at once, and hinder one another.
double cycles_of_group_tiles(const tensor_tile& t, double at_once, double slices, double computing, double after,
                             bool folds) {
    const architecture& a = architecture_of(warpgroup_arch);
    const double products = static_cast<double>(t.rows) * t.columns * t.depth / a.tensor_products;
    const double per_cycle = folds ? copied_bytes_beside_folds : copied_bytes_per_cycle;
    const double copying = 2.0 * (t.rows + t.columns) * t.depth / per_cycle;
    const double busy = std::sqrt(std::hypot(products * products, copying * copying)) + computing;
    const double waiting = cycles_of_copied_slice + (computing > 0 ? cycles_of_computed : 0);
    const double around = cycles_around_slices + (folds && at_once < 2 ? cycles_of_lone_fold : 0);
    return slices * std::max(at_once * busy, busy + waiting) + at_once * after + around;
}

/// Bytes that are loaded for an element of a factor.
double bytes_of_element(const loop_nest& k, int factor) {
    double all = 0;
    for (const int v : values_of_factor(k, factor, 0)) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        const bool by_step = (self.varies >> k.loops[0].axes.back() & 1) != 0;
        if (self.what == value_kind::load && by_step) all += static_cast<double>(size_of(self.type));
    }
    return all;
}

/// Cycles of slices whose elements warps load themselves. Until those of one are there, other warps compute. Fitted to
/// 8 to 64 rows by int8 weights of 4096 x 4096 on an H200. `instructions`, `bytes`: for a step of the tile.
double cycles_in_registers(const loop_nest& k, const tensor_tile& t, double at_once, double slices, double instructions,
                           double bytes, const architecture& a) {
    constexpr double until_loaded = 1600, bytes_loaded = 20, slowdown_at_ends = 1.33;
    constexpr double of_loaded = 1.9, part_of_computed = 0.5;  // instructions, by machine code
    const double all = of_loaded * (t.rows + t.columns) + part_of_computed * instructions;
    const double multiplying = static_cast<double>(t.rows) * t.columns / multiplications(a);
    const double busy = at_once * t.depth * std::max({multiplying, all / a.lanes, bytes / bytes_loaded});
    const bool is_whole = extent_of(k, t.row_axis) % t.rows == 0 && extent_of(k, t.column_axis) % t.columns == 0;
    return (slices * std::max(until_loaded, busy) + until_loaded) * (is_whole ? 1 : slowdown_at_ends);
}

/// Cycles of the tiles that a block takes one after the other, whose copies are under way all the time.
double cycles_of_persistent_tiles(const tensor_tile& t, double tiles, double slices, double after, bool folds,
                                  bool of_float8) {
    const double products = static_cast<double>(t.rows) * t.columns * t.depth /
                            ((of_float8 ? 2 * of_float8_tensor_cores : of_persistent_tensor_cores) *
                             architecture_of(warpgroup_arch).tensor_products);
    return tiles * (slices * products + after + (folds ? cycles_of_lone_fold : 0)) + cycles_around_slices;
}

}  // namespace

double tensor_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    const tensor_tile& t = s.tensor;
    const bool folds = folds_product(k, t);
    if (k.nest_axis >= 0 && !folds) return nested_products_of(k) ? nested_seconds(k, s, m) : online_seconds(k, s, m);
    const architecture& a = architecture_of(m.arch);
    const tensor_factors f = with_columns_along(k, staged_factors(k, t), t.column_axis);
    const bool of_float8 = multiplies_float8(k, t);
    const std::vector<char> wide = wide_values(k, t);
    const double of_rows = instructions_of_factor(k, wide, f.rows);
    const double of_columns = instructions_of_factor(k, wide, f.columns);
    const int shares = t.divides_steps ? s.blocks_per_output : 1;
    const auto slices =
        static_cast<double>(divide_up(divide_up(trip_count(k, k.loops[0]), t.depth), std::int64_t{shares}));
    const double results = t.rows * t.columns;
    const double block_threads = is_in_registers(t) ? s.block_threads : 32.0 * t.warp_rows * t.warp_columns;
    const auto tiles = static_cast<double>(tiles_of(k, t)) * shares;
    const double fits = blocks_that_fit(a, tensor_shared_bytes(k, t));
    const bool is_bounded = t.warpgroups || is_in_registers(t);
    const double resident = is_bounded ? s.blocks_per_multiprocessor : std::floor(512 / block_threads);
    const double at_once = std::max(1.0, std::min({std::ceil(tiles / m.multiprocessors), fits, resident}));
    const double multiplying = results * t.depth / multiplications(a);
    const double copying = cycles_of_copy * (t.rows + t.columns) * t.depth / 8 / 128;
    const double few_warps = std::max(1.0, busy_threads / (at_once * block_threads));
    const double instructions = t.rows * of_rows + t.columns * of_columns;
    const double bytes = t.rows * bytes_of_element(k, f.rows) + t.columns * bytes_of_element(k, f.columns);
    const double computing = few_warps * t.depth * instructions / a.lanes;
    const double waiting = cycles_of_slice + (computing > 0 && !t.fetches ? cycles_of_computed / at_once : 0);
    const double slice = waiting + at_once * (multiplying + copying + computing);
    const double after = results * (folds ? instructions_of_fold(k) : instructions_after(k, t)) / a.lanes;
    const double rounds = std::ceil(tiles / (m.multiprocessors * at_once));
    const double sums = results + (of_float8 ? 16.0 * t.warp_rows * t.columns : 0);  // of 64 rows of each group
    const double steps = is_in_registers(t) ? steps_of_registers(t) : t.depth;
    const bool copies = !is_in_registers(t);
    const double registers = (sums + registers_of_factor(k, wide, f.rows, t.rows * steps, copies) +
                              registers_of_factor(k, wide, f.columns, t.columns * steps, copies)) /
                             (is_in_registers(t) ? 32 : block_threads);
    const double there_are =
        std::min(255.0, registers_of_multiprocessor / (block_threads * std::max(1, s.blocks_per_multiprocessor)));
    const double spilling =
        registers > there_are - (copies ? registers_beside_sums : registers_beside_loads) ? slowdown_by_spills : 1;
    const double cycles =
        t.persistent_blocks > 0 ? cycles_of_persistent_tiles(t, rounds, slices, after, folds, of_float8)
        : t.warpgroups          ? rounds * cycles_of_group_tiles(t, at_once, slices, computing, after, folds)
        : is_in_registers(t)
            ? rounds * (cycles_in_registers(k, t, at_once, slices, instructions, bytes, a) + at_once * after)
            : rounds * (slices * slice + at_once * after);
    const double seconds = cycles * spilling / sustained_clock(m);
    const double last = folds && s.blocks_per_output > 1 ? seconds_of_last_fold : shares > 1 ? seconds_of_shares(s) : 0;
    const double storing = folds || t.wide_stores ? 0 : (writes_of_sector - 1) * bytes_stored(k) / m.bytes_per_second;
    return launch_of_tensors + std::max(seconds, seconds_of_bytes(work_of(k).bytes, m)) + storing + last;
}

namespace {

/// Blocks at once of a kernel of warpgroups, and the cycles of their slices: the tensor cores' and those of the
/// exponentials add up, since what waits for the ones has few other warps to hide it. Fitted to attention of 64 and 128
/// columns.
double seconds_of_warpgroups(const loop_nest& k, const schedule& s, const device_properties& m, double slices,
                             double blocks) {
    const architecture& a = architecture_of(m.arch);
    const tensor_tile& t = s.tensor;
    const double scores = t.rows * nest_elements(s);
    const double products = scores * (t.depth + t.columns) / a.tensor_products;
    const double exponentials = scores / exponentials_per_cycle;
    const double others =
        0.5 * scores * (instructions_for_score(k, *online_sums_of(k)) - instructions_of_score) / a.lanes;
    const double at_once =
        std::max(1.0, std::min(std::ceil(blocks / m.multiprocessors),
                               std::min(static_cast<double>(s.blocks_per_multiprocessor),
                                        blocks_that_fit(a, online_shared_bytes(k, *online_sums_of(k), s)))));
    const double slice = cycles_of_group_slice / at_once + at_once * (products + exponentials + others);
    const double rounds = std::ceil(blocks / (m.multiprocessors * at_once));
    return rounds * (slices * slice + cycles_around_slices) / sustained_clock(m);
}

}  // namespace

// Two products of fragments, and for each score its expression: both take about as long where factors have 64 or 128
// elements. Each block reads all elements along the nest axis, from the second-level cache, and computes those of
// factors that are not copied as they are.
double online_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    const architecture& a = architecture_of(m.arch);
    const online_sums sums = *online_sums_of(k);
    const tensor_tile& t = s.tensor;
    const std::vector<char> wide = wide_values(k, t);
    const tensor_factors f = with_columns_along(k, sums.scores, k.nest_axis);
    const double of_rows = instructions_of_factor(k, wide, f.rows);
    const double of_nest = instructions_of_factor(k, wide, f.columns);
    const double of_y = instructions_of_factor(k, wide, sums.y, 3);
    const double elements = nest_elements(s), keys = static_cast<double>(extent_of(k, k.nest_axis));
    const double slices = std::ceil(keys / elements) * share_of_slices(k, sums, s);
    const auto blocks = static_cast<double>(tiles_of(k, t));
    const online_work work = work_of_online(k, sums, s);
    const double reading = blocks * slices * elements * work.bytes / cached_bytes_per_second;
    const double moving = std::max(reading, seconds_of_bytes(work_of(k).bytes, m));
    if (t.warpgroups) return launch_of_online + std::max(seconds_of_warpgroups(k, s, m, slices, blocks), moving);
    const double multiplying = t.rows * elements * work.products / multiplications(a);
    // each warp reads the whole slices of the nest axis, and its own rows unless it keeps them
    const double loaded = t.warp_rows * elements * work.of_nest + (t.rows_in_registers ? 0 : t.rows * work.of_rows);
    const double products = std::max(multiplying, 2 * loaded / shared_bytes_per_cycle);
    const double scores = t.rows * elements * (instructions_for_score(k, sums) + work.instructions) / a.lanes;
    const double computing = elements * (t.depth * of_nest + t.columns * of_y + work.splitting) / a.lanes;
    const double fits = blocks_that_fit(a, static_cast<std::size_t>(online_shared_bytes(k, sums, s)));
    const int registers = std::min(255, online_registers(k, sums, s));
    const double at_once = std::max(
        1.0, std::min({std::ceil(blocks / m.multiprocessors), fits,
                       std::floor(registers_of_multiprocessor / (s.block_threads * static_cast<double>(registers)))}));
    const double computed_later = computing > 0 ? cycles_of_computed / at_once : 0;
    const double waiting = (cycles_of_nest_slice + work.cycles_of_load) / std::min(at_once, 2.0) + computed_later;
    const double slice = waiting + at_once * (products + 0.5 * scores + computing);
    const double rounds = std::ceil(blocks / (m.multiprocessors * at_once));
    const double once = cycles_around_slices + at_once * t.rows * t.depth * of_rows / a.lanes;
    const double computed = rounds * (slices * slice + once) / sustained_clock(m);
    return launch_of_online + std::max(computed, moving);
}

namespace {

/// Of a value that each element of the nest axis and row computes for itself: quotients by numbers of rows or steps
/// multiply by reciprocals, and exponentials are powers of 2 (lower/nested_quotients.cpp).
double instructions_of_weight(const loop_nest& k, const nested_products& of, const value& v) {
    const auto is_op = [&](builtin_op op) { return v.op != nullptr && v.op->builtin == static_cast<int>(op); };
    if (!of.has_columns()) return instructions_of(v);
    if (is_op(builtin_op::exp)) return instructions_of_exponential;
    if (!is_op(builtin_op::divide)) return instructions_of(v);
    const value& by = k.values[static_cast<std::size_t>(v.in[1])];
    const bool by_element = by.what == value_kind::reduce || (by.loop != group_level && (by.varies >> of.row_axis & 1));
    return by_element ? instructions_of(v) : 1;
}

/// For each element of the nest axis and row: what its weights are computed of.
double instructions_of_elements(const loop_nest& k, const nested_products& of) {
    double all = 2.0 * static_cast<double>(of.results.size());
    for (const int v : element_values(k, of)) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        const bool by_row = (self.varies >> of.row_axis & 1) != 0, by_step = self.loop != group_level;
        if (self.what == value_kind::reduce || !by_step) continue;
        const double one = self.what == value_kind::load ? instructions_one_by_one
                           : by_row                      ? instructions_of_weight(k, of, self)
                                                         : instructions_of(self);
        all += by_row ? one : one / 2;  // a thread has two rows for each element
    }
    return all;
}

}  // namespace

// The products of a slice, and for each element its expression. Each block reads all elements along the nest axis.
double nested_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    const architecture& a = architecture_of(m.arch);
    const nested_products of = *nested_products_of(k);
    const tensor_tile& t = s.tensor;
    double width = t.depth * static_cast<double>(of.last());  // steps and columns of all products
    if (of.has_columns()) width += t.columns * static_cast<double>(of.results.size());
    const double elements = nested_slice(s);
    double share = 0;
    for (const support& one : supports_of_weights(k, of))
        share = std::max(share, t.skips ? share_of_slices(k, one, t, nested_slice(s)) : 1);
    const auto repeats = static_cast<double>(of.repeat_axis < 0 ? 1 : extent_of(k, of.repeat_axis));
    const double slices = repeats * std::ceil(static_cast<double>(extent_of(k, k.nest_axis)) / elements) * share;
    const auto blocks = static_cast<double>(tiles_of(k, t));
    const double reading = 2.0 * blocks * slices * elements * width / cached_bytes_per_second;
    const double multiplying = t.rows * elements * width / multiplications(a);
    const double loaded = t.warp_rows * elements * width + (t.rows_in_registers ? 0 : t.rows * width);
    const double products = std::max(multiplying, 2 * loaded / shared_bytes_per_cycle);
    const double scores = t.rows * elements * instructions_of_elements(k, of) / a.lanes;
    const int registers = std::min(255, nested_registers(of, s));
    const double fits = blocks_that_fit(a, nested_shared_bytes(k, of, s));
    const double at_once = std::max(
        1.0, std::min({std::ceil(blocks / m.multiprocessors), fits,
                       std::floor(registers_of_multiprocessor / (s.block_threads * static_cast<double>(registers)))}));
    const double slice = cycles_of_nest_slice / std::min(at_once, 2.0) + at_once * (products + 0.5 * scores);
    const double rounds = std::ceil(blocks / (m.multiprocessors * at_once));
    const double computed = rounds * (slices * slice + cycles_around_slices) / sustained_clock(m);
    return launch_of_online + std::max({computed, reading, seconds_of_bytes(work_of(k).bytes, m)});
}

}  // namespace sinter::codegen
