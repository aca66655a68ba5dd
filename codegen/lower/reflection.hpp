// The members of kernels and schedules as Boost.Hana structs, from which the key of a kernel's class is derived. A
// missing member is a compile-time error (fields_of).
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/length.hpp>

#include <cstddef>
#include <utility>

BOOST_HANA_ADAPT_STRUCT(sinter::codegen::layout, stride);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::kernel_input, type, leaf, offset, may_alias_output, elements);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::dense_shape, rank, shape);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::value, what, type, op, in, loop, stage, over, varies, input, at, scalar, bits,
                        exclusive, node);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::inner_loop, axes, reductions, backwards);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::kernel_store, output, value, loop, at);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::call_array, type, rank, shape);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::call_site, callee, integers, operands, results, outputs, computed, consumed);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::loop_nest, extents, outer, loops, nest_axis, block_axis, read_later, values,
                        stores, layouts, inputs, outputs, output_shapes, results, scalars, numbers, scalar_types,
                        precision, product, call, element_functions);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::contraction_tile, row_axis, column_axis, rows, columns, thread_rows,
                        thread_columns, thread_steps, depth, whole, wide_loads, wide_stores, over_columns, one_slice);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::tensor_tile, row_axis, column_axis, rows, columns, warp_rows, warp_columns,
                        depth, stages, rows_along_steps, columns_along_steps, wide_loads, wide_stores, exchanges,
                        rows_in_registers, skips, last_rows_first, warpgroups, divides_steps, rows_together,
                        persistent_blocks, fetches);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::tile_shape, row_axis, column_axis, row_length, column_length, transposed,
                        column_vector);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::stencil_window, input, at, rows, first, last);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::stencil_read, load, window, down, along);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::stencil_shape, row_axis, column_axis, rows, windows, reads);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::channel_axes, channel_axis, pixel_axis);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::group_window, value, group_step, tap_step, elements, vector, moves_down,
                        staged);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::windowed_value, value, window);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::windows_shape, row_axis, column_axis, rows, columns, threads_across,
                        whole_rows, whole_columns, along, taps, down, taps_down, row_step, unrolled_down, windows,
                        filters, reads, store_vectors, staged_stores);
BOOST_HANA_ADAPT_STRUCT(sinter::codegen::schedule, form, block_threads, threads_per_output, vector_width, unroll,
                        blocks_per_output, grid_barrier, cluster, block_groups, folding_blocks,
                        blocks_per_multiprocessor, peeled, register_cached, wide_gathers, realigned, evict_first,
                        wide_index, tile, stencil, channels, windows, product, tensor);

namespace sinter::codegen::reflection {

/// Converts to any type: stands for one member in aggregate initialisation.
struct anything {
    template <class T>
    operator T() const;  // never defined
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), anything{})...}; };
}

/// How many members an aggregate has.
template <class T, std::size_t N = 32>
constexpr std::size_t member_count() {
    if constexpr (takes<T>(std::make_index_sequence<N>{}))
        return N;
    else
        return member_count<T, N - 1>();
}

/// The accessors of all members of T, as pairs of name and function.
template <class T>
constexpr auto fields_of() {
    static_assert(decltype(boost::hana::length(boost::hana::accessors<T>()))::value == member_count<T>(),
                  "a member is missing in codegen/lower/reflection.hpp");
    return boost::hana::accessors<T>();
}

}  // namespace sinter::codegen::reflection
