// Stencils: elementwise kernels that read an array at several places a few rows and columns apart, as
// u(range(0, -2), inside) + u(range(2, end), inside) - 2 * u(inside, inside) does. A thread goes down a few rows and
// keeps what they read in registers, so that each element is loaded by as few threads as there are columns that read
// it, and comes from the second-level cache about once.
//
// Row by row, a five-point stencil of 8192 x 8192 floats takes five loads per result, most of them across two lines,
// and 3 x 268 MB from the second-level cache: 0.173 ms. With 8 rows of 2 columns per thread it is 20 loads of 8 bytes
// for 16 results.
#include <codegen/schedule/access.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/loops.hpp>

#include <algorithm>
#include <cstdlib>

namespace sinter::codegen {

namespace {

constexpr int max_rows = 8;
constexpr int furthest = 8;        ///< rows or columns between two places of one window
constexpr int max_registers = 64;  ///< of a thread, for its windows
constexpr int max_calls = 32;      ///< copies of function bodies in one kernel: they cost compile time

/// The next slower axis of what is stored: its steps are the window's rows.
int column_axis_of(const loop_nest& k, const access& store, int row_axis) {
    int axis = -1;
    for (int candidate : k.outer)
        if (candidate != row_axis && extent_of(k, candidate) > 1 &&
            (axis < 0 || std::abs(stride_of(k, store, candidate)) <= std::abs(stride_of(k, store, axis))))
            axis = candidate;
    return axis;
}

/// The loads of the kernel by offset, so that no place in a window is above its first one.
std::vector<int> loads_in_order(const loop_nest& k) {
    std::vector<int> loads;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (k.values[static_cast<std::size_t>(v)].what == value_kind::load) loads.push_back(v);
    const auto offset = [&](int v) {
        return k.inputs[static_cast<std::size_t>(k.values[static_cast<std::size_t>(v)].input)].offset;
    };
    std::stable_sort(loads.begin(), loads.end(), [&](int a, int b) { return offset(a) < offset(b); });
    return loads;
}

/// Puts a load into a window of its array, or into one of its own.
void add_to_window(const loop_nest& k, int v, stencil_shape& shape) {
    const value& load = k.values[static_cast<std::size_t>(v)];
    const kernel_input& input = k.inputs[static_cast<std::size_t>(load.input)];
    const std::int64_t row = stride_of(k, {load.at, load.input, load.type, load.loop}, shape.column_axis);
    for (std::size_t w = 0; w < shape.windows.size() && row > 2 * furthest; ++w) {
        stencil_window& window = shape.windows[w];
        const kernel_input& first = k.inputs[static_cast<std::size_t>(window.input)];
        if (window.at != load.at || first.leaf != input.leaf || first.type != input.type) continue;
        const std::int64_t distance = input.offset - first.offset;
        const std::int64_t down = (distance + row / 2) / row, along = distance - down * row;
        if (down > furthest || std::abs(along) > furthest) continue;
        shape.reads.push_back({v, static_cast<int>(w), static_cast<int>(down), static_cast<int>(along)});
        window.rows = std::max(window.rows, static_cast<int>(down) + 1);
        window.first = std::min(window.first, static_cast<int>(along));
        window.last = std::max(window.last, static_cast<int>(along));
        return;
    }
    shape.reads.push_back({v, static_cast<int>(shape.windows.size()), 0, 0});
    shape.windows.push_back({load.input, load.at, 1, 0, 0});
}

/// Whether the array has all that a window reads. Its corners may be read by no load: of x[0] and x[c - 1], as rows of
/// c elements, the window has x[-1], too.
bool stays_inside(const loop_nest& k, const stencil_shape& shape, const stencil_window& window) {
    const kernel_input& input = k.inputs[static_cast<std::size_t>(window.input)];
    const layout& l = k.layouts[static_cast<std::size_t>(window.at)];
    const layout_reach reach = reach_of(k, window.at);
    if (window.rows == 1 && window.first == window.last) return true;  // one load
    if (reach.below > 0 || input.offset + window.first < 0) return false;
    const std::int64_t row = l.stride[static_cast<std::size_t>(shape.column_axis)];
    const std::int64_t last = input.offset + reach.above + (window.rows - 1) * row + window.last;
    return input.elements == 0 || last < input.elements;
}

/// Neighbouring results per thread: as many as every window and every store can move at once.
int vector_of(const loop_nest& k, const stencil_shape& shape, const std::vector<int>& alignment) {
    int vector = 4;
    const auto fits = [&](const access& a) {
        return size_of(a.type) * static_cast<std::size_t>(vector) <= 16 &&
               can_move(k, a, shape.row_axis, vector, alignment);
    };
    for (; vector > 1; vector /= 2) {
        bool all = extent_of(k, shape.row_axis) % vector == 0;
        for (const access& a : accesses_of(k))
            if (a.pointer >= static_cast<int>(k.inputs.size())) all = all && fits(a);
        for (const stencil_window& w : shape.windows) all = all && (w.last - w.first) % vector == 0;
        for (const stencil_read& r : shape.reads) {
            const value& load = k.values[static_cast<std::size_t>(r.load)];
            if (r.along == shape.windows[static_cast<std::size_t>(r.window)].first)
                all = all && fits({load.at, load.input, load.type, load.loop});
        }
        if (all) break;
    }
    return vector;
}

int registers_of(const loop_nest& k, const stencil_shape& shape, int vector) {
    std::size_t bytes = 0;
    for (const stencil_window& w : shape.windows)
        bytes += static_cast<std::size_t>((w.rows + shape.rows - 1) * (w.last - w.first + vector)) *
                 std::max<std::size_t>(4, size_of(k.inputs[static_cast<std::size_t>(w.input)].type));
    return static_cast<int>(bytes / 4);
}

}  // namespace

std::optional<schedule> schedule_stencil(const loop_nest& k, const device_properties& m,
                                         const std::vector<int>& alignment) {
    if (computes_indices(k) || k.outer.size() < 2) return {};
    schedule s;
    s.form = schedule_form::stencil;
    stencil_shape& shape = s.stencil;
    shape.row_axis = k.outer.back();
    for (const access& a : accesses_of(k)) {
        if (stride_of(k, a, shape.row_axis) != 1) return {};
        if (a.pointer >= static_cast<int>(k.inputs.size())) shape.column_axis = column_axis_of(k, a, shape.row_axis);
    }
    if (shape.column_axis < 0) return {};
    for (int v : loads_in_order(k)) add_to_window(k, v, shape);
    if (std::none_of(shape.windows.begin(), shape.windows.end(), [](const stencil_window& w) { return w.rows > 1; }))
        return {};
    for (const stencil_window& w : shape.windows)
        if (!stays_inside(k, shape, w)) return {};
    s.vector_width = vector_of(k, shape, alignment);
    const int calls = function_calls(k, group_level);
    for (shape.rows = max_rows;
         registers_of(k, shape, s.vector_width) > max_registers || shape.rows * s.vector_width * calls > max_calls;
         shape.rows /= 2)
        if (shape.rows == 2) return {};
    s.block_threads = 128;
    // the threads of a block are neighbours along a row, which must be long enough, and the blocks must fill the device
    const std::int64_t run = static_cast<std::int64_t>(s.block_threads) * s.vector_width;
    if (extent_of(k, shape.row_axis) < run || outer_size(k) < 4 * run * shape.rows * m.multiprocessors) return {};
    s.wide_index = needs_wide_index(k, run * shape.rows);
    return s;
}

}  // namespace sinter::codegen
