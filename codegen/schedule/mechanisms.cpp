// What mechanisms cost, and the time of a launch made from them: throughputs combine by a p-norm, since what is nearly
// as slow as the slowest adds a part of its time; latencies add to the path of one thread.
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/cost.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::codegen {
namespace {

/// Instructions are counted with nvdisasm for sm_90 (NVRTC 13.0). The rest is fitted to the times of the schedules of
/// some kernels on an H200 (tests/data/schedules/h200.tsv, bench/NOTES.md), and in cycles wherever a device's clock
/// decides.
struct mechanisms {
    double function = 9, division = 9;         ///< instructions, on average
    double issue = 4;                          ///< instructions of warps, a multiprocessor and cycle
    double doubles = 4.2;                      ///< those of float64, likewise, if they took no longer than float32's
    double lines = 1.8;                        ///< of 128 bytes, likewise
    double launch = 1.8e-6;                    ///< seconds
    double latency = 0.4e-6;                   ///< of a load
    double cached_latency = 0.2e-6;            ///< where all of a kernel's arrays fit the second-level cache
    double cached = 4;                         ///< times memory's bandwidth, likewise
    double cached_bytes_per_second = 1.39e13;  ///< that threads load, whatever cache has them
    double segment = 14;                       ///< bytes: where runs are so long, memory has half of its bandwidth
    double instruction = 3.7e-9;               ///< of a warp, one after the other
    double barrier = 71e-9, sync = 1.7e-6;
    double tail = 0.51;  ///< of what the last wave of blocks leaves idle
    double norm = 2.7;
};
constexpr mechanisms on_h200;

double combined(std::initializer_list<double> all) {
    double sum = 0;
    for (double t : all) sum += std::pow(t, on_h200.norm);
    return std::pow(sum, 1 / on_h200.norm);
}

}  // namespace

double predicted_seconds(const launch_work& w, const device_properties& m) {
    const mechanisms& c = on_h200;
    if (w.blocks == 0) return c.launch;
    const double busy = std::min(static_cast<double>(m.multiprocessors), w.blocks);
    const bool is_cached = fits_cache(w.bytes, m);
    const double clock = sustained_clock(m), doubles = c.doubles / architecture_of(m.arch).floats_a_double;
    const double latency = is_cached ? c.cached_latency : c.latency;
    const double bandwidth = m.bytes_per_second * (is_cached ? c.cached : w.segment / (w.segment + c.segment));
    const double moving = w.bytes / bandwidth;
    const double loading = w.in_flight > 0 ? w.bytes * latency / (w.in_flight * busy) : 0;
    const double from_caches = w.requested / c.cached_bytes_per_second;
    const double instructions = w.instructions + w.functions * c.function + w.divisions * c.division;
    const double issuing = std::max(instructions / c.issue, w.doubles / doubles) / (busy * clock);
    const double touching = w.lines / (busy * clock * c.lines);
    const double idle = w.waves > 1 ? 1 + c.tail * (std::ceil(w.waves) / w.waves - 1) : 1;
    const double path = w.steps * latency + w.barriers * c.barrier + instructions / w.warps * c.instruction;
    return c.launch + w.syncs * c.sync +
           combined(
               {moving, from_caches, loading * idle, issuing * idle, touching * idle, path * std::max(1.0, w.waves)});
}

}  // namespace sinter::codegen
