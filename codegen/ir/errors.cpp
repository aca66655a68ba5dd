// Messages of the front end's run-time errors: one line each, with the cause and the cure.
#include <codegen/ir/print.hpp>
#include <sinter/called_as.hpp>
#include <sinter/generate.hpp>
#include <sinter/host_span.hpp>
#include <sinter/join.hpp>
#include <sinter/map_slices.hpp>
#include <sinter/matmul.hpp>
#include <sinter/options.hpp>
#include <sinter/quantile.hpp>
#include <sinter/random.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/slice.hpp>
#include <sinter/sort.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::detail {

constinit thread_local const char* called_function = nullptr;

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

void throw_bad_quantile(const char* function, double q, double most) {
    throw error(fmt::format("{}: {} is not between 0 and {}{}", called(function), q, most,
                            most == 1 ? "; for percentages write percentile(x, 95)" : ""));
}

void throw_bad_fft_length(const char* function, std::int64_t length) {
    throw error(fmt::format("{}: the length of a transform is {}; give at least 1", called(function), length));
}

void throw_bad_topk(const char* function, std::int64_t count, const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("{}: {} elements requested along axis {} of shape {}; request 0 to {}", called(function),
                            count, axis, shape_text(extents, rank), extents[axis]));
}

void throw_no_broadcast(const char* op, const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} do not broadcast: aligned at the last axis, extents must be equal or 1",
                    called(op), shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_extents(const char* function, const std::int64_t* extents, int rank, std::int64_t unit) {
    const std::string shape = shape_text(extents, rank);
    if (std::any_of(extents, extents + rank, [](std::int64_t n) { return n < 0; }))
        throw error(fmt::format("{}: shape {} has a negative extent; extents are 0 or more", called(function), shape));
    if (unit == 1)
        throw error(
            fmt::format("{}: shape {} has more than 2^63 - 1 elements; use smaller extents", called(function), shape));
    throw error(fmt::format("{}: shape {} has more than 2^63 - 1 bytes, {} per element; use smaller extents",
                            called(function), shape, unit));
}

void throw_bad_sum(const char* function, std::int64_t a, std::int64_t b) {
    throw error(fmt::format("{}: {} and {} elements along one axis are more than 2^63 - 1; use smaller extents",
                            called(function), a, b));
}

void throw_bad_axis(const char* op, int axis, int rank) {
    throw error(fmt::format("{}: axis={} is out of range: {}", called(op), axis, axis_range(rank)));
}

void throw_axis_out_of_range(std::int64_t axis, int rank) {
    throw error(rank == 0 ? fmt::format("shape: there is no axis {}: the shape () has none", axis)
                          : fmt::format("shape: axis {} is out of range: the axes of a shape of rank {} are {} to {}",
                                        axis, rank, -rank, rank - 1));
}

void throw_repeated_axis(const char* op, int axis) {
    throw error(fmt::format("{}: axis {} is named twice; name each axis once", called(op), axis));
}

void throw_empty_reduction(const char* op, const std::int64_t* extents, int rank) {
    throw error(
        fmt::format("{}: shape {} has no elements to reduce, and {} of no elements has no value; check size() first",
                    called(op), shape_text(extents, rank), op));
}

void throw_bad_mask(const char* op, const std::int64_t* mask, int mask_rank, const std::int64_t* operand, int rank) {
    throw error(fmt::format("{}: the mask of shape {} in where= does not broadcast to the operand's shape {}",
                            called(op), shape_text(mask, mask_rank), shape_text(operand, rank)));
}

void throw_bad_ord(double ord) {
    throw error(fmt::format("norm: the order {} cannot be given as a number: write ord=0_c, ord=inf or ord=-inf", ord));
}

void throw_bad_vecdot(const char* function, const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} differ along the axis that is summed; the vectors must have equal lengths",
                    called(function), shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_permutation(const int* axes, int rank) {
    throw error(fmt::format("{}: {} does not name each of the {} axes once; give a permutation of 0 to {}",
                            called("permute"), axes_list(axes, rank), rank, rank - 1));
}

void throw_bad_broadcast_to(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank) {
    throw error(
        fmt::format("{}: shape {} does not broadcast to {}: aligned at the last axis, only extents of 1 stretch",
                    called("broadcast_to"), shape_text(from, from_rank), shape_text(to, to_rank)));
}

void throw_bad_matmul(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} do not multiply: the last extent of the first must be the last but one of "
                    "the second (or its only one), and the axes before those must broadcast",
                    called("matmul"), shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_einsum(const char* function, char axis, std::int64_t one, std::int64_t other) {
    throw error(fmt::format("{}: the axes named {} have extents {} and {}; axes of one letter must have equal extents",
                            called(function), axis, one, other));
}

void throw_unreduced_slices(char axis, std::int64_t extent) {
    throw error(
        fmt::format("map_slices: the result does not name axis {}, which still has extent {}; reduce it, or name "
                    "it in the result",
                    axis, extent));
}

void throw_zero_step() { throw error("range: the step is 0; give a positive or a negative step"); }

void throw_bad_index(std::int64_t index, int axis, std::int64_t extent) {
    if (extent == 0)
        throw error(
            fmt::format("index {} is out of range for axis {} of extent 0, which has no elements", index, axis));
    throw error(fmt::format("index {} is out of range for axis {} of extent {}: use {} to {}", index, axis, extent,
                            -extent, extent - 1));
}

void throw_bad_index_from_end(std::int64_t count, int axis, std::int64_t extent) {
    throw error(fmt::format("index end - {} is out of range for axis {} of extent {}: use end - {} to end - 1", count,
                            axis, extent, extent));
}

void throw_take_from_nothing(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("{}: axis {} of shape {} has no elements; give an empty array of indices", called("take"),
                            axis, shape_text(extents, rank)));
}

void throw_bad_values(const char* function, const std::int64_t* values, int values_rank, const std::int64_t* places,
                      int rank) {
    throw error(
        fmt::format("{}: values of shape {} do not broadcast to {}, one value per index: aligned at the last axis, "
                    "only extents of 1 stretch",
                    called(function), shape_text(values, values_rank), shape_text(places, rank)));
}

void throw_bad_edges(std::int64_t count) {
    throw error(
        fmt::format("{}: {} edges make no bin; give 2 or more, in ascending order", called("histogram"), count));
}

void throw_bad_reshape(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank) {
    throw error(fmt::format(
        "{}: shape {} has {} elements and cannot become {}: the product of the extents must be the "
        "number of elements, and one extent may be -1",
        called("reshape"), shape_text(from, from_rank), product_of(from, from_rank), shape_text(to, to_rank)));
}

void throw_bad_squeeze(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("{}: axis {} of shape {} has extent {}; only axes of extent 1 can be removed",
                            called("squeeze"), axis, shape_text(extents, rank), extents[axis]));
}

void throw_bad_repeat(const char* what, std::int64_t count) {
    throw error(fmt::format("{}: {} times is not possible; give counts of 0 or more", called(what), count));
}

void throw_bad_concat(const std::int64_t* first, const std::int64_t* other, int rank, int axis) {
    throw error(fmt::format("{}: shapes {} and {} differ in axes other than {}; only that extent may differ",
                            called("concat"), shape_text(first, rank), shape_text(other, rank), axis));
}

void throw_bad_stack(const std::int64_t* first, const std::int64_t* other, int rank) {
    throw error(fmt::format("{}: shapes {} and {} differ; operands that are stacked have one shape", called("stack"),
                            shape_text(first, rank), shape_text(other, rank)));
}

void throw_bad_padding(std::int64_t before, std::int64_t after, int axis) {
    throw error(
        fmt::format("{}: {{{}, {}}} along axis {}: widths are 0 or more; to remove elements, index with a range",
                    called("pad"), before, after, axis));
}

void throw_padding_of_nothing(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("{}: axis {} of shape {} has no elements to pad with; give a value: pad(x, widths, 0)",
                            called("pad"), axis, shape_text(extents, rank)));
}

void throw_bad_window(std::int64_t window, std::int64_t extent, int axis) {
    throw error(
        fmt::format("{}: a window of {} elements does not fit the {} elements of axis {}; give a length "
                    "from 1 to that number",
                    called("sliding_window"), window, extent, axis));
}

void throw_bad_split(std::int64_t parts, std::int64_t extent, int axis) {
    throw error(fmt::format(
        "{}: axis {} of {} elements cannot be split into {} equal parts; give a divisor, or write array_split",
        called("split"), axis, extent, parts));
}

void throw_too_few(const char* function, std::int64_t count, std::int64_t least, int axis) {
    throw error(
        fmt::format("{}: axis {} has {} elements; {} or more are needed", called(function), axis, count, least));
}

void throw_bad_coordinates(const char* function, std::int64_t coordinates, std::int64_t extent, int axis) {
    throw error(fmt::format("{}: {} coordinates for axis {} of extent {}; give one per element of the axis",
                            called(function), coordinates, axis, extent));
}

void throw_bad_keys(std::int64_t first, std::int64_t other) {
    throw error(fmt::format("lexsort: keys of {} and {} elements; all keys have one length", first, other));
}

void throw_bad_tensordot(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} differ in a pair of summed axes; the extents of each pair must be equal",
                    called("tensordot"), shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_cross(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format(
        "{}: axis {} of shape {} does not have the three elements of a vector; name another axis with axis=",
        called("cross"), axis, shape_text(extents, rank)));
}

void throw_bad_mask_length(const char* function, std::int64_t mask, std::int64_t extent, int axis) {
    throw error(fmt::format("{}: {} elements for axis {} of extent {}; give one per element of the axis",
                            called(function), mask, axis, extent));
}

void throw_bad_groups(const char* function, std::int64_t groups, std::int64_t extent) {
    throw error(fmt::format("{}: {} group numbers for {} slices of axis 0; give one per slice", called(function),
                            groups, extent));
}

void throw_bad_weights(const char* function, std::int64_t weights, std::int64_t elements) {
    throw error(
        fmt::format("{}: {} weights for {} elements; give one per element", called(function), weights, elements));
}

void throw_bad_filter(const char* function, const std::int64_t* filter, int filter_rank, const std::int64_t* operand,
                      int rank) {
    throw error(
        fmt::format("{}: a filter of shape {} and an operand of shape {} have no result; neither may be empty, and "
                    "with overlap::valid the filter must fit into the operand",
                    called(function), shape_text(filter, filter_rank), shape_text(operand, rank)));
}

void throw_bad_count(const char* what, std::int64_t count) {
    throw error(fmt::format("{}: {} elements are not possible; give a count of 0 or more", called(what), count));
}

void throw_bad_arange(double start, double stop, double step) {
    throw error(
        fmt::format("arange: from {} to {} in steps of {} there are more than 2^62 elements, or the bounds are not "
                    "finite; give finite bounds or a larger step",
                    start, stop, step));
}

void throw_bad_geomspace(double start, double stop) {
    throw error(fmt::format(
        "geomspace: there is no geometric sequence from {} to {}; give nonzero numbers of the same sign", start, stop));
}

void throw_zero_arange_step() { throw error("arange: the step is 0; give a positive or a negative step"); }

void throw_bad_integer_range(std::int64_t low, std::int64_t high) {
    throw error(fmt::format("integers: there is no integer from {} to below {}; give high > low", low, high));
}

void throw_outside_shape(const std::int64_t* memory, const std::int64_t* result, int rank) {
    throw error(
        fmt::format("array: the result has shape {}, the external memory that it is assigned to has shape {}; only an "
                    "array that owns its memory can change its shape",
                    shape_text(result, rank), shape_text(memory, rank)));
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
    throw error(fmt::format(
        "update in place: the result has shape {}, the array has shape {}; assign with = to change the shape",
        shape_text(result, rank), shape_text(target, rank)));
}

void throw_bad_element(const std::int64_t* at, const std::int64_t* extents, int rank) {
    throw error(fmt::format("host_span: index {} is outside shape {}; indices along an extent of n are -n to n - 1",
                            shape_text(at, rank), shape_text(extents, rank)));
}

void throw_number_does_not_fit(any_integer number, dtype type) {
    throw error(fmt::format("array: {} does not fit an element of {}; use a wider dtype, or convert the number first",
                            number, name(type)));
}

void throw_size_mismatch(const char* function, std::int64_t have, const std::int64_t* extents, int rank) {
    throw error(fmt::format(
        "{}: {} values for shape {}, which has {} elements; the product of the extents must be the number of values",
        called(function), have, shape_text(extents, rank), product_of(extents, rank)));
}

}  // namespace sinter::detail
