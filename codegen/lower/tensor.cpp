// The loop over slices of products of warps.
#include <codegen/lower/tensor.hpp>

#include <codegen/lower/strategies.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

tensor_lowering::tensor_lowering(lowering& lowered)
    : fragment_loops(lowered),
      of(staged_factors(c.k, t)),
      rows{"row", {t.row_axis}, t.rows, 1, {}, {}, {}},
      columns{"column", {t.column_axis}, t.columns, 1, {}, {}, {}},
      left(c, is_along_rows(of.rows) ? of.rows : of.columns, rows,
           {0, t.depth, t.stages, t.warp_rows, t.rows_along_steps, false, false, t.warpgroups, true,
            t.persistent_blocks > 0, t.fetches, is_in_registers(t)}),
      right(c, is_along_rows(of.rows) ? of.columns : of.rows, columns,
            {0, t.depth, t.stages, t.warp_columns, t.columns_along_steps, true, false, t.warpgroups, true,
             t.persistent_blocks > 0, t.fetches, is_in_registers(t)}) {}

void tensor_lowering::write() {
    c.b.comment(fmt::format(
        "A block computes a tile of {} x {} results, a {} {} x {} of them, as sums of products of {} x {} fragments. "
        "{}",
        t.rows, t.columns, t.warpgroups ? "group of 4 warps" : "warp", t.rows / row_units(), t.columns / t.warp_columns,
        t.warpgroups ? warpgroup_rows : fragment_rows, steps_of_product(c.at(of.rows).type),
        is_in_registers(t)
            ? fmt::format("Warps take turns at {} steps, which each loads to its registers.", steps_of_registers(t))
            : fmt::format("Slices of {} steps are staged in shared memory, {} slices ahead.", t.depth, t.stages - 1)));
    const bool folds = folds_product(c.k, t);
    if (t.persistent_blocks > 0) return write_persistent();
    if (folds) columns.axes.push_back(c.k.loops[1].axes[0]);
    place = locate_tile(c, rows, columns, t.divides_steps ? shared_tile_number() : scalar{});
    if (is_in_registers(t)) return write_in_registers();
    if (t.warpgroups)
        let_warp_of_group();
    else
        let_warp();
    for (tensor_factor* f : factors()) f->declare(lane);
    sums = registers(c.name(of.sum) + "_fragment", dtype::float32, {row_fragments(), result_fragments()},
                     fragment_elements, true);
    if (t.warpgroups)
        loop_of_groups();
    else if (t.fetches)
        loop_of_fetched();
    else
        loop();
    if (t.divides_steps) fold_divided_steps();
    if (folds)
        fold_columns();
    else
        store();
    if (ticket != device_ir::none) reset_ticket(c, ticket);
}

scalar tensor_lowering::shared_tile_number() {
    shared = divide_steps(c, t.depth);
    return c.s.wide_index ? c.b.index_cast(dtype::int64, shared.number) : shared.number;
}

void tensor_lowering::fold_divided_steps() {
    const int run = run_of_results(dtype::float32, fragment_elements);
    const bool of_lane = is_in_registers(t);
    const int beside = of_lane ? 1 : result_fragments();
    const auto each = [&](const thread_results::body& body) {
        unrolled("i", row_fragments(), [&](const scalar& i) {
            unrolled("j", beside, [&](const scalar& j) {
                const scalar first = c.b.open_unrolled("first_e", fragment_elements, run);
                const auto element = [&](const scalar& e) {
                    return of_lane ? c.b.element(sums_of_lane, {i, first + e}) : c.b.element(sums, {i, j, first + e});
                };
                body(element, (i * beside + j) * fragment_elements + first);
                c.b.close();
            });
        });
    };
    const std::vector<thread_results> all{{of.sum, row_fragments() * beside * fragment_elements, run, each}};
    c.b.open_branch(1 < shared.share.parts);
    fold_shares(c, shared, all);
    c.b.close();
}

void tensor_lowering::let_warp() {
    const scalar number = c.b.let_index("warp", dtype::int32, c.b.thread() / warp);
    warp_row = c.b.let_index("warp_row", dtype::int32, number / t.warp_columns * (t.rows / t.warp_rows));
    warp_column = c.b.let_index("warp_column", dtype::int32, number % t.warp_columns * (t.columns / t.warp_columns));
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
}

void tensor_lowering::stage_first(int slices) {
    for (tensor_factor* f : factors())
        if (!f->is_copied()) f->load_once();
    c.b.comment("Start copying the first slices before the first one is used.");
    const scalar ahead = c.b.open_unrolled("ahead", slices);
    for (tensor_factor* f : factors()) {
        if (f->is_copied()) {
            f->copy(ahead, step_of_block(ahead * t.depth));
        } else {
            f->load(step_of_block(ahead * t.depth));
            f->write(ahead, step_of_block(ahead * t.depth));
        }
    }
    if (copies()) c.b.commit_copies();
    c.b.close();
}

scalar tensor_lowering::let_slices() {
    const scalar steps = t.divides_steps ? end_of_steps() - shared.share.range.begin : c.trips(0);
    return c.b.let_index("slices", c.index_type(), (steps + (t.depth - 1)) / t.depth);
}

void tensor_lowering::copy_factors(const scalar& more, const scalar& buffer, const scalar& first) {
    if (!copies()) return;
    c.b.open_branch(more);
    for (tensor_factor* f : factors())
        if (f->is_copied()) f->copy(buffer, first);
    c.b.close();
    c.b.commit_copies();
}

void tensor_lowering::load_factors(const scalar& more, const scalar& first) {
    if (!computes()) return;
    c.b.open_branch(more);
    for (tensor_factor* f : factors())
        if (!f->is_copied()) f->load(first);
    c.b.close();
}

void tensor_lowering::write_factors(const scalar& more, const scalar& buffer, const scalar& first) {
    if (!computes()) return;
    c.b.open_branch(more);
    for (tensor_factor* f : factors())
        if (!f->is_copied()) f->write(buffer, first);
    c.b.close();
}

void tensor_lowering::loop() {
    const int ahead = t.stages - 1;
    stage_first(ahead);
    const scalar slices = let_slices();
    const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices, c.b.integer(1), 1);
    const scalar now = c.b.let_index("now", dtype::int32, slice % t.stages);
    const scalar free = c.b.let_index("next", dtype::int32, (slice + ahead) % t.stages);
    const scalar first = c.b.let_index("first", c.index_type(), step_of_block((slice + ahead) * t.depth));
    const scalar more = c.b.let_index("more", dtype::bool_, first < end_of_steps());
    if (copies()) c.b.wait_copies(ahead - 1);
    c.b.barrier(barrier_scope::block);
    // into the buffer that all threads are done with since the barrier
    copy_factors(more, free, first);
    load_factors(more, first);
    multiply(now, now);
    write_factors(more, free, first);
    c.b.close();
}

/// Fills the buffers with slices, but the last one.
void tensor_lowering::fetch_first(int slices) {
    for (tensor_factor* f : factors())
        if (!f->is_copied()) f->load_once();
    const scalar ahead = c.b.open_unrolled("ahead", slices);
    fetch_factors(ahead, step_of_block(ahead * t.depth));
    c.b.commit_copies();
    c.b.close();
}

void tensor_lowering::fetch_factors(const scalar& buffer, const scalar& first) {
    for (tensor_factor* f : factors()) {
        if (f->is_copied())
            f->copy(buffer, first);
        else
            f->fetch(buffer, first);
    }
}

void tensor_lowering::write_fetched(const scalar& slice) {
    for (tensor_factor* f : factors())
        if (!f->is_copied()) f->write_fetched(slice % 2, slice % t.stages, step_of_block(slice * t.depth));
}

/// The same where all that factors are computed of is copied ahead: many bytes are in flight, and take no registers.
/// The next slice is computed while this one is multiplied.
void tensor_lowering::loop_of_fetched() {
    const int ahead = t.stages - 1;
    fetch_first(ahead);
    c.b.wait_copies(ahead - 1);
    write_fetched(c.b.integer(0));
    const scalar slices = let_slices();
    const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices, c.b.integer(1), 1);
    const scalar now = c.b.let_index("now", dtype::int32, slice % t.stages);
    const scalar free = c.b.let_index("next", dtype::int32, (slice + ahead) % t.stages);
    const scalar first = c.b.let_index("first", c.index_type(), step_of_block((slice + ahead) * t.depth));
    c.b.wait_copies(ahead - 2);
    c.b.barrier(barrier_scope::block);
    c.b.open_branch(first < end_of_steps());
    fetch_factors(free, first);
    c.b.close();
    c.b.commit_copies();
    multiply(now, c.b.let_index("computed", dtype::int32, slice % 2));
    c.b.open_branch(slice + 1 < slices);
    write_fetched(slice + 1);
    c.b.close();
    c.b.close();
}

/// The buffers of a factor that is copied, and of one that is computed.
void tensor_lowering::multiply(const scalar& copied, const scalar& computed) {
    const auto buffer = [&](const tensor_factor& f) { return f.is_copied() ? copied : computed; };
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    unrolled("i", row_fragments(),
             [&](const scalar& i) { left.read_fragment(buffer(left), warp_row + i * fragment_rows, step, i); });
    unrolled("j", result_fragments(),
             [&](const scalar& j) { right.read_fragment(buffer(right), warp_column + j * fragment_rows, step, j); });
    unrolled("i", row_fragments(), [&](const scalar& i) {
        unrolled("j", result_fragments(), [&](const scalar& j) {
            c.b.multiply_accumulate(c.b.element(sums, {i, j}), left.fragment(i), right.fragment(j));
        });
    });
    c.b.close();
}

void lower_tensor(lowering& c) { tensor_lowering(c).write(); }

}  // namespace sinter::codegen::lower
