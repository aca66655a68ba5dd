// Counts derived from shapes and schedules; nothing is measured here.
#include <codegen/cost/traffic.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/graph.hpp>
#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/footprint.hpp>
#include <codegen/schedule/tensor.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// One grid barrier and the fold of the blocks' results after it, on an H200: softmax of 64 rows of 262144 floats has
/// eight, and takes 21 us longer than its bytes (bench/results/h200.md).
constexpr double barrier_seconds = 2.6e-6;

/// Look-back latency of one round of tiles beyond its bytes, on an H200: one row of 2^26 floats takes 0.187 ms in 16
/// rounds, or 0.211 ms in 21 rounds of tiles half as long; its bytes take 0.126 ms (bench/NOTES.md). If the tiles in
/// flight belong to many columns, each waits for few others: 16384 columns of 4096 take 0.163 ms in 32 rounds of 4
/// tiles per column.
constexpr double look_back_seconds = 3.8e-6;
constexpr std::int64_t tiles_waited_for = 16;

/// Whether data read by one loop has been evicted from the caches when the next loop reads it.
bool is_gone(const loop_nest& k, const schedule& s, const device_properties& m, std::int64_t bytes) {
    if (s.register_cached || s.form == schedule_form::windows) return false;
    if (s.form == schedule_form::contraction || s.form == schedule_form::tensor) return false;
    const std::int64_t groups = std::max<std::int64_t>(outer_size(k), 1);
    std::int64_t under_way = 0;
    if (s.grid_barrier) {
        under_way =
            static_cast<std::int64_t>(s.block_groups) * (s.form == schedule_form::columns ? groups_per_block(s) : 1);
    } else {
        const std::int64_t blocks =
            static_cast<std::int64_t>(m.multiprocessors) * std::max(1, m.threads_per_multiprocessor / s.block_threads);
        under_way = blocks * groups_per_block(s);
    }
    const double of_group = static_cast<double>(bytes) / static_cast<double>(groups);
    return of_group * static_cast<double>(std::min(under_way, groups)) > static_cast<double>(m.l2_bytes);
}

/// Approximate instructions per float32 function and per division. Counted with nvdisasm for sm_90 (NVRTC 13.0): exp 9,
/// cbrt 16, tanh 17, log 28, erf 30, log1p 31, atan2 50, pow 94; a division takes 12, with reduced accuracy 4, in a
/// fast_math_scope 1, as log then does.
struct body_costs {
    double function, division;
};
constexpr body_costs costs_of(arithmetic precision) {
    switch (precision) {
        case arithmetic::exact: return {20, 12};
        case arithmetic::half:
        case arithmetic::half_flushed: return {12, 4};
        default: return {4, 1};
    }
}

/// What a body takes: each function that it calls, each division, or one operation.
double instructions_of_body(const loop_nest& k, const value& v, const body_costs& costs) {
    const op_traits t = traits_of(*v.op);
    return std::max(1.0, t.functions * costs.function + t.divisions * costs.division + steps_of(k, v));
}

/// How often the values of a loop or level are computed.
double times(const loop_nest& k, int loop) {
    const auto groups = static_cast<double>(outer_size(k));
    if (loop == group_level) return groups;
    if (loop == kernel_level) return 1;
    double n = groups;
    if (k.nest_axis >= 0) n *= static_cast<double>(k.extents[static_cast<std::size_t>(k.nest_axis)]);
    if (loop == nest_level || (k.nest_axis >= 0 && loop > 0)) return n;
    return n * static_cast<double>(trip_count(k, k.loops[static_cast<std::size_t>(loop)]));
}

/// The sum of cost(v) over all computed values, weighted by how often each is computed.
template <class F>
double over_computed(const loop_nest& k, F cost) {
    double sum = 0;
    for (const value& v : k.values) {
        if (v.what == value_kind::elementwise || v.what == value_kind::scan) sum += times(k, v.loop) * cost(v);
        if (v.what == value_kind::reduce) sum += times(k, is_column_fold(v) ? v.loop : v.over) * cost(v);
    }
    return sum;
}

}  // namespace

std::int64_t bytes_moved(const loop_nest& k, const schedule& s, const device_properties& m) {
    const std::vector<array_footprint> arrays = footprints_of(k);
    std::int64_t bytes = 0;
    for (const array_footprint& a : arrays) bytes += a.bytes;
    if (is_gone(k, s, m, bytes))
        for (const array_footprint& a : arrays) bytes += a.bytes_by_loops - a.bytes;
    for (std::size_t o = 0; o < k.outputs.size(); ++o) bytes += bytes_written(k, o);
    return bytes;
}

double operations_of(const loop_nest& k) {
    return over_computed(k, [](const value&) { return 1; });
}

double instructions_of(const loop_nest& k, const device_properties& m) {
    return over_computed(k, [&](const value& v) {
        return instructions_of_body(k, v, costs_of(k.precision)) *
               (has_doubles(k, v) ? architecture_of(m.arch).floats_a_double : 1);
    });
}

/// Look-back latency of all rounds of tiles. A thread has its elements and about 32 others in registers.
static double looking_back_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    std::size_t bytes = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::scan) bytes += size_of(v.type) * static_cast<std::size_t>(s.unroll * s.vector_width);
    const auto registers = static_cast<int>(32 + bytes / 4);
    const int threads = std::min(m.threads_per_multiprocessor, registers_of_multiprocessor / registers);
    const std::int64_t under_way = std::int64_t{m.multiprocessors} * std::max(1, threads / s.block_threads);
    const std::int64_t tiles = grid_size(k, s), of_a_group = divide_up(under_way * s.blocks_per_output, tiles);
    const double share = std::min(1.0, static_cast<double>(of_a_group) / tiles_waited_for);
    return static_cast<double>(divide_up(tiles, under_way)) * share * look_back_seconds;
}

double waiting_seconds(const loop_nest& k, const schedule& s, const device_properties& m) {
    if (s.blocks_per_output > 1 && has_scans(k)) return grid_size(k, s) == 0 ? 0 : looking_back_seconds(k, s, m);
    if (!s.grid_barrier) return 0;
    int barriers = 0;
    for (const inner_loop& l : k.loops) barriers += !l.reductions.empty();
    const std::int64_t groups =
        divide_up(outer_size(k), s.form == schedule_form::columns ? groups_per_block(s) : std::int64_t{1});
    return static_cast<double>(divide_up(groups, s.block_groups) * barriers) * barrier_seconds;
}

kernel_time time_of(const loop_nest& k, const schedule& s, const device_properties& m) {
    return time_of(k, s, m, bytes_moved(k, s, m));
}

kernel_time time_of(const loop_nest& k, const schedule& s, const device_properties& m, std::int64_t bytes) {
    const bool on_tensor_cores = s.form == schedule_form::tensor;
    const double computing = on_tensor_cores ? std::max(tensor_seconds(k, s, m) - launch_seconds, 0.0)
                                             : instructions_of(k, m) / m.operations_per_second;
    return {static_cast<double>(bytes) / m.bytes_per_second, computing, waiting_seconds(k, s, m)};
}

}  // namespace sinter::codegen
