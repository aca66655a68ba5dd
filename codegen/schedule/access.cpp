// What the schedules need to know of a kernel's accesses.
#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <sinter/gather.hpp>

#include <algorithm>
#include <limits>
#include <optional>

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

// How far an index moves for each step along an axis, but at the ends of parts, where it stops or jumps; none where
// that depends on data.
static std::optional<std::int64_t> step_along(const loop_nest& k, int index, int axis) {
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

bool computes_indices(const loop_nest& k) {
    return std::any_of(k.values.begin(), k.values.end(), [](const value& v) {
        return v.what == value_kind::index || (v.what == value_kind::load && v.in[0] >= 0);
    });
}

/// Whether a loop computes with the indices of its elements.
static bool counts(const loop_nest& k, int loop) {
    return std::any_of(k.values.begin(), k.values.end(),
                       [&](const value& v) { return v.what == value_kind::index && v.loop == loop; });
}

// Neighbours of a thread in a loop that reads nothing: what they have in common is computed once, as a block of random
// numbers (include/sinter/random.hpp), which four share.
static constexpr int numbers_of_a_block = 4;

int vector_width(const loop_nest& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment) {
    if (axes.empty()) return 1;
    const int last = axes.back();
    std::size_t widest = 1, narrowest = 16;
    bool any = false;
    const std::vector<access> all = accesses_of(k);
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

int function_calls(const loop_nest& k, int loop) {
    int calls = 0;
    for (const value& v : k.values)
        if (v.op != nullptr && v.loop == loop) calls += traits_of(*v.op).calls;
    return calls;
}

bool needs_wide_index(const loop_nest& k, std::int64_t slack) {
    const std::int64_t most = std::numeric_limits<std::int32_t>::max() - slack;
    std::int64_t groups = outer_size(k);
    if (groups > most) return true;
    for (const inner_loop& l : k.loops)
        if (trip_count(k, l) > most) return true;
    for (int l = 0; l < static_cast<int>(k.layouts.size()); ++l)
        if (reach_of(k, l).elements() - 1 > most) return true;
    return false;
}

int bytes_per_iteration(const loop_nest& k, int loop) {
    int bytes = 0;
    for (const value& v : k.values)
        if ((v.what == value_kind::load || v.what == value_kind::scan) && v.loop == loop)
            bytes += static_cast<int>(size_of(v.type));
    return bytes;
}

std::int64_t longest_loop(const loop_nest& k) {
    std::int64_t longest = 0;
    for (const inner_loop& l : k.loops) longest = std::max(longest, trip_count(k, l));
    return longest;
}

bool can_split(const loop_nest& k) {
    return k.loops.size() == 1 && !k.loops[0].reductions.empty() && !has_scans(k) &&
           std::all_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop == group_level; });
}

bool can_look_back(const loop_nest& k) {
    if (k.loops.size() != 1 || !k.loops[0].reductions.empty() || !has_scans(k)) return false;
    std::vector<char> runs(k.values.size(), 0);  // behind a scan
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        const value& v = k.values[i];
        for (int in : v.in)
            runs[i] = static_cast<char>(runs[i] != 0 || (in >= 0 && runs[static_cast<std::size_t>(in)] != 0));
        if (v.what != value_kind::scan) continue;
        // those who look back fold earlier tiles in any order
        if (runs[i] != 0 || !v.op->commutes) return false;
        runs[i] = 1;
    }
    return true;
}

bool can_share_by_barriers(const loop_nest& k) {
    return !can_split(k) && !has_scans(k) && !folds_groups(k) &&
           std::any_of(k.loops.begin(), k.loops.end(), [](const inner_loop& l) { return !l.reductions.empty(); });
}

bool move_alike(const loop_nest& k, int layout_a, const std::vector<int>& axes_a, int layout_b,
                const std::vector<int>& axes_b) {
    if (axes_a.size() != 1 && axes_b.size() == 1) return move_alike(k, layout_b, axes_b, layout_a, axes_a);
    const auto stride = [&](int l, int axis) {
        return k.layouts[static_cast<std::size_t>(l)].stride[static_cast<std::size_t>(axis)];
    };
    if (axes_a.size() == axes_b.size())
        return std::equal(axes_a.begin(), axes_a.end(), axes_b.begin(), [&](int a, int b) {
            return extent_of(k, a) == extent_of(k, b) && stride(layout_a, a) == stride(layout_b, b);
        });
    if (axes_a.size() != 1) return false;
    std::int64_t elements = 1;
    for (auto axis = axes_b.rbegin(); axis != axes_b.rend(); ++axis) {
        if (stride(layout_b, *axis) != stride(layout_a, axes_a[0]) * elements) return false;
        elements *= extent_of(k, *axis);
    }
    return elements == extent_of(k, axes_a[0]);
}

bool read_alike(const loop_nest& k, const value& a, const value& b) {
    if (a.input != b.input || !may_stay(k, a.at)) return false;
    const layout& of_a = k.layouts[static_cast<std::size_t>(a.at)];
    const layout& of_b = k.layouts[static_cast<std::size_t>(b.at)];
    const auto agree = [&](int axis) {
        return of_a.stride[static_cast<std::size_t>(axis)] == of_b.stride[static_cast<std::size_t>(axis)];
    };
    return std::all_of(k.outer.begin(), k.outer.end(), agree) &&
           move_alike(k, a.at, k.loops[static_cast<std::size_t>(a.loop)].axes, b.at,
                      k.loops[static_cast<std::size_t>(b.loop)].axes);
}

// Loops of as many steps, each along as many axes as the others or along one that stands for these.
static bool are_like(const loop_nest& k) {
    std::size_t most = 1;
    for (const inner_loop& l : k.loops) most = std::max(most, l.axes.size());
    return std::all_of(k.loops.begin(), k.loops.end(), [&](const inner_loop& l) {
        return trip_count(k, l) == trip_count(k, k.loops[0]) && (l.axes.size() == most || l.axes.size() == 1);
    });
}

int bytes_read_again(const loop_nest& k) {
    if (k.loops.size() < 2 || !are_like(k)) return 0;
    const auto in_loop = [](const value& v) { return v.what == value_kind::load && v.in[0] < 0 && v.loop >= 0; };
    int bytes = 0;
    for (auto v = k.values.begin(); v != k.values.end(); ++v) {
        if (!in_loop(*v)) continue;
        const auto same = [&](const value& other) { return in_loop(other) && read_alike(k, *v, other); };
        if (std::any_of(k.values.begin(), v, same)) continue;  // counted with the first
        if (std::any_of(v + 1, k.values.end(), same)) bytes += static_cast<int>(size_of(v->type));
    }
    return bytes;
}

int power_of_two(std::int64_t n, int most) {
    int p = 1;
    while (p < n && p < most) p *= 2;
    return p;
}

}  // namespace sinter::codegen
