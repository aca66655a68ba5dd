// Kernels built by hand, for tests of what takes a `kernel`: schedules, renderer, host back end.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

/// The built-in row with this name, as the table has it.
inline const op_row& row_of(const std::string& name) {
    static constexpr bool identity = true, error = false;
    static const std::vector<op_row> rows = [] {
        std::vector<op_row> all;
        const auto add = [&](const char* row_name, const char* symbol, int arity, dtype_rule rule, bool folds,
                             bool empty, const char* body) {
            all.push_back({row_name, body, symbol, static_cast<std::uint8_t>(arity), rule, folds, empty,
                           static_cast<int>(all.size()), nullptr});
        };
        constexpr int prefix = 1, infix = 2;
#define SINTER_ROW_UNARY(name, rule, ...) add(#name, nullptr, 1, dtype_rule::rule, false, false, #__VA_ARGS__);
#define SINTER_ROW_BINARY(name, rule, ...) add(#name, nullptr, 2, dtype_rule::rule, false, false, #__VA_ARGS__);
#define SINTER_ROW_TERNARY(name, rule, ...) add(#name, nullptr, 3, dtype_rule::rule, false, false, #__VA_ARGS__);
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) \
    add(#name, #symbol, prefix, dtype_rule::rule, false, false, #__VA_ARGS__);
#define SINTER_ROW_INFIX(name, symbol, rule, ...) \
    add(#name, #symbol, infix, dtype_rule::rule, false, false, #__VA_ARGS__);
#define SINTER_ROW_REDUCTION(name, rule, empty, start, ...) \
    add(#name, nullptr, 2, dtype_rule::rule, true, empty, #__VA_ARGS__);
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
        return all;
    }();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const op_row& r) { return r.name == name; });
    if (found == rows.end()) throw std::out_of_range("no op is called '" + name + "'");
    return *found;
}

/// Adds axes, loops, values and stores one by one and keeps `varies`, `stage` and the distinct layouts right.
class kernel_builder {
public:
    using strides = std::vector<std::pair<int, std::int64_t>>;  ///< (axis, stride); axes left out have stride 0

    int outer(std::int64_t extent) {
        k.outer.push_back(axis(extent));
        return k.outer.back();
    }
    /// A new inner loop over new axes; their numbers are k.loops.back().axes.
    int loop(const std::vector<std::int64_t>& extents) {
        inner_loop l;
        for (std::int64_t extent : extents) l.axes.push_back(axis(extent));
        k.loops.push_back(l);
        return static_cast<int>(k.loops.size()) - 1;
    }
    int inner(int loop_position, int p = 0) const {
        return k.loops[static_cast<std::size_t>(loop_position)].axes[static_cast<std::size_t>(p)];
    }
    int input(dtype type, bool in_place = false) {
        k.inputs.push_back({type, static_cast<int>(k.inputs.size()), 0, in_place});
        return static_cast<int>(k.inputs.size()) - 1;
    }
    /// A load, `displacement` elements further.
    int gather(int input_position, const strides& along, int displacement, int in_loop = group_level) {
        const int made = load(input_position, along, in_loop);
        value& v = k.values[static_cast<std::size_t>(made)];
        v.in[0] = displacement;
        v.varies |= k.values[static_cast<std::size_t>(displacement)].varies;
        return made;
    }
    int load(int input_position, const strides& along, int in_loop = group_level) {
        value v;
        v.what = value_kind::load;
        v.type = k.inputs[static_cast<std::size_t>(input_position)].type;
        v.input = input_position;
        return add(placed(v, along, in_loop));
    }
    /// The sum of the indices, each times its stride.
    int index(const strides& along, int in_loop = group_level) {
        value v;
        v.what = value_kind::index;
        v.type = dtype::int64;
        return add(placed(v, along, in_loop));
    }
    int scalar(dtype type) {
        value v;
        v.what = value_kind::scalar;
        v.type = type;
        v.scalar = static_cast<int>(k.scalars.size());
        k.scalars.push_back(v.scalar);
        k.scalar_types.push_back(type);
        return add(v);
    }
    /// An int64 that the shapes determine: an argument, but known to schedules.
    int number(std::int64_t n) {
        const int made = scalar(dtype::int64);
        k.numbers.push_back(n);
        k.scalars.back() = -static_cast<int>(k.numbers.size());
        return made;
    }
    template <class T>
    int constant(T number) {
        value v;
        v.what = value_kind::constant;
        v.type = dtype_of<T>;
        std::memcpy(&v.bits, &number, sizeof number);
        return add(v);
    }
    /// An elementwise value, of the dtype that its row's rule gives.
    int op(const std::string& name, const std::vector<int>& in, int in_loop = group_level) {
        return op(row_of(name), in, in_loop);
    }
    int op(const op_row& row, const std::vector<int>& in, int in_loop = group_level) {
        value v = computed(in, in_loop);
        v.what = value_kind::elementwise;
        v.op = &row;
        v.type = result_of(v.op->rule, k.values[static_cast<std::size_t>(in.back())].type);
        return add(v);
    }
    int cast(dtype to, int from, int in_loop = group_level) {
        value v = computed({from}, in_loop);
        v.what = value_kind::cast;
        v.type = to;
        return add(v);
    }
    int reduce(const std::string& name, int of, int over) {
        value v;
        v.what = value_kind::reduce;
        v.op = &row_of(name);
        v.type = accumulator_of(v.op->rule, k.values[static_cast<std::size_t>(of)].type);
        v.in[0] = of;
        v.over = over;
        v.stage = over + 1;
        v.varies = k.values[static_cast<std::size_t>(of)].varies;
        for (int a : k.loops[static_cast<std::size_t>(over)].axes) v.varies &= ~(1u << a);
        const int position = add(v);
        k.loops[static_cast<std::size_t>(over)].reductions.push_back(position);
        return position;
    }
    int scan(const std::string& name, int of, int over) {
        value v;
        v.what = value_kind::scan;
        v.op = &row_of(name);
        v.type = k.values[static_cast<std::size_t>(of)].type;
        v.in[0] = of;
        v.loop = v.over = over;
        v.varies =
            k.values[static_cast<std::size_t>(of)].varies | 1u << k.loops[static_cast<std::size_t>(over)].axes.back();
        return add(v);
    }
    void store(int from, const strides& along, int in_loop = group_level) {
        k.outputs.push_back(k.values[static_cast<std::size_t>(from)].type);
        k.stores.push_back({static_cast<int>(k.outputs.size()) - 1, from, in_loop, layout_of(along)});
    }

    loop_nest k;

private:
    int axis(std::int64_t extent) {
        k.extents.push_back(extent);
        return static_cast<int>(k.extents.size()) - 1;
    }
    int add(const value& v) {
        k.values.push_back(v);
        return static_cast<int>(k.values.size()) - 1;
    }
    value placed(value v, const strides& along, int in_loop) {
        v.at = layout_of(along);
        v.loop = in_loop;
        for (const auto& [a, s] : along)
            if (s != 0) v.varies |= 1u << a;
        return v;
    }
    value computed(const std::vector<int>& in, int in_loop) const {
        value v;
        v.loop = in_loop;
        for (std::size_t i = 0; i < in.size(); ++i) {
            const value& operand = k.values[static_cast<std::size_t>(in[i])];
            v.in[i] = in[i];
            v.varies |= operand.varies;
            if (in_loop == group_level) v.stage = std::max(v.stage, operand.stage);
        }
        return v;
    }
    int layout_of(const strides& along) {
        layout l;
        for (const auto& [a, s] : along) l.stride[static_cast<std::size_t>(a)] = s;
        const auto found = std::find(k.layouts.begin(), k.layouts.end(), l);
        if (found != k.layouts.end()) return static_cast<int>(found - k.layouts.begin());
        k.layouts.push_back(l);
        return static_cast<int>(k.layouts.size()) - 1;
    }
};

}  // namespace sinter::codegen::testing
