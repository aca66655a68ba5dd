// What the schedules need to know of a kernel's loops.
#include <codegen/schedule/loops.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/schedule/peeled_rows.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {

bool computes_indices(const loop_nest& k) {
    return std::any_of(k.values.begin(), k.values.end(), [](const value& v) {
        return v.what == value_kind::index || (v.what == value_kind::load && v.in[0] >= 0);
    });
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
    if (a.input != b.input || !may_be_cached(k, a.at)) return false;
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

/// Sums what f says of the dtypes of the inputs that are read again.
template <class F>
static int sum_read_again(const loop_nest& k, bool gathers, F f) {
    if (k.loops.size() < 2 || !are_like(k)) return 0;
    const bool keeps_gathers =
        gathers && may_keep_values(k) && std::any_of(k.values.begin(), k.values.end(), is_gather);
    const std::vector<int> equivalents = keeps_gathers ? equivalent_values(k) : std::vector<int>();
    const auto displacement = [&](const value& v) {
        return v.in[0] < 0 ? -1 : equivalents[static_cast<std::size_t>(v.in[0])];
    };
    const auto in_loop = [&](const value& v) {
        return v.what == value_kind::load && v.loop >= 0 && (v.in[0] < 0 || keeps_gathers);
    };
    int sum = 0;
    for (auto v = k.values.begin(); v != k.values.end(); ++v) {
        if (!in_loop(*v)) continue;
        const auto same = [&](const value& other) {
            return in_loop(other) && read_alike(k, *v, other) && displacement(*v) == displacement(other);
        };
        if (std::any_of(k.values.begin(), v, same)) continue;  // counted with the first
        if (std::any_of(v + 1, k.values.end(), same)) sum += f(v->type);
    }
    return sum;
}

int bytes_read_again(const loop_nest& k, bool gathers) {
    return sum_read_again(k, gathers, [](dtype type) { return static_cast<int>(size_of(type)); });
}

int register_bytes_read_again(const loop_nest& k, int vector, bool gathers) {
    return sum_read_again(k, gathers, [vector](dtype type) { return register_bytes(type, vector); });
}

int power_of_two(std::int64_t n, int most) {
    int p = 1;
    while (p < n && p < most) p *= 2;
    return p;
}

}  // namespace sinter::codegen
