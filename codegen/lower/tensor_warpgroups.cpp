// The loop over slices of products of warpgroups. The products of a slice are still under way when the next slice's
// begin, so that tensor cores do not wait for the threads.
#include <codegen/lower/tensor.hpp>

namespace sinter::codegen::lower {

using namespace device_ir;

void tensor_lowering::let_warp_of_group() {
    // threads that copy are not here, but beyond those whose group is bounded
    const scalar number = group_number();
    const scalar group = c.b.let_index("group", dtype::int32,
                                       t.persistent_blocks > 0 ? number % (row_units() * t.warp_columns) : number);
    group_row = c.b.let_index("group_row", dtype::int32, group / t.warp_columns * (t.rows / row_units()));
    group_column = c.b.let_index("group_column", dtype::int32, group % t.warp_columns * (t.columns / t.warp_columns));
    warp_row = c.b.let_index("warp_row", dtype::int32, group_row + warp_of_group() * fragment_rows);
    warp_column = group_column;
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
}

void tensor_lowering::loop_of_groups() {
    const int ahead = t.stages - 1;
    stage_first(ahead);
    const scalar next = step_of_block(c.b.integer(ahead * t.depth));
    load_factors(next < end_of_steps(), next);
    const scalar slices = let_slices();
    const scalar nought = c.b.integer(0), sum = c.b.element(sums, {nought, nought});
    c.b.begin_products(sum, {});
    const scalar slice = c.b.open_loop("slice", c.index_type(), nought, slices, c.b.integer(1), 1);
    const scalar now = c.b.let_index("now", dtype::int32, slice % t.stages);
    const scalar free = c.b.let_index("next", dtype::int32, (slice + ahead) % t.stages);
    const scalar first = c.b.let_index("first", c.index_type(), step_of_block((slice + ahead) * t.depth));
    const scalar more = c.b.let_index("more", dtype::bool_, first < end_of_steps());
    if (copies()) c.b.wait_copies(ahead - 1);
    c.b.fence_shared();
    c.b.barrier(barrier_scope::block);
    multiply_by_group(now);
    c.b.wait_products(sum, 1);
    c.b.barrier(barrier_scope::block, "the products of the slice before are done");
    copy_factors(more, free, first);
    write_factors(more, free, first);
    load_factors(first + t.depth < end_of_steps(), first + t.depth);
    c.b.close();
    c.b.wait_products(sum);
}

/// `slice`: its number, of sums that begin at 0; else they have values.
void tensor_lowering::multiply_by_group(const scalar& buffer, const scalar& slice) {
    c.b.begin_products({}, {});
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        multiply_rows(c.b.element(sums, {i, c.b.integer(0)}), i, buffer, step, slice ? 0 < slice + step : scalar{});
    });
    c.b.close();
    c.b.commit_products();
}

void tensor_lowering::multiply_rows(const scalar& first_sum, const scalar& i, const scalar& buffer, const scalar& step,
                                    const scalar& adds) {
    c.b.multiply_warpgroup(first_sum, result_fragments(), left.operand(buffer, group_row + i * warpgroup_rows, step),
                           right.operand(buffer, group_column, step), adds);
}

/// Tensor cores keep 14 bits of sums of float8 products, so those of a slice are added to the others in float32.
/// Meanwhile the other warpgroup multiplies.
void tensor_lowering::multiply_float8(const scalar& buffer) {
    const id slice =
        registers(c.name(of.sum) + "_of_slice", dtype::float32, {result_fragments()}, fragment_elements, false);
    const scalar first_sum = c.b.element(slice, {c.b.integer(0)});
    unrolled("i", row_fragments(), [&](const scalar& i) {
        c.b.begin_products({}, {});
        const scalar step = c.b.open_unrolled("step", t.depth, steps_of_product(c.at(of.rows).type));
        multiply_rows(first_sum, i, buffer, step, 0 < step);
        c.b.close();
        c.b.commit_products();
        c.b.wait_products(first_sum);
        unrolled("j", result_fragments(), [&](const scalar& j) {
            unrolled("e", fragment_elements, [&](const scalar& e) {
                const scalar sum = c.b.element(sums, {i, j, e});
                c.b.assign(sum, c.combine(of.sum, sum, c.b.element(slice, {j, e})));
            });
        });
    });
}

}  // namespace sinter::codegen::lower
