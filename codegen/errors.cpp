// The messages of the front end's run-time errors: one line each, with the cause and the cure.
#include <codegen/ir/print.hpp>
#include <sinter/array.hpp>
#include <sinter/slice.hpp>

#include <fmt/format.h>

namespace sinter::detail {
namespace {

using codegen::shape_text;

std::string axis_range(int rank) {
    return rank == 0 ? std::string("an expression of rank 0 has no axes")
                     : fmt::format("the axes of an expression of rank {} are {} to {}", rank, -rank, rank - 1);
}

std::string axes_list(const int* axes, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i ? ", " : "", axes[i]);
    return text + "}";
}

}  // namespace

void throw_no_broadcast(const char* op, const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} do not broadcast: aligned at the last axis, extents must be equal or 1", op,
                    shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_axis(const char* op, int axis, int rank) {
    throw error(fmt::format("{}: axis={} is out of range: {}", op, axis, axis_range(rank)));
}

void throw_repeated_axis(const char* op, int axis) {
    throw error(fmt::format("{}: axis {} is named twice; name each axis once", op, axis));
}

void throw_empty_reduction(const char* op, const std::int64_t* extents, int rank) {
    throw error(fmt::format("{}: no elements to reduce in shape {}, and {} of nothing has no value; check size() first",
                            op, shape_text(extents, rank), op));
}

void throw_bad_permutation(const int* axes, int rank) {
    throw error(fmt::format("permute: {} does not name each of the {} axes once; give a permutation of 0 to {}",
                            axes_list(axes, rank), rank, rank - 1));
}

void throw_bad_broadcast_to(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank) {
    throw error(fmt::format(
        "broadcast_to: shape {} does not broadcast to {}: aligned at the last axis, only extents of 1 stretch",
        shape_text(from, from_rank), shape_text(to, to_rank)));
}

void throw_zero_step() { throw error("range: a step of 0 goes nowhere; use a step of 1 or more, or a negative one"); }

void throw_bad_index(std::int64_t index, int axis, std::int64_t extent) {
    throw error(fmt::format("index {} is out of range for axis {} of extent {}: use {} to {}", index, axis, extent,
                            -extent, extent - 1));
}

void throw_no_value() {
    throw error("array: an array of rank 0 that was default-constructed or moved from has no value; assign one first");
}

void throw_ragged(const std::int64_t* extents, int axis, std::int64_t found) {
    throw error(
        fmt::format("array: the braces are ragged: a list along axis {} has {} elements where an earlier one has {}",
                    axis, found, extents[axis]));
}

void throw_compound_shape(const std::int64_t* target, const std::int64_t* result, int rank) {
    throw error(fmt::format("update in place: the result has shape {}, the array {}; assign with = to change the shape",
                            shape_text(result, rank), shape_text(target, rank)));
}

void throw_size_mismatch(std::int64_t have, const std::int64_t* extents, int rank) {
    std::int64_t want = 1;
    for (int a = 0; a < rank; ++a) want *= extents[a];
    throw error(fmt::format(
        "from_host: {} values for shape {}, which has {}; the extents must multiply to the number of values", have,
        shape_text(extents, rank), want));
}

}  // namespace sinter::detail
