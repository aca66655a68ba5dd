// Replaces all outer axes of an elementwise kernel, or the axes of a loop, by one. A wide access needs rows of a
// multiple of its width that begin aligned; rows of odd length or interleaved channels would be accessed one element
// at a time. In the order of all elements, however, a row-major array is one long row, accessed widely even across
// rows. Operands in another order (broadcast, sliced, joined) or not aligned to 16 bytes are read element by element,
// at indices delinearized from the position as in a reshape. For these, each access of a warp touches as many cache
// lines for one element as it could for all, so the bytes they read from memory must not exceed those accessed widely.
// Measured: the difference of two slices of (32768, 2049) floats takes 4 % longer with one axis, of halves 7 %; all
// other cases took up to 33 % less. A variance of an array plus one in another order takes 21 % longer, so in a loop,
// which stores nothing, the wide accesses must be more (bench/NOTES.md).
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/loop_nest_builder.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

constexpr int widest_access = 16;

/// The axes that a loop, or a kernel without loops, goes over.
const std::vector<int>& axes_of(const loop_nest& k, int loop) {
    return loop == group_level ? k.outer : k.loops[static_cast<std::size_t>(loop)].axes;
}

bool is_row_major(const loop_nest& k, const layout& l, const std::vector<int>& axes) {
    std::int64_t step = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        if (k.extents[static_cast<std::size_t>(*axis)] != 1 && l.stride[static_cast<std::size_t>(*axis)] != step)
            return false;
        step *= k.extents[static_cast<std::size_t>(*axis)];
    }
    return true;
}

/// Whether a layout moves along all axes. Others repeat their elements, which are then cached.
bool is_of_memory(const loop_nest& k, const layout& l, const std::vector<int>& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](int axis) {
        return k.extents[static_cast<std::size_t>(axis)] == 1 || l.stride[static_cast<std::size_t>(axis)] != 0;
    });
}

/// Whether, with one axis, wide accesses move at least as many bytes per element as single ones; more in a loop.
bool pays(const loop_nest& k, int loop, const std::vector<int>& alignment) {
    const std::vector<int>& axes = axes_of(k, loop);
    std::size_t wide = 0, single = 0;
    for (const kernel_store& s : k.stores)
        if (s.loop == loop) wide += size_of(k.outputs[static_cast<std::size_t>(s.output)]);
    for (const value& v : k.values) {
        if (v.what != value_kind::load || v.in[0] >= 0 || v.loop != loop) continue;
        const layout& l = k.layouts[static_cast<std::size_t>(v.at)];
        const bool in_order = is_row_major(k, l, axes) && alignment[static_cast<std::size_t>(v.input)] == widest_access;
        if (in_order || is_of_memory(k, l, axes)) (in_order ? wide : single) += size_of(v.type);
    }
    return loop == group_level ? wide >= single : wide > single;
}

bool is_int32(std::int64_t n) { return n < std::numeric_limits<std::int32_t>::max(); }

class one_axis_writer : loop_nest_builder {
public:
    one_axis_writer(const loop_nest& from, const std::vector<int>& alignment)
        : from_(from), alignment_(alignment), along_(from.extents.size()) {}

    loop_nest run() {
        begin_as(from_);
        add_axes();
        for (const value& v : from_.values) now_.push_back(rewritten(v));
        for (kernel_store s : from_.stores) {
            s.value = now_[static_cast<std::size_t>(s.value)];
            s.at = position_of(coordinate_of(s.at)).layout;
            k_.stores.push_back(s);
        }
        finish();
        return std::move(k_);
    }

private:
    void add_axes() {
        if (from_.loops.empty()) return delinearize(from_.outer, k_.outer = {new_axis(outer_size(from_))});
        for (const int axis : from_.outer) {
            k_.outer.push_back(new_axis(from_.extents[static_cast<std::size_t>(axis)]));
            along_[static_cast<std::size_t>(axis)] = along_axis(k_.outer.back());
        }
        for (std::size_t l = 0; l < from_.loops.size(); ++l) {
            const int loop = loop_over(static_cast<int>(l), {trip_count(from_, from_.loops[l])});
            delinearize(from_.loops[l].axes, k_.loops[static_cast<std::size_t>(loop)].axes);
        }
    }

    /// The indices along some axes, of that along the one that replaces them.
    void delinearize(const std::vector<int>& axes, const std::vector<int>& one) {
        std::vector<std::int64_t> shape;
        for (const int axis : axes) shape.push_back(from_.extents[static_cast<std::size_t>(axis)]);
        std::vector<index_expression> along(shape.size());
        delinearized_.split(along_axis(one[0]), shape.data(), static_cast<int>(shape.size()), k_.extents, along.data());
        for (std::size_t a = 0; a < axes.size(); ++a) along_[static_cast<std::size_t>(axes[a])] = along[a];
    }

    /// A layout's offset as an expression of the new axes.
    index_expression coordinate_of(int layout_position) const {
        const layout& l = from_.layouts[static_cast<std::size_t>(layout_position)];
        index_expression sum;
        for (std::size_t a = 0; a < along_.size(); ++a) sum = sum_of(sum, scaled(along_[a], l.stride[a]));
        return delinearized_.joined(std::move(sum));
    }

    int rewritten(value v) {
        for (int& in : v.in)
            if (in >= 0) in = now_[static_cast<std::size_t>(in)];
        v.varies = 0;
        v.loop = group_level;
        if (v.what == value_kind::reduce) return push_reduction(v);
        if (v.what == value_kind::index) {
            const int index = index_value(coordinate_of(v.at));
            return converted(index, v.type, v.node);
        }
        if (v.what != value_kind::load) return push(v, v.node);
        position p = position_of(coordinate_of(v.at));
        if (v.in[0] < 0 && moves_unaligned(v, p.layout)) {
            p.value = index_value(coordinate_of(v.at));
            p.layout = position_of({}).layout;
        }
        v.at = p.layout;
        v.varies = varies_by(v.at);
        if (p.value >= 0) v.in[0] = v.in[0] < 0 ? p.value : computed(index_plus, v.in[0], p.value);
        return push(v, v.node);
    }

    /// Whether neighbours lie side by side, but where no wide access is. In loops they keep all accesses single.
    bool moves_unaligned(const value& load, int layout_position) const {
        return k_.loops.empty() && stride_of(k_, layout_position, k_.outer.back()) == 1 &&
               alignment_[static_cast<std::size_t>(load.input)] != widest_access;
    }

    const loop_nest& from_;
    const std::vector<int>& alignment_;
    std::vector<index_expression> along_;  ///< per axis: its index
    std::vector<int> now_;
};

/// Whether it has several axes, along which its results are in the order of memory, and takes fewer accesses with one.
bool gains(const loop_nest& k, int loop, const std::vector<int>& alignment) {
    const auto in_order = [&](const kernel_store& s) {
        return s.loop != loop || is_row_major(k, k.layouts[static_cast<std::size_t>(s.at)], axes_of(k, loop));
    };
    return std::all_of(k.stores.begin(), k.stores.end(), in_order) && pays(k, loop, alignment);
}

bool has_plain_loops(const loop_nest& k) { return !k.call && k.nest_axis < 0 && !has_scans(k) && !folds_groups(k); }

}  // namespace

std::optional<loop_nest> with_one_axis(const loop_nest& k, const std::vector<int>& alignment) {
    if (!has_plain_loops(k) || !is_int32(outer_size(k))) return std::nullopt;
    if (k.loops.empty() && (k.outer.empty() || !gains(k, group_level, alignment))) return std::nullopt;
    bool has_several = k.loops.empty();
    for (int l = 0; l < static_cast<int>(k.loops.size()); ++l) {
        const inner_loop& loop = k.loops[static_cast<std::size_t>(l)];
        if (!is_int32(trip_count(k, loop)) || loop.axes.empty()) return std::nullopt;
        if (loop.axes.size() == 1) continue;
        if (!gains(k, l, alignment)) return std::nullopt;
        has_several = true;
    }
    if (!has_several) return std::nullopt;
    const auto reaches = [&](const value& v) { return v.at < 0 || is_int32(reach_of(k, v.at).elements()); };
    if (!std::all_of(k.values.begin(), k.values.end(), reaches)) return std::nullopt;
    loop_nest made = one_axis_writer(k, alignment).run();
    narrow_index_types(made);
    return made;
}

}  // namespace sinter::codegen
