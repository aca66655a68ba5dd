// Throughputs combine by a p-norm: what is nearly as slow as the slowest adds a part of its time. The fewer warps are
// resident, the less of one warp's waiting do others hide, and the closer the norm comes to a sum.
#include <codegen/cost/launch_time.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/cost/count.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/footprint.hpp>
#include <codegen/schedule/tensor.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::codegen {
namespace {

/// Machine instructions of a statement's parts, fitted to ncu's counts of 48 kernels of the corpus (bench/NOTES.md).
/// Less than one: the compiler merges some, and moves what does not change out of loops.
struct instruction_weights {
    double access = 1.9, operation = 0.8, index = 0.4, exchange = 2, shared_access = 1, barrier = 1, warp = 20;
};
constexpr instruction_weights weights;

/// Rates of one multiprocessor and cycle, and latencies on an H200, fitted to the times of the corpus's cases that are
/// not held out (bench/NOTES.md).
struct rates {
    double special = 0.55;  ///< instructions of warps on the special function units: 16 lanes, and a tenth more
    double doubles = 0.95;  ///< the part of float64's peak rate that kernels reach
    double access = 1.1;    ///< cycles of an L1 cache for an access, and for each line that it touches
    double line = 0.8;
    double l2_bytes = 30.5;  ///< of sectors that data choose, between the L1 caches and the second-level cache
    double memory = 0.985;   ///< of the bandwidth of a copy
    double launch = 1.65e-6, load = 0.53e-6, instruction = 0.5e-9, barrier = 20e-9;  ///< seconds
    double norm = 6;
    double half_warps = 47;  ///< resident warps on a multiprocessor for which the norm lies half between a sum and that
};
constexpr rates rates_of_h200;

void add_sample(launch_counts& n, const loop_nest& k, const sampled_counts& sample, int block_threads) {
    const statement_counts& of = sample.of;
    double all = weights.index * static_cast<double>(of.index_instructions) +
                 weights.exchange * static_cast<double>(of.exchanges) + static_cast<double>(of.turns + of.branches) +
                 weights.barrier * static_cast<double>(of.block_barriers) * block_threads / warp_lanes;
    for (const auto& [place, count] : of.accesses) {
        if (place.where == device_ir::space::shared) all += weights.shared_access * static_cast<double>(count.warps);
        if (place.where != device_ir::space::global) continue;
        all += weights.access * static_cast<double>(count.warps);
        n.accesses += sample.times * static_cast<double>(count.warps);
        n.lines += sample.times * static_cast<double>(count.lines);
        n.gathered += sample.times * static_cast<double>(count.gathered) * sector_bytes;
    }
    double operations = -static_cast<double>(of.contractions);
    for (const auto& [op, warps] : of.warp_operations) {
        const machine_instructions each = instructions_of(*op.first, op.second, k.precision);
        operations += static_cast<double>(warps) * each.all;
        n.special += sample.times * static_cast<double>(warps) * each.special;
        n.doubles += sample.times * static_cast<double>(warps) * each.doubles;
    }
    for (const auto& [types, warps] : of.conversions) {
        const machine_instructions each = instructions_of_cast(types.first, types.second);
        all += static_cast<double>(warps) * each.all;
        n.special += sample.times * static_cast<double>(warps) * each.special;
    }
    n.instructions += sample.times * (all + weights.operation * operations);
}

/// Bytes that data choose again and again in an array that the second-level cache does not keep: half of it holds what
/// the other half of the multiprocessors reads.
double bytes_chosen_again(const loop_nest& k, const device_properties& m) {
    double bytes = 0;
    for (const array_footprint& a : footprints_of(k))
        if (2 * a.bytes > static_cast<std::int64_t>(m.l2_bytes)) bytes += static_cast<double>(a.bytes_chosen - a.bytes);
    return bytes;
}

double p_norm(std::initializer_list<double> all, double norm) {
    double sum = 0;
    for (const double t : all) sum += std::pow(t, norm);
    return std::pow(sum, 1 / norm);
}

}  // namespace

launch_counts counts_of(const loop_nest& k, const schedule& s) {
    const device_ir::program p = lower::lower(class_of(k, s));
    const std::int64_t blocks = grid_size(k, s);
    launch_counts n;
    n.warps = static_cast<double>(blocks) * p.block_threads / warp_lanes;
    n.instructions = weights.warp * n.warps;
    const auto argument = [&](const parameter& of) { return launch_value(k, s, of); };
    for (const sampled_counts& sample : sample_statements(p, blocks, argument))
        add_sample(n, k, sample, p.block_threads);
    return n;
}

const char* launch_time::bound_by() const {
    const double most = std::max({moving, computing, accessing, latency, waiting});
    if (most < launch_seconds) return "the launch";
    if (most == waiting) return "barriers";
    if (most == moving) return "bytes";
    return most == computing ? "arithmetic" : most == accessing ? "accesses" : "latency";
}

launch_time time_of_launch(const loop_nest& k, const schedule& s, const device_properties& m) {
    const rates& r = rates_of_h200;
    launch_time t;
    t.moving = (static_cast<double>(bytes_moved(k, s, m)) + bytes_chosen_again(k, m)) / (m.bytes_per_second * r.memory);
    t.waiting = waiting_seconds(k, s, m);
    t.total = r.launch;
    const launch_work w = work_of(k, work_of(k), s, m);
    if (w.blocks == 0) return t;
    if (s.form == schedule_form::tensor) {
        t.computing = std::max(tensor_seconds(k, s, m) - launch_seconds, 0.0);
        t.total += std::max(t.moving, t.computing) + t.waiting;
        return t;
    }
    const launch_counts n = counts_of(k, s);
    const architecture& of = architecture_of(m.arch);
    const double busy = std::min(static_cast<double>(m.multiprocessors), w.blocks);
    const double cycles = busy * sustained_clock(m), issued = static_cast<double>(of.lanes) / warp_lanes;
    const double special = n.special / (r.special * cycles);
    const double doubles = n.doubles * of.floats_a_double / (r.doubles * issued * cycles);
    t.computing = std::max({n.instructions / (issued * cycles), special, doubles});
    const double l1 = (n.accesses * r.access + n.lines * r.line) / cycles;
    t.accessing = std::max(l1, n.gathered / (r.l2_bytes * m.multiprocessors * sustained_clock(m)));
    const double waves = std::max(1.0, w.waves);
    t.latency = waves * (n.instructions / n.warps * r.instruction + w.steps * r.load + w.barriers * r.barrier);
    const double at_once = std::max(1.0, w.blocks / (m.multiprocessors * std::max(w.waves, 1e-9)));
    const double resident = std::min(at_once, w.blocks / busy) * s.block_threads / warp_lanes;
    const double norm = 1 + (r.norm - 1) * resident / (resident + r.half_warps);
    t.total += p_norm({t.moving, t.computing, t.accessing, t.latency}, norm) + t.waiting;
    return t;
}

}  // namespace sinter::codegen
