// Rows that begin at any element, as those of an odd number of elements do: which accesses can be wide from the first
// aligned element of each row on.
#include <codegen/schedule/peeled_rows.hpp>

#include <codegen/ir/round.hpp>
#include <codegen/schedule/access.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

/// A single access of what all rows share, made for each neighbour, touches as many lines as neighbours are wide.
constexpr int max_neighbours_beside_single = 4;

/// The accesses of the loops that move along with the rows, and what else limits their width.
struct row_accesses {
    std::vector<access> wide;
    std::size_t widest = 1, narrowest = 16;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();  ///< trip count
    bool has_single = false;                                           ///< accesses of what rows share
};

/// Nothing where an access of a loop cannot move neighbours, or where a result is shared.
std::optional<row_accesses> row_accesses_of(const loop_nest& k) {
    row_accesses found;
    for (const inner_loop& l : k.loops) {
        if (l.axes.size() != 1 || l.backwards) return std::nullopt;
        found.shortest = std::min(found.shortest, extent_of(k, l.axes[0]));
    }
    for (const access& a : accesses_of(k)) {
        if (a.loop < 0) continue;
        const int axis = k.loops[static_cast<std::size_t>(a.loop)].axes[0];
        const bool is_store = a.pointer >= static_cast<int>(k.inputs.size());
        const bool moves = moves_with_rows(k, a.layout_position);
        if (stride_of(k, a, axis) == 0 && !is_store) continue;
        if (stride_of(k, a, axis) != 1 || (is_store && !moves)) return std::nullopt;
        found.has_single = found.has_single || !moves;
        if (!moves) continue;
        found.wide.push_back(a);
        found.widest = std::max(found.widest, size_of(a.type));
        found.narrowest = std::min(found.narrowest, size_of(a.type));
    }
    return found;
}

/// Whether all rows begin at the same distance from an aligned element.
bool are_in_phase(const loop_nest& k, const std::vector<access>& all, int vector, const std::vector<int>& alignment) {
    return std::all_of(all.begin(), all.end(), [&](const access& a) {
        const int bytes = std::min(16, vector * static_cast<int>(size_of(a.type)));
        const bool aligned = static_cast<std::size_t>(a.pointer) < alignment.size() &&
                             alignment[static_cast<std::size_t>(a.pointer)] % bytes == 0;
        return aligned && std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
                   return (stride_of(k, a, axis) - stride_of(k, all[0], axis)) % vector == 0;
               });
    });
}

/// Elements from the last aligned one to an element.
std::int64_t phase_of(std::int64_t offset, int vector) { return (offset % vector + vector) % vector; }

/// How many rows there are of each phase.
std::vector<std::int64_t> rows_by_phase(const loop_nest& k, int layout_position, int vector) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(vector), 0);
    rows[0] = 1;
    for (int axis : k.outer) {
        const std::int64_t extent = extent_of(k, axis), stride = stride_of(k, layout_position, axis);
        std::vector<std::int64_t> with_axis(rows.size(), 0);
        for (int phase = 0; phase < vector; ++phase)
            for (std::int64_t i = 0; i < std::min<std::int64_t>(vector, extent); ++i)
                with_axis[static_cast<std::size_t>(phase_of(phase + i * stride, vector))] +=
                    rows[static_cast<std::size_t>(phase)] * ((extent - 1 - i) / vector + 1);
        rows = std::move(with_axis);
    }
    return rows;
}

/// A layout by which the rows are aligned: any that moves with them.
int aligned_layout(const loop_nest& k) {
    int found = -1;
    for (const access& a : accesses_of(k))
        if (a.loop >= 0 && moves_with_rows(k, a.layout_position)) found = a.layout_position;
    return found;
}

}  // namespace

// Up to 2 * (vector - 1) elements are no part of whole vectors: each is one thread's. So a row has twice as many
// threads as an access has elements, and pays if each of them has two wide accesses beside.
int peeled_vector(const loop_nest& k, const std::vector<int>& alignment) {
    if (k.outer.empty() || has_scans(k)) return 1;
    const std::optional<row_accesses> found = row_accesses_of(k);
    if (!found || found->wide.empty()) return 1;
    int vector = widest_vector(found->widest, found->narrowest);
    if (found->has_single) vector = std::min(vector, max_neighbours_beside_single);
    for (; vector > 1; vector /= 2)
        if (found->shortest >= std::int64_t{4} * vector * vector && are_in_phase(k, found->wide, vector, alignment))
            return vector;
    return 1;
}

peeled_counts count_peeled(const loop_nest& k, const schedule& s, std::int64_t trips, int parts,
                           std::int64_t repeated) {
    const std::int64_t step = std::int64_t{s.vector_width} * s.threads_per_output;
    const std::int64_t share = divide_up(divide_up(trips, step), std::int64_t{parts}) * step;
    const int at = aligned_layout(k), width = s.vector_width;
    std::vector<std::int64_t> rows = rows_by_phase(k, at, width);
    std::int64_t last = 0;
    for (int axis : k.outer) last += (extent_of(k, axis) - 1) * stride_of(k, at, axis);
    rows[static_cast<std::size_t>(phase_of(last, width))] += repeated;
    peeled_counts all;
    for (int phase = 0; phase < width; ++phase)
        for (std::int64_t begin = 0; begin < trips; begin += share) {
            const std::int64_t length = std::min(share, trips - begin), times = rows[static_cast<std::size_t>(phase)];
            const std::int64_t before = std::min<std::int64_t>((width - phase) % width, length);
            all.wide += times * ((length - before) / width);
            all.single += times * (before + (length - before) % width);
        }
    return all;
}

}  // namespace sinter::codegen
