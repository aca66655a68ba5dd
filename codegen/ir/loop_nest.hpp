// The loop nest of one kernel: made by the passes from a partition of the graph; read by the schedules, by lowering and
// by the host back end.
//
// A kernel runs once for every point of its outer axes ("a group"). A group runs a few inner loops one after the other.
// Each loop goes over axes of its own and either folds values into reductions or stores results. Softmax over the last
// axis, for example, has one outer axis (the row) and three inner loops over the column: max, sum of exponentials,
// store. An elementwise kernel has no inner loops, only outer axes.
//
//   stage 0        group-level values that need no reduction
//   loop 0         values of loop 0, folded into its reductions
//   stage 1        group-level values that need loop 0's results
//   loop 1 ...
//   stage n        the remaining group-level values, and the group-level stores
//
// A loop may contain scans: a scan's value at an element is the fold of all elements up to it. Such a loop goes along
// one axis in order, or in reverse order if the scans are reversed.
//
// In a nested kernel (transforms/fuse_producer_reduction.cpp) loop 0 runs once for each element of the other loops,
// which all go over the same axis: in min(sum(square(x(all, newaxis, all) - y), axis=2), axis=1) loop 0 computes a sum
// for each step of loop 1. Values between loop 0 and the other loops are at nest_level and vary along the nest axis.
// Several loops may be nested in the last one (transforms/recompute.cpp), each with a sum of its own.
//
// A kernel may reduce over its groups (transforms/fold_groups.cpp): max(sqrt(sum(x * x, axis=1))) has a maximum over
// all groups. Such a reduction is `over` group_level. It and the values computed from it are at kernel_level, which has
// no axes.
//
// A kernel may reduce columns beside its rows (transforms/fold_columns.cpp): pack(softmax(x, axis=1), sum(x, axis=0))
// has a sum over all groups for each element of a loop. Each block folds the groups that it computes, and stores what
// it comes to at block_level, along block_axis; another kernel folds the blocks' results.
#pragma once

#include <codegen/ir/call.hpp>
#include <sinter/ir/node.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen {

inline constexpr int max_axes = 32;  ///< total of outer and inner axes of one kernel

/// Maps indices to an element's offset: the sum of stride * index over the kernel's axes, in elements.
struct layout {
    std::array<std::int64_t, max_axes> stride{};
    bool operator==(const layout&) const = default;
};

/// A pointer that the kernel reads: a leaf of the program plus `offset` elements.
struct kernel_input {
    dtype type{};
    int leaf = -1;
    std::int64_t offset = 0;
    bool may_alias_output = false;  ///< the result overwrites this leaf in place: no __restrict__
    std::int64_t elements = 0;      ///< distinct elements of the array; 0: unknown
    bool operator==(const kernel_input&) const = default;
};

/// The shape of a row-major array.
struct dense_shape {
    int rank = 0;
    std::array<std::int64_t, ir::max_rank> shape{};
    bool operator==(const dense_shape&) const = default;
};

enum class value_kind : std::uint8_t {
    load,      ///< an element of an input; in[0], if any, is added to its offset
    index,     ///< the value of the layout itself
    scalar,    ///< an argument
    constant,  ///< a literal in the kernel's source
    elementwise,
    cast,
    reduce,
    scan  ///< fold of op over the elements of its loop, up to this one
};

inline constexpr int group_level = -1;
inline constexpr int nest_level = -2;
inline constexpr int kernel_level = -3;  ///< once, after the results of all groups are folded
inline constexpr int block_level = -4;   ///< once per block, after its last group

struct value {
    value_kind what{};
    dtype type{};
    const op_row* op = nullptr;                        ///< elementwise, reduce and scan
    std::array<int, ir::max_operands> in{-1, -1, -1};  ///< elementwise, cast, reduce, scan, load: earlier values
    int loop = group_level;                            ///< index of the inner loop that computes it, or a level
    int stage = 0;                                     ///< group level: the number of loops that must run before it
    int over = -1;             ///< reduce: the loop it accumulates over (its own `loop` is a level), or group_level:
                               ///< over all groups (kernel_level), or over those of a block for each element of `loop`
    std::uint32_t varies = 0;  ///< bit a: depends on axis a
    int input = -1;            ///< load: index into inputs
    int at = -1;               ///< load and index: index into layouts
    int scalar = -1;           ///< scalar: index into scalars
    std::uint64_t bits = 0;    ///< constant: bytes of the value, little-endian
    bool exclusive = false;    ///< scan: excludes the element's own value
    int node = -1;             ///< the graph node it was lowered from, for names and explain()
    bool operator==(const value&) const = default;
};

/// An inner loop. A loop without reductions stores.
struct inner_loop {
    std::vector<int> axes;        ///< slowest first; the product of their extents is the trip count
    std::vector<int> reductions;  ///< the reduce values that it accumulates
    bool backwards = false;       ///< from the last element of its one axis to the first, for reversed scans
    bool operator==(const inner_loop&) const = default;
};

struct kernel_store {
    int output = 0;  ///< index into loop_nest::outputs
    int value = -1;
    int loop = group_level;  ///< stored in this loop, once per group, per block or per kernel (the levels)
    int at = -1;             ///< index into loop_nest::layouts
    bool operator==(const kernel_store&) const = default;
};

/// Accuracy of a kernel's float32 functions. Has no effect on float64 and integers.
enum class arithmetic : std::uint8_t {
    exact,  ///< as documented in docs/accuracy.md
    half,   ///< all results are rounded to float16 or float8, so errors far below its spacing do not matter. Not for
            ///< bfloat16, which has float32's range
    half_flushed,  ///< likewise, and float32 subnormals round to 0, which nothing in the kernel tells them from
    fast           ///< requested by the user: fast_math_scope
};

inline bool rounds_to_halves(arithmetic precision) {
    return precision == arithmetic::half || precision == arithmetic::half_flushed;
}

struct loop_nest {
    std::vector<std::int64_t> extents;  ///< of every axis, outer and inner
    std::vector<int> outer;             ///< the outer axes, slowest first
    std::vector<inner_loop> loops;      ///< in execution order
    int nest_axis = -1;                 ///< nested: the axis that replaces the one axis of each loop after loop 0
    int block_axis = -1;                ///< with folds of columns: its extent is the number of blocks
    std::uint32_t read_later = 0;       ///< bit o: output o is a result that later kernels also read
    std::vector<value> values;          ///< SSA order: operands first
    std::vector<kernel_store> stores;
    std::vector<layout> layouts;  ///< distinct
    std::vector<kernel_input> inputs;
    std::vector<dtype> outputs;
    std::vector<dense_shape> output_shapes;  ///< of the arrays that the outputs point to
    std::vector<int> results;  ///< one per output: the program's result; -1, or an empty list: for later kernels
    std::vector<int> scalars;  ///< one per scalar argument: index into the program's scalars, or -1 - n for numbers[n]
    std::vector<std::int64_t> numbers;  ///< strides and extents used as values, determined by the shapes
    std::vector<dtype> scalar_types;
    arithmetic precision = arithmetic::exact;
    ir::product product = ir::product::none;  ///< the reduction is a product that the device's library can compute
    std::optional<call_site> call;  ///< a function of whole arrays in place of loops: only inputs and outputs are set
    /// Of a call: elementwise nests for its computed operands, then for its consumed results. Position p, along the
    /// outer axes, is element p of that array. A nest's inputs refer to the call's: `leaf` is an index into the call's
    /// inputs, which are the operands that are arrays, followed by what the nests read; -1: the element of the result.
    std::vector<loop_nest> element_functions;
    bool operator==(const loop_nest&) const = default;
};

/// A scalar argument's value, given the program's scalars. Drops its scalar identity, which differs between
/// evaluations: arguments are compared.
inline ir::scalar_bits scalar_argument(const loop_nest& k, std::size_t i, const ir::scalar_bits* of_program) {
    const int from = k.scalars[i];
    if (from < 0) return {static_cast<std::uint64_t>(k.numbers[-1 - from])};
    return {of_program[from].bits, of_program[from].more};
}

/// The scans of a loop, operands before users.
inline std::vector<int> scans_of(const loop_nest& k, int loop) {
    std::vector<int> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (k.values[v].what == value_kind::scan && k.values[v].loop == loop) found.push_back(static_cast<int>(v));
    return found;
}

/// A layout's stride along an axis; 0 where there is no axis (-1).
inline std::int64_t stride_of(const loop_nest& k, int layout_position, int axis) {
    return axis < 0 ? 0 : k.layouts[static_cast<std::size_t>(layout_position)].stride[static_cast<std::size_t>(axis)];
}

/// Range of a layout's offsets around its first one, in elements.
struct layout_reach {
    std::int64_t below = 0, above = 0;
    std::int64_t elements() const { return below + above + 1; }  ///< from the lowest offset to the highest
};

inline layout_reach reach_of(const loop_nest& k, int layout_position) {
    const layout& l = k.layouts[static_cast<std::size_t>(layout_position)];
    layout_reach r;
    for (std::size_t a = 0; a < k.extents.size(); ++a) {
        const std::int64_t distance = l.stride[a] * (k.extents[a] > 0 ? k.extents[a] - 1 : 0);
        if (distance < 0)
            r.below -= distance;
        else
            r.above += distance;
    }
    return r;
}

/// Whether a loop runs for each element of the nest axis.
inline bool is_nested(const loop_nest& k, int loop) {
    const std::vector<int>& all = k.loops[static_cast<std::size_t>(loop)].reductions;
    return k.nest_axis >= 0 && !all.empty() && k.values[static_cast<std::size_t>(all[0])].loop == nest_level;
}

/// Whether any loop contains a scan.
inline bool has_scans(const loop_nest& k) {
    for (const value& v : k.values)
        if (v.what == value_kind::scan) return true;
    return false;
}

/// Whether a value is a reduction over the groups of a block, for each element of its loop.
inline bool is_column_fold(const value& v) {
    return v.what == value_kind::reduce && v.over == group_level && v.loop >= 0;
}

/// The reductions over all groups.
inline std::vector<int> group_folds(const loop_nest& k) {
    std::vector<int> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (k.values[v].what == value_kind::reduce && k.values[v].over == group_level && !is_column_fold(k.values[v]))
            found.push_back(static_cast<int>(v));
    return found;
}

/// The reductions over the groups of a block, for each element of a loop, the last one.
inline std::vector<int> column_folds(const loop_nest& k) {
    std::vector<int> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (is_column_fold(k.values[v])) found.push_back(static_cast<int>(v));
    return found;
}

/// Whether a kernel folds its groups, to single elements or to columns.
inline bool folds_groups(const loop_nest& k) { return !group_folds(k).empty() || !column_folds(k).empty(); }

/// The number of groups: the product of the outer extents.
inline std::int64_t outer_size(const loop_nest& k) {
    std::int64_t n = 1;
    for (int a : k.outer) n *= k.extents[a];
    return n;
}

/// The trip count of one inner loop.
inline std::int64_t trip_count(const loop_nest& k, const inner_loop& l) {
    std::int64_t n = 1;
    for (int a : l.axes) n *= k.extents[a];
    return n;
}

}  // namespace sinter::codegen
