// Products of warpgroups by a persistent grid: a block takes one tile after the other. One thread of a warpgroup of its
// own copies slices by boxes to buffers as they become free, also those of the next tile while the others are still
// busy with what follows the sums. So the tensor cores wait for neither barriers of the block nor the first slices of a
// tile.
#include <codegen/lower/access.hpp>
#include <codegen/lower/tensor.hpp>
#include <codegen/lower/workspace.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

// Of the 168 that 384 threads begin with.
constexpr int registers_to_copy = 24, registers_to_compute = 240;

}  // namespace

id tensor_lowering::declare_barriers(const char* name) {
    array barriers{c.unique(name), space::shared, dtype::uint64, {t.stages}};
    barriers.is_barrier = true;
    return c.b.declare(barriers);
}

void tensor_lowering::wait_for_tile_threads() {
    if (t.persistent_blocks > 0) return c.b.barrier_of_threads(computing_threads());
    c.b.barrier(barrier_scope::block);
}

void tensor_lowering::write_persistent() {
    if (folds_product(c.k, t)) columns.axes.push_back(c.k.loops[1].axes[0]);
    for (tensor_factor* f : factors()) f->declare({});
    filled = declare_barriers("filled");
    emptied = declare_barriers("emptied");
    c.b.init_barriers(c.b.element(filled, {c.b.integer(0)}), 1);
    c.b.init_barriers(c.b.element(emptied, {c.b.integer(0)}), computing_threads() / warp);
    c.b.barrier(barrier_scope::block);
    const auto count = [&](const tile_side& side) {
        return (c.extent(side.axes[0]) + (side.size() - 1)) / side.size();
    };
    scalar tiles = count(rows) * count(columns);
    for (const int axis : outer_axes_beside(c.k, t.row_axis, t.column_axis)) tiles = tiles * c.extent(axis);
    all_tiles = c.b.let_index("all_tiles", c.index_type(), tiles);
    slices_of_tile = let_slices();
    c.b.open_branch(0 < c.b.thread() / computing_threads());
    copy_tiles();
    c.b.otherwise();
    compute_tiles();
    c.b.close();
}

/// Locates one of the block's tiles after the other.
void tensor_lowering::open_tiles() {
    slices_before = c.b.index_variable("slices_before", dtype::int32, c.b.integer(0));
    const scalar step = c.s.wide_index ? c.b.index_cast(dtype::int64, c.b.grid()) : c.b.grid();
    const scalar number = c.b.open_loop("tile_number", c.index_type(), c.block_position(), all_tiles, step, 1);
    place = locate_tile(c, rows, columns, number);
}

/// Opens a loop over the slices of a tile; buffers are used in turn over all tiles.
tensor_lowering::slice_in_turn tensor_lowering::open_slices() {
    const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices_of_tile, c.b.integer(1), 1);
    const scalar now = c.b.let_index("now", dtype::int32, slices_before % t.stages);
    return {slice, now, c.b.let_index("parity", dtype::int32, slices_before / t.stages % 2)};
}

void tensor_lowering::close_slices() {
    c.b.assign(slices_before, slices_before + 1);
    c.b.close();
}

/// The products of the slice in a buffer have ended.
void tensor_lowering::release_buffer(const scalar& buffer, const scalar& where) {
    c.b.open_branch(where);
    c.b.arrive(c.b.element(emptied, {buffer}));
    c.b.close();
}

/// The products of a slice of halves end while those of the next one are under way.
void tensor_lowering::multiply_slices() {
    const bool by_slice = multiplies_float8(c.k, t);
    sums = registers(c.name(of.sum) + "_fragment", dtype::float32, {row_fragments(), result_fragments()},
                     fragment_elements, by_slice);
    const scalar sum = c.b.element(sums, {c.b.integer(0), c.b.integer(0)});
    const auto before = [&] { return (slices_before + (t.stages - 1)) % t.stages; };
    const slice_in_turn at = open_slices();
    c.b.wait_phase(c.b.element(filled, {at.buffer}), at.parity);
    if (by_slice) {
        multiply_float8(at.buffer);
        release_buffer(at.buffer, lane == 0);
        return close_slices();
    }
    multiply_by_group(at.buffer, at.slice);
    c.b.wait_products(sum, 1);
    release_buffer(before(), 0 < at.slice && lane == 0);
    close_slices();
    c.b.wait_products(sum);
    release_buffer(before(), lane == 0);
}

void tensor_lowering::compute_tiles() {
    c.b.set_registers(registers_to_compute);
    let_warp_of_group();
    open_tiles();
    multiply_slices();
    if (folds_product(c.k, t))
        fold_columns();
    else
        store();
    if (ticket != device_ir::none) {
        reset_ticket(c, ticket);
        c.b.close();
    }
    c.b.close();
}

void tensor_lowering::copy_tiles() {
    c.b.set_registers(registers_to_copy);
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
    c.b.open_branch(c.b.thread() / warp == computing_threads() / warp);
    const scalar first_byte = c.b.block() * maps_of_block_bytes;
    left.map_boxes(first_byte);
    right.map_boxes(first_byte + tensor_map_bytes);
    c.b.open_branch(lane == 0);
    open_tiles();
    const slice_in_turn at = open_slices();
    c.b.wait_phase(c.b.element(emptied, {at.buffer}), 1 - at.parity);
    const scalar barrier = c.b.element(filled, {at.buffer});
    c.b.arrive(barrier, left.slice_bytes() + right.slice_bytes());
    for (tensor_factor* f : factors()) f->copy_boxes(at.buffer, at.slice * t.depth, barrier);
    close_slices();
    for (int open = 0; open < 3; ++open) c.b.close();
}

}  // namespace sinter::codegen::lower
