// Replaces all outer axes of an elementwise kernel by one. A wide access needs rows of a multiple of its width that
// begin aligned; rows of odd length or interleaved channels would be accessed one element at a time. In the order of
// all elements, however, a row-major array is one long row, accessed widely even across rows. Operands in another order
// (broadcast, sliced, joined) or not aligned to 16 bytes are read element by element, at indices delinearized from the
// position as in a reshape. For these, each access of a warp touches as many cache lines for one element as it could
// for all, so the bytes they read from memory must not exceed those accessed widely. Measured: the difference of two
// slices of (32768, 2049) floats takes 4 % longer with one axis, of halves 7 %; all other cases took up to 33 % less
// (bench/NOTES.md).
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/loop_nest_builder.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

constexpr int widest_access = 16;

bool is_row_major(const loop_nest& k, const layout& l) {
    std::int64_t step = 1;
    for (auto axis = k.outer.rbegin(); axis != k.outer.rend(); ++axis) {
        if (k.extents[static_cast<std::size_t>(*axis)] != 1 && l.stride[static_cast<std::size_t>(*axis)] != step)
            return false;
        step *= k.extents[static_cast<std::size_t>(*axis)];
    }
    return true;
}

/// Whether a layout moves along all axes. Others repeat their elements, which are then cached.
bool is_of_memory(const loop_nest& k, const layout& l) {
    return std::all_of(k.outer.begin(), k.outer.end(), [&](int axis) {
        return k.extents[static_cast<std::size_t>(axis)] == 1 || l.stride[static_cast<std::size_t>(axis)] != 0;
    });
}

/// Whether, with one axis, wide accesses move at least as many bytes per result element as single ones.
bool pays(const loop_nest& k, const std::vector<int>& alignment) {
    std::size_t wide = 0, single = 0;
    for (const dtype stored : k.outputs) wide += size_of(stored);
    for (const value& v : k.values) {
        if (v.what != value_kind::load || v.in[0] >= 0) continue;
        const layout& l = k.layouts[static_cast<std::size_t>(v.at)];
        const bool in_order = is_row_major(k, l) && alignment[static_cast<std::size_t>(v.input)] == widest_access;
        if (in_order || is_of_memory(k, l)) (in_order ? wide : single) += size_of(v.type);
    }
    return wide >= single;
}

bool is_int32(std::int64_t n) { return n < std::numeric_limits<std::int32_t>::max(); }

class one_axis_writer : loop_nest_builder {
public:
    one_axis_writer(const loop_nest& from, const std::vector<int>& alignment) : from_(from), alignment_(alignment) {}

    loop_nest run() {
        begin_as(from_);
        k_.outer = {new_axis(outer_size(from_))};
        std::vector<std::int64_t> shape;
        for (const int axis : from_.outer) shape.push_back(from_.extents[static_cast<std::size_t>(axis)]);
        along_.resize(shape.size());
        delinearized_.split(along_axis(k_.outer[0]), shape.data(), static_cast<int>(shape.size()), k_.extents,
                            along_.data());
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
    /// A layout's offset as an expression of the one axis.
    index_expression coordinate_of(int layout_position) const {
        const layout& l = from_.layouts[static_cast<std::size_t>(layout_position)];
        index_expression sum;
        for (std::size_t a = 0; a < along_.size(); ++a)
            sum = sum_of(sum, scaled(along_[a], l.stride[static_cast<std::size_t>(from_.outer[a])]));
        return delinearized_.joined(std::move(sum));
    }

    int rewritten(value v) {
        for (int& in : v.in)
            if (in >= 0) in = now_[static_cast<std::size_t>(in)];
        v.varies = v.varies != 0 ? 1u : 0u;
        if (v.what == value_kind::index) {
            const int index = index_value(coordinate_of(v.at));
            return converted(index, v.type, v.node);
        }
        if (v.what != value_kind::load) return push(v, v.node);
        const index_expression at = coordinate_of(v.at);
        const bool is_aligned = alignment_[static_cast<std::size_t>(v.input)] == widest_access;
        position p = position_of(at);
        if (v.in[0] < 0 && at == along_axis(k_.outer[0]) && !is_aligned) {
            p.value = index_value(at);
            p.layout = position_of({}).layout;
        }
        v.at = p.layout;
        if (p.value >= 0) v.in[0] = v.in[0] < 0 ? p.value : computed(index_plus, v.in[0], p.value);
        return push(v, v.node);
    }

    const loop_nest& from_;
    const std::vector<int>& alignment_;
    std::vector<index_expression> along_;  ///< per outer axis: its index
    std::vector<int> now_;
};

}  // namespace

std::optional<loop_nest> with_one_axis(const loop_nest& k, const std::vector<int>& alignment) {
    if (k.call || !k.loops.empty() || k.outer.empty() || !is_int32(outer_size(k))) return std::nullopt;
    const auto in_order = [&](const kernel_store& s) {
        return is_row_major(k, k.layouts[static_cast<std::size_t>(s.at)]);
    };
    const auto reaches = [&](const value& v) { return v.at < 0 || is_int32(reach_of(k, v.at).elements()); };
    if (!std::all_of(k.stores.begin(), k.stores.end(), in_order)) return std::nullopt;
    if (!std::all_of(k.values.begin(), k.values.end(), reaches) || !pays(k, alignment)) return std::nullopt;
    loop_nest made = one_axis_writer(k, alignment).run();
    narrow_index_types(made);
    return made;
}

}  // namespace sinter::codegen
