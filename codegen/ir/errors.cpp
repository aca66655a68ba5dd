// Messages of the front end's run-time errors: one line each, with the cause and the cure.
#include <codegen/ir/print.hpp>
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
    throw error(fmt::format("{}: {} is not between 0 and {}{}", function, q, most,
                            most == 1 ? "; percentile(x, 95) takes hundredths" : ""));
}

void throw_bad_fft_length(const char* function, std::int64_t length) {
    throw error(fmt::format("{}: {} is no length of a transform: it has at least 1 element", function, length));
}

void throw_bad_topk(const char* function, std::int64_t count, const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("{}: {} elements were asked for along axis {} of shape {}; ask for 0 to {}", function,
                            count, axis, shape_text(extents, rank), extents[axis]));
}

void throw_no_broadcast(const char* op, const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} do not broadcast: aligned at the last axis, extents must be equal or 1", op,
                    shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_extents(const char* function, const std::int64_t* extents, int rank, std::int64_t unit) {
    const std::string shape = shape_text(extents, rank);
    if (std::any_of(extents, extents + rank, [](std::int64_t n) { return n < 0; }))
        throw error(fmt::format("{}: shape {} has a negative extent; extents are 0 or more", function, shape));
    if (unit == 1)
        throw error(
            fmt::format("{}: shape {} has more elements than 63 bits count; use smaller extents", function, shape));
    throw error(fmt::format("{}: shape {} has more bytes than 63 bits count, {} per element; use smaller extents",
                            function, shape, unit));
}

void throw_bad_sum(const char* function, std::int64_t a, std::int64_t b) {
    throw error(fmt::format("{}: {} and {} elements along one axis are more than 63 bits count; use smaller extents",
                            function, a, b));
}

void throw_bad_axis(const char* op, int axis, int rank) {
    throw error(fmt::format("{}: axis={} is out of range: {}", op, axis, axis_range(rank)));
}

void throw_axis_out_of_range(std::int64_t axis, int rank) {
    throw error(rank == 0 ? fmt::format("shape: there is no axis {}: the shape () has none", axis)
                          : fmt::format("shape: axis {} is out of range: the axes of a shape of rank {} are {} to {}",
                                        axis, rank, -rank, rank - 1));
}

void throw_repeated_axis(const char* op, int axis) {
    throw error(fmt::format("{}: axis {} is named twice; name each axis once", op, axis));
}

void throw_empty_reduction(const char* op, const std::int64_t* extents, int rank) {
    throw error(fmt::format("{}: no elements to reduce in shape {}, and {} of nothing has no value; check size() first",
                            op, shape_text(extents, rank), op));
}

void throw_bad_mask(const char* op, const std::int64_t* mask, int mask_rank, const std::int64_t* operand, int rank) {
    throw error(fmt::format("{}: the mask of shape {} in where= does not broadcast to the operand's shape {}", op,
                            shape_text(mask, mask_rank), shape_text(operand, rank)));
}

void throw_bad_ord(double ord) {
    throw error(
        fmt::format("norm: {} is no order of a norm that is given as a number: use ord=0_c, ord=inf or ord=-inf", ord));
}

void throw_bad_vecdot(const char* function, const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(
        fmt::format("{}: shapes {} and {} differ along the axis that is summed; the vectors must be of one length",
                    function, shape_text(a, rank_a), shape_text(b, rank_b)));
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

void throw_bad_matmul(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(fmt::format(
        "matmul: shapes {} and {} do not multiply: the last extent of the first must be the last but one of "
        "the second (or its only one), and the axes before those must broadcast",
        shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_einsum(const char* function, char axis, std::int64_t one, std::int64_t other) {
    throw error(fmt::format("{}: axes named {} have extents {} and {}; axes of one letter have one extent", function,
                            axis, one, other));
}

void throw_unreduced_slices(char axis, std::int64_t extent) {
    throw error(
        fmt::format("map_slices: the result does not name axis {}, which still has extent {}; reduce it, or name "
                    "it in the result",
                    axis, extent));
}

void throw_zero_step() { throw error("range: a step of 0 goes nowhere; use a step of 1 or more, or a negative one"); }

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
    throw error(fmt::format("take: axis {} of shape {} has no elements to take; give no indices either", axis,
                            shape_text(extents, rank)));
}

void throw_bad_values(const char* function, const std::int64_t* values, int values_rank, const std::int64_t* places,
                      int rank) {
    throw error(
        fmt::format("{}: values of shape {} do not broadcast to {}, one for each index: aligned at the last axis, only "
                    "extents of 1 stretch",
                    function, shape_text(values, values_rank), shape_text(places, rank)));
}

void throw_bad_edges(std::int64_t count) {
    throw error(fmt::format("histogram: {} edges bound no bin; give 2 or more, in ascending order", count));
}

void throw_bad_reshape(const std::int64_t* from, int from_rank, const std::int64_t* to, int to_rank) {
    throw error(fmt::format(
        "reshape: shape {} has {} elements and cannot become {}: the extents must multiply to as many, one may be -1",
        shape_text(from, from_rank), product_of(from, from_rank), shape_text(to, to_rank)));
}

void throw_bad_squeeze(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("squeeze: axis {} of shape {} has extent {}; only axes of extent 1 can be left out", axis,
                            shape_text(extents, rank), extents[axis]));
}

void throw_bad_repeat(const char* what, std::int64_t count) {
    throw error(fmt::format("{}: {} times is not possible; give counts of 0 or more", what, count));
}

void throw_bad_concat(const std::int64_t* first, const std::int64_t* other, int rank, int axis) {
    throw error(fmt::format("concat: shapes {} and {} differ in other axes than {}; only that extent may differ",
                            shape_text(first, rank), shape_text(other, rank), axis));
}

void throw_bad_padding(std::int64_t before, std::int64_t after, int axis) {
    throw error(fmt::format("pad: {{{}, {}}} along axis {}: widths are 0 or more; cut with a range instead", before,
                            after, axis));
}

void throw_padding_of_nothing(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("pad: axis {} of shape {} has no elements to pad with; give a value: pad(x, widths, 0)",
                            axis, shape_text(extents, rank)));
}

void throw_bad_window(std::int64_t window, std::int64_t extent, int axis) {
    throw error(fmt::format("sliding_window: {} elements do not fit into the {} of axis {}; give 1 to as many", window,
                            extent, axis));
}

void throw_bad_split(std::int64_t parts, std::int64_t extent, int axis) {
    throw error(
        fmt::format("split: axis {} of {} elements has no {} parts of one length; give a divisor, or say "
                    "array_split",
                    axis, extent, parts));
}

void throw_too_few(const char* function, std::int64_t count, std::int64_t least, int axis) {
    throw error(fmt::format("{}: axis {} has {} elements; it takes {} or more", function, axis, count, least));
}

void throw_bad_tensordot(const std::int64_t* a, int rank_a, const std::int64_t* b, int rank_b) {
    throw error(fmt::format("tensordot: shapes {} and {} differ in a pair of summed axes; these have one extent each",
                            shape_text(a, rank_a), shape_text(b, rank_b)));
}

void throw_bad_cross(const std::int64_t* extents, int rank, int axis) {
    throw error(fmt::format("cross: axis {} of shape {} has not the three elements of a vector; name another by axis=",
                            axis, shape_text(extents, rank)));
}

void throw_bad_mask_length(const char* function, std::int64_t mask, std::int64_t extent, int axis) {
    throw error(
        fmt::format("{}: {} elements for axis {} of extent {}; give one for each", function, mask, axis, extent));
}

void throw_bad_groups(const char* function, std::int64_t groups, std::int64_t extent) {
    throw error(fmt::format("{}: {} groups for {} slices of axis 0; give one for each", function, groups, extent));
}

void throw_bad_filter(const char* function, const std::int64_t* filter, int filter_rank, const std::int64_t* operand,
                      int rank) {
    throw error(
        fmt::format("{}: a filter of shape {} and an operand of shape {} have no result; both need elements, and "
                    "with overlap::valid the filter must fit",
                    function, shape_text(filter, filter_rank), shape_text(operand, rank)));
}

void throw_bad_count(const char* what, std::int64_t count) {
    throw error(fmt::format("{}: {} elements are not possible; give a count of 0 or more", what, count));
}

void throw_bad_arange(double start, double stop, double step) {
    throw error(
        fmt::format("arange: from {} to {} in steps of {} there is no number of elements that 62 bits count; give "
                    "finite bounds that fewer steps lie between",
                    start, stop, step));
}

void throw_bad_geomspace(double start, double stop) {
    throw error(fmt::format("geomspace: no ratio leads from {} to {}; give numbers that are not 0 and of one sign",
                            start, stop));
}

void throw_zero_arange_step() { throw error("arange: a step of 0 goes nowhere; give another step"); }

void throw_bad_integer_range(std::int64_t low, std::int64_t high) {
    throw error(fmt::format("integers: there is no integer from {} up to and without {}; give high > low", low, high));
}

void throw_outside_shape(const std::int64_t* memory, const std::int64_t* result, int rank) {
    throw error(
        fmt::format("array: the result has shape {}, the memory from outside that it is assigned to {}; assign "
                    "to an array of Sinter's own to change the shape",
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
    throw error(fmt::format("update in place: the result has shape {}, the array {}; assign with = to change the shape",
                            shape_text(result, rank), shape_text(target, rank)));
}

void throw_bad_element(const std::int64_t* at, const std::int64_t* extents, int rank) {
    throw error(fmt::format("host_span: index {} is outside of shape {}; along an extent of n indices are -n to n - 1",
                            shape_text(at, rank), shape_text(extents, rank)));
}

void throw_number_does_not_fit(any_integer number, dtype type) {
    throw error(fmt::format("array: {} does not fit an element of {}; take a wider dtype, or convert the number first",
                            number, name(type)));
}

void throw_size_mismatch(const char* function, std::int64_t have, const std::int64_t* extents, int rank) {
    throw error(
        fmt::format("{}: {} values for shape {}, which has {}; the extents must multiply to the number of values",
                    function, have, shape_text(extents, rank), product_of(extents, rank)));
}

}  // namespace sinter::detail
