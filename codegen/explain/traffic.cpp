// Counts from shapes and schedules; nothing is measured here.
#include <codegen/explain/traffic.hpp>
#include <codegen/ir/graph.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace sinter::codegen {
namespace {

/// The number of elements that a load touches: the extents along which its address moves.
std::int64_t elements_touched(const kernel& k, const layout& l) {
    std::int64_t n = 1;
    for (std::size_t a = 0; a < k.extents.size(); ++a)
        if (l.stride[a] != 0) n *= k.extents[a];
    return n;
}

std::int64_t bytes_of(const kernel& k, const value& load) {
    return elements_touched(k, k.layouts[static_cast<std::size_t>(load.at)]) *
           static_cast<std::int64_t>(size_of(load.type));
}

/// Whether what one loop has read is gone from the caches when the next one reads it.
bool is_gone(const kernel& k, const schedule& s, const machine& m, std::int64_t bytes) {
    if (s.resident || s.form == schedule_form::product) return false;
    const std::int64_t groups = std::max<std::int64_t>(outer_size(k), 1);
    std::int64_t under_way = 0;
    if (s.grid_barrier) {
        under_way = static_cast<std::int64_t>(s.teams) * (s.form == schedule_form::columns ? groups_per_block(s) : 1);
    } else {
        const std::int64_t blocks =
            static_cast<std::int64_t>(m.multiprocessors) * std::max(1, m.threads_per_multiprocessor / s.block);
        under_way = blocks * groups_per_block(s);
    }
    const double of_group = static_cast<double>(bytes) / static_cast<double>(groups);
    return of_group * static_cast<double>(std::min(under_way, groups)) > static_cast<double>(m.l2_bytes);
}

}  // namespace

std::int64_t bytes_moved(const kernel& k, const schedule& s, const machine& m) {
    // An input loaded at several offsets counts once: the fullest of its loads.
    std::map<int, std::int64_t> most;
    std::map<int, std::set<int>> loops;
    for (const value& v : k.values) {
        if (v.what != value_kind::load) continue;
        const int leaf = k.inputs[static_cast<std::size_t>(v.input)].leaf;
        most[leaf] = std::max(most[leaf], bytes_of(k, v));
        loops[leaf].insert(v.loop);
    }
    std::int64_t once = 0;
    for (const auto& [leaf, bytes] : most) once += bytes;
    const bool gone = is_gone(k, s, m, once);
    std::int64_t bytes = 0;
    for (const auto& [leaf, read] : most) bytes += read * (gone ? static_cast<std::int64_t>(loops[leaf].size()) : 1);
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        const dense_shape& to = k.output_shapes[o];
        bytes += size_of_shape(to.shape, to.rank) * static_cast<std::int64_t>(size_of(k.outputs[o]));
    }
    return bytes;
}

double operations_of(const kernel& k) {
    const auto times = [&](int loop) {
        const auto groups = static_cast<double>(outer_size(k));
        if (loop == group_level) return groups;
        double n = groups;
        if (k.nest_axis >= 0) n *= static_cast<double>(k.extents[static_cast<std::size_t>(k.nest_axis)]);
        if (loop == nest_level || (k.nest_axis >= 0 && loop > 0)) return n;
        return n * static_cast<double>(trip_count(k, k.loops[static_cast<std::size_t>(loop)]));
    };
    double sum = 0;
    for (const value& v : k.values) {
        if (v.what == value_kind::elementwise || v.what == value_kind::scan) sum += times(v.loop);
        if (v.what == value_kind::reduce) sum += times(v.over);
    }
    return sum;
}

}  // namespace sinter::codegen
