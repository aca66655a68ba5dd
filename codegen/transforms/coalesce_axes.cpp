// Coalesces neighbouring axes that every access walks as one axis, and orders the axes of a reduction loop so that the
// last has the smallest strides, in most of the bytes that the loop moves. A contiguous array of any rank becomes
// one-dimensional.
#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::codegen {
namespace {

bool mergeable(const loop_nest& k, int slow, int fast) {
    return std::all_of(k.layouts.begin(), k.layouts.end(),
                       [&](const layout& l) { return l.stride[slow] == l.stride[fast] * k.extents[fast]; });
}

/// Coalesces neighbours within an ordered list of axes. The merged axis keeps the number of the faster one.
void merge_axes(loop_nest& k, std::vector<int>& axes) {
    for (std::size_t i = axes.size(); i-- > 1;) {
        const int slow = axes[i - 1], fast = axes[i];
        if (!mergeable(k, slow, fast)) continue;
        k.extents[fast] *= k.extents[slow];
        for (value& v : k.values)
            if (v.varies >> slow & 1) v.varies = (v.varies & ~(1u << slow)) | 1u << fast;
        for (layout& l : k.layouts) l.stride[slow] = 0;
        axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
}

void sort_by_stride(const loop_nest& k, std::vector<int>& axes) {
    const auto largest_stride = [&](int axis) {
        std::int64_t largest = 0;
        for (const layout& l : k.layouts) largest = std::max(largest, std::abs(l.stride[axis]));
        return largest;
    };
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return largest_stride(a) > largest_stride(b); });
}

/// The bytes that a loop moves: all of them, or by accesses whose elements lie side by side along an axis.
double bytes_moved_in(const loop_nest& k, int loop, int along = -1) {
    const auto moved = [&](int layout_position, dtype type) {
        const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
        if (along >= 0 && std::abs(l.stride[along]) != 1) return 0.0;
        double elements = 1;
        for (std::size_t a = 0; a < k.extents.size(); ++a)
            if (l.stride[a] != 0) elements *= static_cast<double>(k.extents[a]);
        return elements * static_cast<double>(size_of(type));
    };
    double bytes = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.loop == loop) bytes += moved(v.at, v.type);
    for (const kernel_store& st : k.stores)
        if (st.loop == loop) bytes += moved(st.at, k.outputs[static_cast<std::size_t>(st.output)]);
    return bytes;
}

/// Where arrays lie in different orders, that of most of the bytes is followed: the others are read against theirs.
void end_with_most_bytes(const loop_nest& k, int loop, std::vector<int>& axes) {
    if (axes.size() < 2) return;
    const double all = bytes_moved_in(k, loop);
    const auto most =
        std::find_if(axes.begin(), axes.end(), [&](int axis) { return bytes_moved_in(k, loop, axis) > all / 2; });
    if (most != axes.end()) std::rotate(most, most + 1, axes.end());
}

/// Deduplicates layouts that have become equal.
void merge_identical_layouts(loop_nest& k) {
    const std::vector<int> now = deduplicate(k.layouts);
    for (value& v : k.values)
        if (v.at >= 0) v.at = now[v.at];
    for (kernel_store& s : k.stores) s.at = now[s.at];
}

}  // namespace

void renumber_axes(loop_nest& k) {
    std::vector<int> order = k.outer;
    for (const inner_loop& l : k.loops) order.insert(order.end(), l.axes.begin(), l.axes.end());
    for (const int axis : {k.block_axis, k.nest_axis})
        if (axis >= 0) order.push_back(axis);
    std::vector<int> now(k.extents.size(), -1);
    std::vector<std::int64_t> extents_now;
    for (std::size_t i = 0; i < order.size(); ++i) {
        now[order[i]] = static_cast<int>(i);
        extents_now.push_back(k.extents[order[i]]);
    }
    for (layout& l : k.layouts) {
        layout renumbered;
        for (std::size_t i = 0; i < order.size(); ++i) renumbered.stride[i] = l.stride[order[i]];
        l = renumbered;
    }
    for (value& v : k.values) {
        std::uint32_t varies = 0;
        for (std::size_t a = 0; a < now.size(); ++a)
            if ((v.varies >> a & 1) && now[a] >= 0) varies |= 1u << now[a];
        v.varies = varies;
    }
    for (int& a : k.outer) a = now[a];
    for (inner_loop& l : k.loops)
        for (int& a : l.axes) a = now[a];
    for (int* const axis : {&k.block_axis, &k.nest_axis})
        if (*axis >= 0) *axis = now[*axis];
    k.extents = std::move(extents_now);
}

void coalesce_axes(loop_nest& k) {
    for (std::size_t l = 0; l < k.loops.size(); ++l) {
        std::vector<int>& axes = k.loops[l].axes;
        if (!k.loops[l].reductions.empty()) {
            sort_by_stride(k, axes);
            end_with_most_bytes(k, static_cast<int>(l), axes);
        }
        merge_axes(k, axes);
    }
    merge_axes(k, k.outer);
    renumber_axes(k);
    merge_identical_layouts(k);
}

}  // namespace sinter::codegen
