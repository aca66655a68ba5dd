// The loop form of one kernel: what the passes make of a partition of the graph, and what a schedule, the renderer and
// the host back end read.
//
// A kernel runs once for every point of its outer axes ("a group"). Inside a group stand a few inner loops, one after
// the other; each goes over axes of its own and either folds values into reductions or stores results. softmax over
// the last axis, for example, has one outer axis (the row) and three inner loops over the column: max, sum of
// exponentials, store. An elementwise kernel has no inner loop: its outer axes are all there is.
//
//   stage 0        group-level values that need no reduction
//   loop 0         values of loop 0, folded into its reductions
//   stage 1        group-level values that need loop 0's results
//   loop 1 ...
//   stage n        the rest, and the group-level stores
//
// A loop may carry running values: a scan yields, for each element, what has been folded up to it. Such a loop goes
// along one axis in its order, or, where scans begin at the end, backwards.
//
// In a nested kernel (pass/nest.cpp) loop 0 runs once for each element of the other loops, which all go along the same
// places: min(sum(square(x(all, newaxis, all) - y), axis=2), axis=1) finds a sum of loop 0 for each step of loop 1.
// What is computed there, between loop 0 and the others, is at nest_level; it lies along the nest axis.
//
// A kernel may fold what its groups find into one (pass/fold_groups.cpp): max(sqrt(sum(x * x, axis=1))) has a maximum
// over the groups. Such a reduction is `over` group_level; it and what is computed of it are at kernel_level, where
// there are no axes.
#pragma once

#include <codegen/ir/call.hpp>
#include <sinter/ir/node.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen {

inline constexpr int max_axes = 32;  ///< outer and inner axes of one kernel together

/// Where an element lies: the sum of stride * index over the kernel's axes, in elements.
struct layout {
    std::array<std::int64_t, max_axes> stride{};
    bool operator==(const layout&) const = default;
};

/// A pointer the kernel reads: a leaf of the program, displaced by `offset` elements.
struct kernel_input {
    dtype type{};
    int leaf = -1;
    std::int64_t offset = 0;
    bool may_alias_output = false;  ///< the result is written in place over this leaf: no __restrict__
    std::int64_t elements = 0;      ///< of the array, each counted once; 0: unknown
    bool operator==(const kernel_input&) const = default;
};

/// The shape of a row-major array.
struct dense_shape {
    int rank = 0;
    std::array<std::int64_t, ir::max_rank> shape{};
    bool operator==(const dense_shape&) const = default;
};

enum class value_kind : std::uint8_t {
    load,      ///< an element of an input: in[0], if there is one, is added to its place
    index,     ///< the place that a layout gives, itself
    scalar,    ///< an argument
    constant,  ///< known when the program was written
    elementwise,
    cast,
    reduce,
    scan  ///< op folded along the axis of its loop, up to each element
};

inline constexpr int group_level = -1;
inline constexpr int nest_level = -2;
inline constexpr int kernel_level = -3;  ///< once, when the results of all groups are folded

struct value {
    value_kind what{};
    dtype type{};
    const op_row* op = nullptr;                        ///< elementwise, reduce and scan
    std::array<int, ir::max_operands> in{-1, -1, -1};  ///< elementwise, cast, reduce, scan, load: earlier values
    int loop = group_level;                            ///< the inner loop it is computed in, or a level
    int stage = 0;             ///< group level: the number of loops that must have run before it
    int over = -1;             ///< reduce: the loop it accumulates in (its own `loop` is a level), or group_level:
                               ///< over all groups
    std::uint32_t varies = 0;  ///< bit a: depends on axis a
    int input = -1;            ///< load: position in kernel::inputs
    int at = -1;               ///< load and index: position in kernel::layouts
    int scalar = -1;           ///< scalar: position in kernel::scalars
    std::uint64_t bits = 0;    ///< constant: bytes of the value, low end first
    bool exclusive = false;    ///< scan: without the element's own
    int node = -1;             ///< the graph node it came from, for naming and explaining
    bool operator==(const value&) const = default;
};

/// An inner loop. With no reductions it is a store loop.
struct inner_loop {
    std::vector<int> axes;        ///< slowest first; the product of their extents is the trip count
    std::vector<int> reductions;  ///< the reduce values it accumulates
    bool backwards = false;       ///< from the end of its one axis on; matters to scans
    bool operator==(const inner_loop&) const = default;
};

struct kernel_store {
    int output = 0;  ///< position in kernel::outputs
    int value = -1;
    int loop = group_level;  ///< stored inside this loop, or once a group, or at kernel_level once
    int at = -1;             ///< position in kernel::layouts
    bool operator==(const kernel_store&) const = default;
};

/// How exactly a kernel's functions of float32 compute. Doubles and integers know no difference.
enum class arithmetic : std::uint8_t {
    exact,  ///< as docs/accuracy.md says
    half,   ///< everything that is stored is rounded to float16: errors far below its spacing do not matter, and
            ///< float32's subnormal numbers are 0 there. bfloat16 has float32's range: it is computed exactly
    fast    ///< the user asked for it: fast_math_scope
};

struct kernel {
    std::vector<std::int64_t> extents;  ///< of every axis, outer and inner
    std::vector<int> outer;             ///< the outer axes, slowest first
    std::vector<inner_loop> loops;      ///< in the order they run
    int nest_axis = -1;                 ///< nested: the axis that stands for the one axis of each loop after loop 0
    std::uint32_t read_later = 0;       ///< bit o: output o is a result that later kernels read, too
    std::vector<value> values;          ///< SSA order: operands first
    std::vector<kernel_store> stores;
    std::vector<layout> layouts;  ///< distinct
    std::vector<kernel_input> inputs;
    std::vector<dtype> outputs;
    std::vector<dense_shape> output_shapes;  ///< of the arrays the outputs point to
    std::vector<int> results;  ///< of each output: which of the program's results; -1, or none at all: a later kernel's
    std::vector<int> scalars;  ///< of each scalar argument: the program's scalar, or -1 - n for numbers[n]
    std::vector<std::int64_t> numbers;  ///< what the shapes decide: strides and extents that values are computed with
    std::vector<dtype> scalar_types;
    arithmetic precision = arithmetic::exact;
    ir::product product = ir::product::none;  ///< what it folds is a product that the device's library computes
    std::optional<call_site> call;  ///< a function of whole arrays, in place of loops: it has inputs and outputs alone
    bool operator==(const kernel&) const = default;
};

/// A scalar argument's value, given the program's scalars. Its origin is left behind: it differs from one evaluation to
/// the next, and arguments are compared.
inline ir::scalar_bits scalar_argument(const kernel& k, std::size_t i, const ir::scalar_bits* of_program) {
    const int from = k.scalars[i];
    if (from < 0) return {static_cast<std::uint64_t>(k.numbers[-1 - from])};
    return {of_program[from].bits, of_program[from].more};
}

/// The scans of a loop, in the order in which one may need another.
inline std::vector<int> scans_of(const kernel& k, int loop) {
    std::vector<int> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (k.values[v].what == value_kind::scan && k.values[v].loop == loop) found.push_back(static_cast<int>(v));
    return found;
}

/// How far a layout's places lie from its first one, in elements.
struct layout_reach {
    std::int64_t below = 0, above = 0;
    std::int64_t elements() const { return below + above + 1; }  ///< from the lowest to the highest
};

inline layout_reach reach_of(const kernel& k, int layout_position) {
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

/// Whether some loop carries running values.
inline bool has_scans(const kernel& k) {
    for (const value& v : k.values)
        if (v.what == value_kind::scan) return true;
    return false;
}

/// The reductions over all groups.
inline std::vector<int> group_folds(const kernel& k) {
    std::vector<int> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (k.values[v].what == value_kind::reduce && k.values[v].over == group_level)
            found.push_back(static_cast<int>(v));
    return found;
}
inline bool folds_groups(const kernel& k) { return !group_folds(k).empty(); }

/// The product of the outer extents: how many groups there are.
inline std::int64_t outer_size(const kernel& k) {
    std::int64_t n = 1;
    for (int a : k.outer) n *= k.extents[a];
    return n;
}

/// The trip count of one inner loop.
inline std::int64_t trip_count(const kernel& k, const inner_loop& l) {
    std::int64_t n = 1;
    for (int a : l.axes) n *= k.extents[a];
    return n;
}

}  // namespace sinter::codegen
