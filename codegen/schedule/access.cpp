// What the schedules need to know of a kernel's accesses.
#include <codegen/analysis/op_traits.hpp>
#include <codegen/schedule/forms.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {

std::vector<access> accesses_of(const kernel& k) {
    std::vector<access> all;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] < 0) all.push_back({v.at, v.input, v.type, v.loop});
    for (const kernel_store& s : k.stores)
        all.push_back({s.at, static_cast<int>(k.inputs.size()) + s.output,
                       k.outputs[static_cast<std::size_t>(s.output)], s.loop});
    return all;
}

std::vector<access> gathers_of(const kernel& k) {
    std::vector<access> all;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] >= 0) all.push_back({v.at, v.input, v.type, v.loop, v.in[0]});
    return all;
}

// Whether the displacement of a gather depends on the index along an axis.
static bool moves_along(const kernel& k, const access& a, int axis) {
    return a.displacement >= 0 && (k.values[static_cast<std::size_t>(a.displacement)].varies >> axis & 1u) != 0;
}

bool varies(const kernel& k, const access& a, int axis) {
    return stride_of(k, a, axis) != 0 || moves_along(k, a, axis);
}

bool is_contiguous(const kernel& k, const access& a, int axis) {
    return stride_of(k, a, axis) == 1 && !moves_along(k, a, axis);
}

bool can_move(const kernel& k, const access& a, int fast, int vector, const std::vector<int>& alignment) {
    const int bytes = std::min(16, vector * static_cast<int>(size_of(a.type)));
    const int aligned = static_cast<std::size_t>(a.pointer) < alignment.size()
                            ? alignment[static_cast<std::size_t>(a.pointer)]
                            : static_cast<int>(size_of(a.type));
    if (stride_of(k, a, fast) != 1 || aligned % bytes != 0) return false;
    for (int axis = 0; axis < static_cast<int>(k.extents.size()); ++axis)
        if (axis != fast && stride_of(k, a, axis) % vector != 0) return false;
    return true;
}

bool computes_places(const kernel& k) {
    return std::any_of(k.values.begin(), k.values.end(), [](const value& v) {
        return v.what == value_kind::index || (v.what == value_kind::load && v.in[0] >= 0);
    });
}

int vector_width(const kernel& k, const std::vector<int>& axes, int loop, const std::vector<int>& alignment) {
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
    if (!any) return 1;
    int vector = widest_vector(widest, narrowest);
    // its tail is taken one by one, unless values run along it
    const bool one_run = axes.size() == 1 && (loop == group_level || k.outer.empty()) && !has_scans(k);
    for (; vector > 1; vector /= 2) {
        bool fits = one_run || extent_of(k, last) % vector == 0;
        for (const access& a : all) fits = fits && (!moves(a) || can_move(k, a, last, vector, alignment));
        if (fits) return vector;
    }
    return 1;
}

int function_calls(const kernel& k, int loop) {
    int calls = 0;
    for (const value& v : k.values)
        if (v.op != nullptr && v.loop == loop) calls += traits_of(*v.op).calls;
    return calls;
}

bool needs_wide_index(const kernel& k, std::int64_t slack) {
    const std::int64_t most = std::numeric_limits<std::int32_t>::max() - slack;
    std::int64_t groups = outer_size(k);
    if (groups > most) return true;
    for (const inner_loop& l : k.loops)
        if (trip_count(k, l) > most) return true;
    for (int l = 0; l < static_cast<int>(k.layouts.size()); ++l)
        if (reach_of(k, l).elements() - 1 > most) return true;
    return false;
}

int bytes_an_iteration(const kernel& k, int loop) {
    int bytes = 0;
    for (const value& v : k.values)
        if ((v.what == value_kind::load || v.what == value_kind::scan) && v.loop == loop)
            bytes += static_cast<int>(size_of(v.type));
    return bytes;
}

std::int64_t longest_loop(const kernel& k) {
    std::int64_t longest = 0;
    for (const inner_loop& l : k.loops) longest = std::max(longest, trip_count(k, l));
    return longest;
}

bool can_split(const kernel& k) {
    return k.loops.size() == 1 && !k.loops[0].reductions.empty() && !has_scans(k) &&
           std::all_of(k.stores.begin(), k.stores.end(), [](const kernel_store& s) { return s.loop == group_level; });
}

bool can_look_back(const kernel& k) {
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

bool can_meet(const kernel& k) {
    return !can_split(k) && !has_scans(k) && !folds_groups(k) &&
           std::any_of(k.loops.begin(), k.loops.end(), [](const inner_loop& l) { return !l.reductions.empty(); });
}

bool read_alike(const kernel& k, const value& a, const value& b) {
    if (a.input != b.input) return false;
    const layout& of_a = k.layouts[static_cast<std::size_t>(a.at)];
    const layout& of_b = k.layouts[static_cast<std::size_t>(b.at)];
    const std::vector<int>& axes_a = k.loops[static_cast<std::size_t>(a.loop)].axes;
    const std::vector<int>& axes_b = k.loops[static_cast<std::size_t>(b.loop)].axes;
    const auto agree = [&](int axis_a, int axis_b) {
        return of_a.stride[static_cast<std::size_t>(axis_a)] == of_b.stride[static_cast<std::size_t>(axis_b)];
    };
    return std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) { return agree(axis, axis); }) &&
           std::equal(axes_a.begin(), axes_a.end(), axes_b.begin(), axes_b.end(), agree);
}

int bytes_read_again(const kernel& k) {
    if (k.loops.size() < 2) return 0;
    for (const inner_loop& l : k.loops)
        for (std::size_t p = 0; p < l.axes.size() || p < k.loops[0].axes.size(); ++p)
            if (l.axes.size() != k.loops[0].axes.size() || extent_of(k, l.axes[p]) != extent_of(k, k.loops[0].axes[p]))
                return 0;
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
