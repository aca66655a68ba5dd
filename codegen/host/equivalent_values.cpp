// Compares values by what they compute; loads also by the indices that they read.
#include <codegen/host/equivalent_values.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::codegen::blocked {
namespace {

/// Whether two loops have axes of the same extents.
bool alike(const loop_nest& k, int one, int other) {
    if (one == other) return true;
    if (one < 0 || other < 0) return false;
    const std::vector<int>&a = k.loops[one].axes, &b = k.loops[other].axes;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](int x, int y) { return k.extents[x] == k.extents[y]; });
}

/// Whether one loop reads the same elements through a layout as another loop does through another layout.
bool same_places(const loop_nest& k, int at, int loop, int other_at, int other_loop) {
    const layout &a = k.layouts[at], &b = k.layouts[other_at];
    const auto same = [&](int x, int y) { return a.stride[x] == b.stride[y]; };
    if (!std::equal(k.outer.begin(), k.outer.end(), k.outer.begin(), same)) return false;
    return loop < 0 ||
           std::equal(k.loops[loop].axes.begin(), k.loops[loop].axes.end(), k.loops[other_loop].axes.begin(), same);
}

bool equal(const loop_nest& k, const std::vector<int>& equivalents, const value& a, const value& b) {
    if (a.what != b.what || a.op != b.op || a.type != b.type || !alike(k, a.loop, b.loop)) return false;
    for (int i = 0; i < ir::max_operands; ++i)
        if ((a.in[i] < 0 ? -1 : equivalents[a.in[i]]) != (b.in[i] < 0 ? -1 : equivalents[b.in[i]])) return false;
    switch (a.what) {
        case value_kind::load: return a.input == b.input && same_places(k, a.at, a.loop, b.at, b.loop);
        case value_kind::index: return same_places(k, a.at, a.loop, b.at, b.loop);
        case value_kind::scalar: return a.scalar == b.scalar;
        case value_kind::constant: return a.bits == b.bits;
        case value_kind::elementwise:
        case value_kind::cast: return true;
        case value_kind::reduce:
        case value_kind::scan: return false;
    }
    return false;
}

}  // namespace

std::vector<int> find_equivalent_values(const loop_nest& k) {
    std::vector<int> equivalents(k.values.size());
    for (int id = 0; id < static_cast<int>(equivalents.size()); ++id) {
        equivalents[id] = id;
        for (int first = 0; first < id && equivalents[id] == id; ++first)
            if (equivalents[first] == first && equal(k, equivalents, k.values[first], k.values[id]))
                equivalents[id] = first;
    }
    // values are not sorted by loop: map each class to its member of the earliest loop
    std::vector<int> earliest(equivalents.size());
    std::iota(earliest.begin(), earliest.end(), 0);
    for (int id = 0; id < static_cast<int>(equivalents.size()); ++id)
        if (k.values[id].loop < k.values[earliest[equivalents[id]]].loop) earliest[equivalents[id]] = id;
    for (int& equivalent : equivalents) equivalent = earliest[equivalent];
    return equivalents;
}

}  // namespace sinter::codegen::blocked
