// What the schedules need to know of a kernel's accesses.
#include <codegen/schedule/access.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <sinter/gather.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace sinter::codegen {

std::vector<access> accesses_of(const loop_nest& k) {
    std::vector<access> all;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] < 0) all.push_back({v.at, v.input, v.type, v.loop});
    for (const kernel_store& s : k.stores)
        all.push_back({s.at, static_cast<int>(k.inputs.size()) + s.output,
                       k.outputs[static_cast<std::size_t>(s.output)], s.loop});
    return all;
}

std::vector<access> gathers_of(const loop_nest& k) {
    std::vector<access> all;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] >= 0) all.push_back({v.at, v.input, v.type, v.loop, v.in[0]});
    return all;
}

// Whether the displacement of a gather depends on the index along an axis.
static bool moves_along(const loop_nest& k, const access& a, int axis) {
    return a.displacement >= 0 && (k.values[static_cast<std::size_t>(a.displacement)].varies >> axis & 1u) != 0;
}

bool varies(const loop_nest& k, const access& a, int axis) {
    return stride_of(k, a, axis) != 0 || moves_along(k, a, axis);
}

std::optional<std::int64_t> step_along(const loop_nest& k, int index, int axis) {
    const value& v = k.values[static_cast<std::size_t>(index)];
    if ((v.varies >> axis & 1u) == 0) return 0;
    if (v.what == value_kind::index)
        return k.layouts[static_cast<std::size_t>(v.at)].stride[static_cast<std::size_t>(axis)];
    if (v.what == value_kind::cast) return step_along(k, v.in[0], axis);
    if (v.what != value_kind::elementwise) return std::nullopt;
    const std::optional<std::int64_t> first = step_along(k, v.in[0], axis);
    if (!first) return std::nullopt;
    if (v.op == &index_plus) {
        const std::optional<std::int64_t> second = step_along(k, v.in[1], axis);
        return second ? std::optional(*first + *second) : std::nullopt;
    }
    const bool ends = v.op == &sinter::detail::index_of_part_row::row ||
                      v.op == &sinter::detail::index_within_row::row || v.op == &sinter::detail::index_rolled_row::row;
    return ends ? first : std::nullopt;
}

bool is_contiguous(const loop_nest& k, const access& a, int axis) {
    const std::int64_t own = stride_of(k, a, axis);
    if (!moves_along(k, a, axis)) return own == 1;
    const std::optional<std::int64_t> step = step_along(k, a.displacement, axis);
    return step && own + *step == 1;
}

bool is_aligned_beside(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment) {
    const int bytes = std::min(16, vector * static_cast<int>(size_of(a.type)));
    const int aligned = static_cast<std::size_t>(a.pointer) < alignment.size()
                            ? alignment[static_cast<std::size_t>(a.pointer)]
                            : static_cast<int>(size_of(a.type));
    if (aligned % bytes != 0) return false;
    for (int axis = 0; axis < static_cast<int>(k.extents.size()); ++axis)
        if (axis != fast && stride_of(k, a, axis) % vector != 0) return false;
    return true;
}

bool can_move(const loop_nest& k, const access& a, int fast, int vector, const std::vector<int>& alignment) {
    return stride_of(k, a, fast) == 1 && is_aligned_beside(k, a, fast, vector, alignment);
}

/// Whether a loop computes with the indices of its elements.
static bool counts(const loop_nest& k, int loop) {
    return std::any_of(k.values.begin(), k.values.end(),
                       [&](const value& v) { return v.what == value_kind::index && v.loop == loop; });
}

// Neighbours of a thread in a loop that reads nothing: what they have in common is computed once, as a block of random
// numbers (include/sinter/random.hpp), which four share.
static constexpr int numbers_of_a_block = 4;

static int width_among(const loop_nest& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment,
                       const std::vector<access>& all) {
    if (axes.empty()) return 1;
    const int last = axes.back();
    std::size_t widest = 1, narrowest = 16;
    bool any = false;
    const auto moves = [&](const access& a) { return a.loop == loop && stride_of(k, a, last) != 0; };
    for (const access& a : all) {
        if (!moves(a)) continue;
        if (stride_of(k, a, last) != 1) return 1;
        any = true;
        widest = std::max(widest, size_of(a.type));
        narrowest = std::min(narrowest, size_of(a.type));
    }
    // its tail is taken one by one, unless values run along it
    const bool one_run = axes.size() == 1 && (loop == group_level || k.outer.empty()) && !has_scans(k);
    if (!any) {  // rows that are gathered
        const auto gathers = [&](const access& a) {
            return a.loop == loop && (stride_of(k, a, last) != 0 || can_gather(k, a, last, 2, alignment));
        };
        for (const access& a : gathers_of(k)) {
            if (!gathers(a)) continue;
            any = true;
            widest = std::max(widest, size_of(a.type));
            narrowest = std::min(narrowest, size_of(a.type));
        }
        for (int vector = widest_vector(widest, narrowest); any && vector > 1; vector /= 2) {
            bool fits = one_run || extent_of(k, last) % vector == 0;
            for (const access& a : gathers_of(k))
                fits = fits && (!gathers(a) || can_gather(k, a, last, vector, alignment));
            if (fits) return vector;
        }
        return counts(k, loop) && (one_run || extent_of(k, last) % numbers_of_a_block == 0) ? numbers_of_a_block : 1;
    }
    int vector = widest_vector(widest, narrowest);
    for (; vector > 1; vector /= 2) {
        bool fits = one_run || extent_of(k, last) % vector == 0;
        for (const access& a : all) fits = fits && (!moves(a) || can_move(k, a, last, vector, alignment));
        if (fits) return vector;
    }
    return 1;
}

int vector_width(const loop_nest& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment) {
    return width_among(k, axes, loop, alignment, accesses_of(k));
}

int vector_width_beside_strided(const loop_nest& k, const std::vector<int>& axes, int loop,
                                const std::vector<int>& alignment) {
    constexpr std::size_t sector = 32;
    if (axes.empty()) return 1;
    std::size_t single = 0, wide = 0;
    std::vector<access> others;
    for (const access& a : accesses_of(k)) {
        const auto step = static_cast<std::size_t>(std::abs(stride_of(k, a, axes.back())));
        const bool is_load = a.pointer < static_cast<int>(k.inputs.size());
        const bool strided = is_load && a.loop == loop && step * size_of(a.type) >= sector;
        if (!strided) others.push_back(a);
        if (a.loop == loop && step != 0) (strided ? single : wide) += size_of(a.type);
    }
    return single < wide ? width_among(k, axes, loop, alignment, others) : 1;
}

}  // namespace sinter::codegen
