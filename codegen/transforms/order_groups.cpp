// Orders the outer axes of a kernel of rows so that groups that read the same elements run at about the same time.
// Blocks start in the order of their groups: in softmax(x + bias, axis=3) of (batch, head, row, column) all heads' rows
// lie between two uses of an element of the bias, which the second-level cache has lost by then. With the batch as the
// last outer axis, the blocks that share a row of the bias follow each other.
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen {
namespace {

/// The part of the traffic that another order must save.
constexpr double least_saved = 0.05;

/// What a group reads or writes of an array, and how that moves from group to group.
struct accessed_array {
    int pointer = -1;  ///< an input, or the number of inputs + an output
    int layout = -1;
    double of_group = 0;  ///< bytes
};

double extent_along(const loop_nest& k, int axis) {
    return static_cast<double>(k.extents[static_cast<std::size_t>(axis)]);
}

std::vector<accessed_array> arrays_of(const loop_nest& k) {
    std::vector<accessed_array> all;
    const auto add = [&](int pointer, int at, dtype type) {
        double bytes = static_cast<double>(size_of(type));
        for (const inner_loop& l : k.loops)
            for (const int axis : l.axes)
                if (stride_of(k, at, axis) != 0) bytes *= extent_along(k, axis);
        const auto moves_alike = [&](const accessed_array& a) {  // as in another loop
            return a.pointer == pointer && std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
                       return stride_of(k, a.layout, axis) == stride_of(k, at, axis);
                   });
        };
        const auto known = std::find_if(all.begin(), all.end(), moves_alike);
        if (known == all.end())
            all.push_back({pointer, at, bytes});
        else
            known->of_group = std::max(known->of_group, bytes);
    };
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.in[0] < 0) add(v.input, v.at, v.type);
    for (const kernel_store& s : k.stores)
        add(static_cast<int>(k.inputs.size()) + s.output, s.at, k.outputs[static_cast<std::size_t>(s.output)]);
    return all;
}

/// Bytes between the caches and memory when groups run in an order of the outer axes: what is read again after more
/// than a cache holds is moved again.
double bytes_in_order(const loop_nest& k, const std::vector<accessed_array>& arrays, const std::vector<int>& order,
                      double cache_bytes) {
    double of_group = 0, all = 0;
    for (const accessed_array& a : arrays) of_group += a.of_group;
    for (const accessed_array& a : arrays) {
        double bytes = a.of_group, between = of_group;  // what is moved from one index of the axis to the next
        for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
            const bool moves = stride_of(k, a.layout, *axis) != 0;
            if (moves || between > cache_bytes) bytes *= extent_along(k, *axis);
            between *= extent_along(k, *axis);
        }
        all += bytes;
    }
    return all;
}

}  // namespace

std::optional<loop_nest> with_sharing_groups_together(const loop_nest& k, std::int64_t cache_bytes) {
    if (k.call || k.outer.size() < 2 || k.loops.empty() || k.nest_axis >= 0 || k.block_axis >= 0 || outer_size(k) == 0)
        return std::nullopt;
    const std::vector<accessed_array> arrays = arrays_of(k);
    const auto moved = [&](const std::vector<int>& order) {
        return bytes_in_order(k, arrays, order, static_cast<double>(cache_bytes));
    };
    double least = (1 - least_saved) * moved(k.outer);
    std::vector<int> best;
    for (std::size_t a = 0; a + 1 < k.outer.size(); ++a) {
        std::vector<int> order = k.outer;
        std::rotate(order.begin() + static_cast<std::ptrdiff_t>(a), order.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                    order.end());
        if (const double bytes = moved(order); bytes < least) {
            least = bytes;
            best = std::move(order);
        }
    }
    if (best.empty()) return std::nullopt;
    loop_nest other = k;
    other.outer = std::move(best);
    renumber_axes(other);
    return other;
}

}  // namespace sinter::codegen
