// Tiles without turning, for elementwise kernels that read an array at several places a few rows apart:
// u(range(0, -2), inside) + u(range(2, end), inside) - 2 * u(inside, inside). A block that computes a run of one row leaves
// the rows above and below to other blocks, so that every row comes from the second-level cache once for each place it
// is read at. A tile of 16 rows takes 18 of them, and the rest are hits of the first-level cache.
//
// The second-level cache of an H200 gives about 5.5 TB/s: a five-point stencil of 8192 x 8192 floats, row by row, takes
// 3 x 268 MB from it and gives it 268 MB, 0.195 ms; by tiles 1.2 x 268 MB, which is less than memory's own time.
#include <codegen/schedule/forms.hpp>

#include <cstdlib>
#include <map>

namespace sinter::codegen {

namespace {

constexpr int row_length = 128;  ///< a warp reads whole lines, and the ends of a row weigh little
constexpr int column_length = 16;
constexpr int most_registers = 48;  ///< of a thread, for elements under way: room for four blocks a multiprocessor
constexpr int most_calls = 16;      ///< copies of function bodies in one kernel: they cost compile time

/// The axis along which two places of one array lie `distance` elements apart, a few steps at most; -1 if it is the
/// row's own or none.
int axis_between(const kernel& k, const access& a, std::int64_t distance, int row_axis) {
    int axis = -1;
    std::int64_t widest = 0;
    for (int candidate : k.outer) {
        const std::int64_t stride = std::abs(stride_of(k, a, candidate));
        if (stride <= widest || 2 * distance < stride) continue;
        widest = stride;
        axis = candidate;
    }
    if (axis == row_axis || axis < 0 || distance > widest * column_length / 2) return -1;
    return axis;
}

/// The axis down which most places are read again, or -1.
int column_axis_of(const kernel& k, int row_axis) {
    std::map<int, std::size_t> bytes;
    std::vector<access> loads;
    for (const access& a : accesses_of(k)) {
        if (a.pointer >= static_cast<int>(k.inputs.size())) continue;
        const kernel_input& input = k.inputs[static_cast<std::size_t>(a.pointer)];
        for (const access& other : loads) {
            const kernel_input& others = k.inputs[static_cast<std::size_t>(other.pointer)];
            if (others.leaf != input.leaf || other.layout_position != a.layout_position) continue;
            const int axis = axis_between(k, a, std::abs(others.offset - input.offset), row_axis);
            if (axis < 0) continue;
            bytes[axis] += size_of(a.type);
            break;
        }
        loads.push_back(a);
    }
    int most = -1;
    for (const auto& [axis, count] : bytes)
        if (most < 0 || count >= bytes[most]) most = axis;
    return most;
}

}  // namespace

std::optional<schedule> schedule_stencil(const kernel& k, const machine& m, const std::vector<int>& alignment) {
    if (computes_places(k) || k.outer.size() < 2) return {};
    schedule s;
    s.form = schedule_form::tiled;
    s.tile.row_axis = k.outer.back();
    s.tile.row_length = row_length;
    s.tile.column_length = column_length;
    if (extent_of(k, s.tile.row_axis) < 2 * row_length) return {};
    int registers = 0;
    for (const access& a : accesses_of(k)) {
        if (stride_of(k, a, s.tile.row_axis) != 1 && a.pointer >= static_cast<int>(k.inputs.size())) return {};
        registers += static_cast<int>(divide_up(static_cast<std::int64_t>(size_of(a.type)), 4));
    }
    s.tile.column_axis = column_axis_of(k, s.tile.row_axis);
    if (s.tile.column_axis < 0) return {};
    s.vector = vector_width(k, k.outer, group_level, alignment);
    const int calls = function_calls(k, group_level);
    for (int elements = row_length * column_length / s.block;
         elements > s.vector && (elements * registers > most_registers || elements * calls > most_calls); elements /= 2)
        s.tile.column_length /= 2;
    const int tile_size = s.tile.row_length * s.tile.column_length;
    // fewer tiles than would keep the device busy: what fits the cache is better spread over it
    if (s.tile.column_length < 4 || outer_size(k) < static_cast<std::int64_t>(m.multiprocessors) * tile_size) return {};
    s.unroll = tile_size / (s.block * s.vector);
    s.wide_index = needs_wide_index(k, tile_size);
    return s;
}

}  // namespace sinter::codegen
