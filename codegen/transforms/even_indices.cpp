// Finds the indices, and divides their layouts.
#include <codegen/transforms/even_indices.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/is_op.hpp>
#include <codegen/transforms/deduplicate.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

bool shares_neighbours(const value& v) {
    return v.what == value_kind::elementwise && v.loop >= 1 && traits_of(*v.op).neighbours > 1;
}

/// What an op's first operand is, before it is converted.
const value& counter_of(const loop_nest& k, const value& v) {
    const value* of = &k.values[static_cast<std::size_t>(v.in[0])];
    while (of->what == value_kind::cast) of = &k.values[static_cast<std::size_t>(of->in[0])];
    return *of;
}

class index_halving {
public:
    explicit index_halving(loop_nest& k) : k_(k), shares_(k.values.size(), 0) {}

    void run() {
        find();
        if (std::none_of(shares_.begin(), shares_.end(), [](char s) { return s != 0; })) return;
        const std::vector<value> before = std::exchange(k_.values, {});
        std::vector<int> now;
        for (std::size_t i = 0; i < before.size(); ++i) {
            value v = before[i];
            for (int& in : v.in)
                if (in >= 0) in = now[static_cast<std::size_t>(in)];
            now.push_back(shares_[i] != 0 ? halved(v) : push(v));
        }
        for (kernel_store& s : k_.stores) s.value = now[static_cast<std::size_t>(s.value)];
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now[static_cast<std::size_t>(r)];
    }

private:
    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }
    std::size_t axis_of(const value& v) const {
        return static_cast<std::size_t>(k_.loops[static_cast<std::size_t>(v.loop)].axes.back());
    }

    /// Marks indices of which, converted or not, an op computes what neighbours share.
    void find() {
        for (const value& v : k_.values) {
            if (!shares_neighbours(v)) continue;
            const value& index = counter_of(k_, v);
            if (is_even_beside_loop(index)) shares_[static_cast<std::size_t>(&index - k_.values.data())] = 1;
        }
    }

    bool is_even_beside_loop(const value& v) const {
        if (v.what != value_kind::index || v.loop < 1) return false;
        const layout& l = k_.layouts[static_cast<std::size_t>(v.at)];
        bool has_others = false;
        for (std::size_t a = 0; a < k_.extents.size(); ++a) {
            if (a == axis_of(v) || l.stride[a] == 0) continue;
            if (l.stride[a] % 2 != 0) return false;
            has_others = true;
        }
        return l.stride[axis_of(v)] == 1 && has_others;
    }

    int halved(const value& index) {
        const layout whole = k_.layouts[static_cast<std::size_t>(index.at)];
        layout half, along;
        for (std::size_t a = 0; a < k_.extents.size(); ++a) half.stride[a] = whole.stride[a] / 2;
        half.stride[axis_of(index)] = 0;
        along.stride[axis_of(index)] = 1;
        value outer = index, inner = index, two, twice, sum = index;
        outer.at = find_or_insert(k_.layouts, half);
        outer.loop = group_level;
        outer.varies &= ~(1u << axis_of(index));
        inner.at = find_or_insert(k_.layouts, along);
        inner.varies = 1u << axis_of(index);
        two.what = value_kind::constant;
        two.type = index.type;
        two.bits = 2;
        twice = outer;
        twice.what = sum.what = value_kind::elementwise;
        twice.at = sum.at = -1;
        twice.op = &op::multiply::row;
        twice.in = {push(outer), push(two), -1};
        sum.op = &op::add::row;
        sum.in = {push(twice), push(inner), -1};
        return push(sum);
    }

    loop_nest& k_;
    std::vector<char> shares_;
};

}  // namespace

void expose_even_indices(loop_nest& k) { index_halving(k).run(); }

bool shares_with_neighbour(const loop_nest& k, const value& v) {
    if (!shares_neighbours(v)) return false;
    const value& index = counter_of(k, v);
    if (!is_op(index, builtin_op::add)) return false;
    const value& twice = k.values[static_cast<std::size_t>(index.in[0])];
    return is_op(twice, builtin_op::multiply) && k.values[static_cast<std::size_t>(twice.in[1])].bits == 2;
}

}  // namespace sinter::codegen
