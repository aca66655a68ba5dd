// The loop over slices.
#include <codegen/lower/online.hpp>

#include <codegen/lower/strategies.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

online_lowering::online_lowering(lowering& lowered)
    : fragment_loops(lowered),
      of(*online_sums_of(c.k)),
      mask(t.skips ? support_of_scores(c.k, of, t) : support{}),
      rows{"row", {t.row_axis}, t.rows, 1, {}, {}, {}},
      columns{"column", {t.column_axis}, t.columns, 1, {}, {}, {}},
      nest{"key", {c.k.nest_axis}, nest_elements(c.s), 1, {}, {}, {}},
      left(c, is_along_nest(of.scores.rows) ? of.scores.columns : of.scores.rows, rows,
           loaded_late({0, t.depth, 1, t.warp_rows, t.rows_along_steps, false, t.rows_in_registers, t.warpgroups})),
      right(c, is_along_nest(of.scores.rows) ? of.scores.rows : of.scores.columns, nest,
            loaded_late({0, t.depth, t.stages, 1, t.columns_along_steps, true, false, t.warpgroups})),
      ys(c, of.y, columns,
         loaded_late({3, nest_elements(c.s), t.stages, 1, is_y_along_steps(c.k, of, t), true, false, t.warpgroups})) {}

factor_slices online_lowering::loaded_late(factor_slices slices) const {
    slices.late = !loads_ahead(c.k, of, c.s);
    return slices;
}

void online_lowering::write() {
    c.b.comment(
        fmt::format("A block computes {} rows of results, a warp {} of them, over slices of {} elements. A slice's "
                    "scores are a product; their exponentials, relative to the greatest score so far, are added to "
                    "the running sums, which are rescaled when that score changes.",
                    t.rows, t.rows / t.warp_rows, nest_elements(c.s)));
    if (has_split_factors(c.k, of))
        c.b.comment(
            fmt::format("A float32 number is the sum of up to {} bfloat16 numbers, the greatest first; products "
                        "of two numbers are those of their parts but for the least.",
                        max_parts));
    locate_tile(c, rows, columns);
    nest.extent = c.b.let_index("keys", c.index_type(), c.extent(c.k.nest_axis));
    nest.first = c.b.integer(0);
    let_warp();
    let_common();
    for (tensor_factor* f : {&left, &right, &ys}) f->declare(lane);
    declare_sums();
    find_ranges();
    begin();
    if (finite_masks.empty())
        slices(first_slice, last_slice);
    else
        passes();
    store();
}

void online_lowering::let_warp() {
    if (t.warpgroups) {
        group_row = c.b.let_index("group_row", dtype::int32, group_number() * (t.rows / row_units()));
        warp_row = c.b.let_index("warp_row", dtype::int32, group_row + warp_of_group() * fragment_rows);
    } else {
        warp_row = c.b.let_index("warp_row", dtype::int32, c.b.thread() / warp * (t.rows / t.warp_rows));
    }
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
}

scalar online_lowering::number(float x) { return c.b.literal(dtype::float32, std::bit_cast<std::uint32_t>(x)); }

scalar online_lowering::op(int v, const scalar& a, const scalar& b) {
    return c.b.operation(*c.at(v).op, dtype::float32, dtype::float32, {a, b, {}});
}

void online_lowering::fold_lanes(int reduction, const scalar& own) {
    const scalar offset = c.b.open_halving("offset", 2, 0);
    c.b.assign(own, c.combine(reduction, own, c.b.exchange(exchange_pattern::butterfly, own, offset)));
    c.b.close();
}

/// Values common to all rows and elements of a block.
void online_lowering::let_common() {
    std::vector<int> wanted = operands_beside(c.k, of.of_weights);
    wanted.push_back(of.x);
    for (int v : group_values_needed(c, wanted))
        if (is_common(v)) common.push_back(v);
    let_group_values(c, common, c.k.outer);
}

bool online_lowering::is_common(int v) const {
    const std::uint32_t varies = c.at(v).varies;
    const auto moves = [&](int axis) { return (varies >> axis & 1) != 0; };
    return c.at(v).loop == group_level && c.at(v).stage == 0 && !moves(t.row_axis) && !moves(t.column_axis);
}

void online_lowering::declare_sums() {
    minus_infinity = number(-std::numeric_limits<float>::infinity());
    // only minus infinity is below it; subtracting minus infinity from itself would give NaN
    least = number(std::numeric_limits<float>::lowest());
    const int fragments = row_fragments();
    results = registers(c.name(of.result) + "_fragment", dtype::float32, {fragments, result_fragments()},
                        fragment_elements, true);
    maxima = registers(c.name(of.maximum) + "_so_far", dtype::float32, {fragments, 2}, 1, false);
    totals = registers(c.name(of.total) + "_so_far", dtype::float32, {fragments, 2}, 1, true);
    each_row([&](const scalar& i, const scalar& h) { c.b.assign(c.b.element(maxima, {i, h}), minus_infinity); });
}

void online_lowering::stage(tensor_factor& f, const scalar& buffer, const scalar& first) {
    if (f.is_copied())
        f.copy(buffer, first);
    else if (!f.is_late())
        f.load(first);
}

/// The rest, when what is computed with the slice before is over.
void online_lowering::stage_rest(tensor_factor& f, const scalar& buffer, const scalar& first) {
    if (f.is_copied()) return;
    if (f.is_late())
        f.stage(buffer, first);
    else
        f.write(buffer, first);
}

void online_lowering::stage_whole(tensor_factor& f, const scalar& buffer, const scalar& first) {
    stage(f, buffer, first);
    stage_rest(f, buffer, first);
}

/// The first slice of a pass, before its loop.
void online_lowering::stage_first(const scalar& slice) {
    const scalar buffer = c.b.let_index(c.unique("buffer"), dtype::int32, slice % t.stages);
    nest.first = c.b.let_index(c.unique("start"), c.index_type(), slice * nest_elements(c.s));
    stage_whole(right, buffer, c.b.integer(0));
    stage_whole(ys, buffer, nest.first);
}

void online_lowering::begin() {
    stage_whole(left, c.b.integer(0), c.b.integer(0));
    if (t.skips) c.b.open_branch(first_slice < last_slice);
    stage_first(first_slice);
    if (t.skips) c.b.close();
    c.b.commit_copies();
    if (!t.rows_in_registers) return;
    c.b.wait_copies(0);
    c.b.barrier(barrier_scope::block);
    const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
    read_rows(step);
    c.b.close();
}

void online_lowering::slices(const scalar& from, const scalar& to) {
    const int elements = nest_elements(c.s);
    const scalar slice = c.b.open_loop("slice", c.index_type(), from, to, c.b.integer(1), 1);
    const scalar now = c.b.let_index("now", dtype::int32, slice % t.stages);
    const scalar free = c.b.let_index("next", dtype::int32, (slice + 1) % t.stages);
    const scalar first = c.b.let_index("first", c.index_type(), slice * elements);
    const scalar then = c.b.let_index("then", c.index_type(), first + elements);
    const scalar more = c.b.let_index("more", dtype::bool_, slice + 1 < to);
    c.b.wait_copies(0);
    if (t.warpgroups) c.b.fence_shared();
    c.b.barrier(barrier_scope::block);
    c.b.open_branch(more);
    nest.first = then;
    stage(right, free, c.b.integer(0));
    stage(ys, free, then);
    c.b.close();
    c.b.commit_copies();
    if (t.warpgroups) {
        const id scores = multiply_scores_of_group(now);
        compute_unscaled(scores, first);
        multiply_results_of_group(raise_maxima_seldom(scores), now, first);
    } else {
        const id scores = multiply_scores(now);
        compute_scores(scores, first);
        const exponents e = raise_maxima(scores);
        if (has_split_weights(c.k, of))
            multiply_split_results(e, now, first);
        else
            multiply_results(e, now, first);
    }
    if (!right.is_copied() || !ys.is_copied()) {
        c.b.open_branch(more);
        stage_rest(right, free, c.b.integer(0));
        stage_rest(ys, free, then);
        c.b.close();
    }
    c.b.close();
}

void lower_online(lowering& c) { online_lowering(c).write(); }

}  // namespace sinter::codegen::lower
