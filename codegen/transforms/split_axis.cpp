// The inverse of coalescing axes.
#include <codegen/transforms/split_axis.hpp>

#include <algorithm>

namespace sinter::codegen {

int split_axis(loop_nest& k, int axis, std::int64_t inner) {
    if (k.extents.size() >= max_axes) return -1;
    const auto from = static_cast<std::size_t>(axis), made = k.extents.size();
    k.extents.push_back(inner);
    k.extents[from] /= inner;
    for (layout& l : k.layouts) {
        l.stride[made] = l.stride[from];
        l.stride[from] *= inner;
    }
    for (value& v : k.values)
        if ((v.varies >> from & 1) != 0) v.varies |= 1u << made;
    const auto insert_after = [&](std::vector<int>& axes) {
        const auto place = std::find(axes.begin(), axes.end(), axis);
        if (place != axes.end()) axes.insert(place + 1, static_cast<int>(made));
    };
    insert_after(k.outer);
    for (inner_loop& l : k.loops) insert_after(l.axes);
    return static_cast<int>(made);
}

void split_outer_axes_like(loop_nest& k, int at, const loop_nest& other, int at_other) {
    for (std::size_t p = 0; p < k.outer.size(); ++p) {
        const int axis = k.outer[p];
        const std::int64_t stride = stride_of(k, at, axis), extent = k.extents[static_cast<std::size_t>(axis)];
        if (stride <= 0) continue;
        // the longest part, so that what is left of the axis is split in turn
        std::int64_t inner = 0;
        for (const int o : other.outer) {
            const std::int64_t step = stride_of(other, at_other, o);
            if (step > stride && step < stride * extent && step % stride == 0 && extent % (step / stride) == 0)
                inner = std::max(inner, step / stride);
        }
        if (inner == 0) continue;
        if (split_axis(k, axis, inner) < 0) return;
        --p;  // once more
    }
}

}  // namespace sinter::codegen
