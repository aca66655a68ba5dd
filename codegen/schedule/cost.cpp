// What a launch's time depends on, from what its kernel does and its schedule.
#include <codegen/schedule/cost.hpp>

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/architecture.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/interleaved.hpp>
#include <codegen/schedule/realigned.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinter::codegen {
namespace {

// Instructions, counted with nvdisasm for sm_90 (NVRTC 13.0).
constexpr double of_access = 5;    ///< its position, the check that it is inside, and the access itself
constexpr double of_exchange = 3;  ///< a shuffle and what follows it
constexpr double of_group = 30;    ///< finding a group and its pointers, storing its result
constexpr double of_element = 8;   ///< finding an element's index along one more axis
constexpr double of_thread = 8;

double log2_of(int power) { return std::bit_width(static_cast<unsigned>(power)) - 1; }

/// The lines that a warp's access of `bytes` bytes per thread touches: `beside` threads go along neighbouring elements,
/// the next ones `distance` bytes further.
double lines_touched(int beside, double bytes, double distance) {
    beside = std::min(beside, warp_lanes);
    const double runs = static_cast<double>(warp_lanes) / beside;
    const double apart = runs * std::max(1.0, std::ceil(beside * bytes / line_bytes));
    return std::max(1.0, std::min(apart, runs * distance / line_bytes + 1));
}

class work_counter {
public:
    work_counter(const loop_nest& of, const kernel_work& does, const schedule& with, const device_properties& on)
        : k(of), of_kernel(does), s(with), m(on) {}

    launch_work count() {
        w.blocks = static_cast<double>(grid_size(k, s));
        if (w.blocks == 0) return w;
        w.warps = w.blocks * s.block_threads / warp_lanes;
        w.bytes = of_kernel.bytes;
        switch (s.form) {
            case schedule_form::rows: count_rows(); break;
            case schedule_form::columns: count_columns(); break;
            default: count_elements(); break;
        }
        occupy_multiprocessors();
        return w;
    }

private:
    /// How threads go over a loop, or over the elements of a kernel without loops.
    struct walk {
        double accesses = 0;           ///< of warps, for each load
        double used = 1;               ///< the part of their lanes that is not idle
        int axis = -1;                 ///< along which an access's elements are neighbours
        int beside = warp_lanes;       ///< threads side by side along it
        double distance = line_bytes;  ///< bytes from there to the next threads'
    };

    std::int64_t step(const loop_work::access& a, int axis) const {
        return axis < 0 ? 0 : k.layouts[static_cast<std::size_t>(a.layout)].stride[static_cast<std::size_t>(axis)];
    }

    void count_loads(const loop_work& l, const walk& by) {
        double flying = 0;
        for (const loop_work::access& a : l.loads) {
            const std::int64_t along = step(a, by.axis);
            const bool wide = a.gathers ? s.vector_width > 1 && is_wide_gather(k, s, a.value)
                                        : along == 1 || interleaved_read(s, a.value) != nullptr,
                       repeats = along == 0 && !a.gathers;
            const bool realigned = a.gathers && is_realigned(k, s, a.value);
            // indices that are computed, as of a roll or a join, run along with the threads; others lie anywhere
            const bool scatters =
                a.gathers ? is_loaded(k, k.values[static_cast<std::size_t>(a.value)].in[0]) : !repeats;
            const double n = by.accesses * (realigned         ? 2
                                            : wide || repeats ? 1
                                                              : s.vector_width),
                         bytes = a.bytes * (wide ? s.vector_width : 1);
            w.instructions += n * of_access;
            w.lines += n * (wide || (a.gathers && !scatters) ? lines_touched(by.beside, bytes, by.distance)
                            : scatters                       ? warp_lanes
                                                             : 1);
            w.requested += n * warp_lanes * bytes;
            wanted += by.used * n * warp_lanes * bytes;
            flying += bytes;
        }
        flight = std::max(flight, flying * s.unroll);
    }

    void count_loop(const loop_work& l, const walk& by, bool loads) {
        if (loads) count_loads(l, by);
        for (const loop_work::access& a : l.stores) {
            w.instructions += by.accesses * of_access;
            w.lines += by.accesses * lines_touched(by.beside, a.bytes * s.vector_width, by.distance);
        }
        count_ops(l, by.accesses * s.vector_width);
    }

    void count_ops(const loop_work& l, double elements) {
        add_ops(l.ops, elements);
        if (s.register_cached) add_ops(l.repeated, -elements);
    }

    void add_ops(const op_work& ops, double elements) {
        w.instructions += elements * ops.plain;
        w.functions += elements * ops.functions;
        w.divisions += elements * ops.divisions;
        w.doubles += elements * ops.doubles;
    }

    void count_elements() {
        const double n = of_kernel.groups, accesses = n / s.vector_width / warp_lanes;
        walk by{accesses, 1, of_kernel.across, warp_lanes, line_bytes};
        if (s.form == schedule_form::tiled) by.axis = s.tile.row_axis;
        if (s.form == schedule_form::channels) by.axis = s.channels.pixel_axis;
        count_loop(of_kernel.loops[0], by, true);
        if (k.outer.size() > 1) w.instructions += accesses * of_element * static_cast<double>(k.outer.size() - 1);
        w.steps = 1;
        w.instructions += w.blocks * s.block_threads / warp_lanes * (of_thread + static_cast<double>(k.scalars.size()));
    }

    void count_rows() {
        const int parts = s.grid_barrier ? s.blocks_per_output : s.blocks_per_output * s.cluster;
        const double visits = s.grid_barrier ? of_kernel.groups * s.blocks_per_output : w.blocks * groups_per_block(s);
        const double warps = visits * s.threads_per_output / warp_lanes;
        for (std::size_t i = 0; i < of_kernel.loops.size(); ++i) {
            const loop_work& l = of_kernel.loops[i];
            const double own = l.trips / s.vector_width / (static_cast<double>(s.threads_per_output) * parts);
            const double steps = std::max(1.0, std::ceil(own / s.unroll)), accesses = warps * steps * s.unroll;
            const double used = of_kernel.groups * l.trips / s.vector_width / warp_lanes / accesses;
            const bool loads = !s.register_cached || i == 0;
            count_loop(l, {accesses, used, l.axis, s.threads_per_output, l.trips * of_kernel.first_input_bytes}, loads);
            if (loads) w.steps += steps;
            if (l.reductions == 0) continue;
            const double exchanges =
                log2_of(std::min(s.threads_per_output, warp_lanes)) +
                (s.threads_per_output > warp_lanes ? log2_of(s.threads_per_output / warp_lanes) : 0);
            const double folds = (exchanges + std::min(s.unroll, max_accumulators)) * l.reductions;
            w.folds += folds;
            w.instructions += warps * folds * of_exchange;
            w.barriers += s.threads_per_output > warp_lanes ? 1 : 0;
            w.syncs += s.blocks_per_output > 1 || s.cluster > 1 || s.grid_barrier ? 1 : 0;
        }
        w.instructions += warps * of_group;
        // the accesses of a step lie side by side
        const double side_by_side = of_kernel.first_input_bytes * s.threads_per_output * s.vector_width * s.unroll;
        if (side_by_side < of_kernel.loops[0].trips * of_kernel.first_input_bytes) w.segment = side_by_side;
        if (s.grid_barrier) repeat(of_kernel.groups / s.block_groups);
    }

    void count_columns() {
        const int across = s.block_threads / s.threads_per_output;
        const double tiles = std::ceil(of_kernel.groups / (across * s.vector_width));
        const double warps = tiles * s.blocks_per_output * s.block_threads / warp_lanes;
        const double row_bytes = of_kernel.neighbours * of_kernel.first_input_bytes;
        for (std::size_t i = 0; i < of_kernel.loops.size(); ++i) {
            const loop_work& l = of_kernel.loops[i];
            const double steps = std::max(
                1.0, std::ceil(l.trips / (static_cast<double>(s.threads_per_output) * s.blocks_per_output * s.unroll)));
            const double accesses = warps * steps * s.unroll;
            const double used = of_kernel.groups / s.vector_width * l.trips / warp_lanes / accesses;
            const bool loads = !s.register_cached || i == 0;
            count_loop(l, {accesses, used, of_kernel.across, across, row_bytes}, loads);
            if (loads) w.steps += steps;
            if (l.reductions == 0) continue;
            const double halvings = s.threads_per_output > 1 ? log2_of(s.threads_per_output) : 0;
            const int accumulators = s.vector_width > 1 ? 1 : std::min(s.unroll, max_accumulators);
            w.folds += accumulators * l.reductions;
            w.instructions += warps * l.reductions * of_exchange * s.vector_width * (1 + 2 * halvings);
            count_ops(l, warps * s.vector_width * (accumulators - 1 + halvings));
            w.barriers += s.threads_per_output > 1 ? 1 + halvings : 0;
            w.syncs += s.blocks_per_output > 1 ? 1 : 0;
        }
        w.instructions += warps * of_group;
        const double side_by_side = across * s.vector_width * of_kernel.first_input_bytes;
        if (side_by_side < row_bytes) w.segment = side_by_side;
        if (s.grid_barrier) repeat(tiles / s.block_groups);
    }

    /// Of a kernel whose blocks go over several groups each.
    void repeat(double times) {
        for (double* n : {&w.steps, &w.folds, &w.barriers, &w.syncs}) *n *= std::max(1.0, std::ceil(times));
    }

    int registers() const {
        const int accumulators =
            s.form == schedule_form::columns ? s.vector_width : std::min(s.unroll, max_accumulators);
        const double bytes = (s.register_cached ? of_kernel.kept * s.vector_width * s.unroll : flight) +
                             of_kernel.accumulated * accumulators;
        const int most = std::max(32, std::min(255, registers_of_multiprocessor / s.block_threads));
        return std::clamp(24 + static_cast<int>(bytes / 4), 32, most);
    }

    void occupy_multiprocessors() {
        int at_once = std::min({architecture_of(m.arch).blocks, m.threads_per_multiprocessor / s.block_threads,
                                registers_of_multiprocessor / (registers() * s.block_threads)});
        if (s.blocks_per_multiprocessor > 0) at_once = s.blocks_per_multiprocessor;
        at_once = std::max(at_once, 1);
        w.waves = w.blocks / (static_cast<double>(m.multiprocessors) * at_once);
        const double here = std::min(static_cast<double>(at_once), std::max(1.0, w.blocks / m.multiprocessors));
        w.in_flight = here * s.block_threads * flight * (w.requested > 0 ? std::min(1.0, wanted / w.requested) : 1);
        // what the groups under way have read when they read it again
        const double under_way = of_kernel.bytes / std::max(1.0, w.waves);
        if (!s.register_cached && under_way > static_cast<double>(m.l2_bytes)) w.bytes += of_kernel.bytes_again;
    }

    const loop_nest& k;
    const kernel_work& of_kernel;
    const schedule& s;
    const device_properties& m;
    launch_work w;
    double flight = 0;  ///< bytes of a thread's accesses of one step
    double wanted = 0;  ///< of the requested bytes those that are no idle warp_lanes'
};

}  // namespace

bool is_modelled(const schedule& s) {
    return s.form == schedule_form::rows || s.form == schedule_form::columns || s.form == schedule_form::elementwise ||
           s.form == schedule_form::tiled;
}

launch_work work_of(const loop_nest& k, const kernel_work& of, const schedule& s, const device_properties& m) {
    return work_counter(k, of, s, m).count();
}

}  // namespace sinter::codegen
