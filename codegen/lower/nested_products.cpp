// The loop over slices.
#include <codegen/lower/nested_products.hpp>

#include <codegen/lower/strategies.hpp>
#include <sinter/op/functions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

nested_lowering::nested_lowering(lowering& lowered)
    : fragment_loops(lowered),
      of(*nested_products_of(c.k)),
      masks(t.skips ? supports_of_weights(c.k, of) : std::vector<support>{}),
      rows{"row", {t.row_axis}, t.rows, 1, {}, {}, {}},
      columns{"column", {t.column_axis}, t.columns, 1, {}, {}, {}},
      nest{"element", {c.k.nest_axis}, nested_slice(c.s), 1, {}, {}, {}} {
    for (int l = 0; l < of.last(); ++l) {
        const tensor_factors& f = of.factors[static_cast<std::size_t>(l)];
        left.emplace_back(c, f.rows, rows,
                          factor_slices{l, t.depth, 1, t.warp_rows, is_staged_along_steps(c.k, f.rows, l, t.row_axis),
                                        false, t.rows_in_registers, false});
        right.emplace_back(c, f.columns, nest,
                           factor_slices{l, t.depth, t.stages, 1,
                                         is_staged_along_steps(c.k, f.columns, l, c.k.nest_axis), true, false, false});
    }
    for (const nested_products::result& r : of.results) {
        if (r.y < 0) continue;
        const bool along_steps = is_staged_along_steps(c.k, r.y, of.last(), t.column_axis);
        factor_slices slices{of.last(), nested_slice(c.s), t.stages, 1, along_steps, true};
        slices.repeats = of.repeat_axis >= 0;
        ys.emplace_back(c, r.y, columns, slices);
    }
}

void nested_lowering::write() {
    c.b.comment(
        fmt::format("A block computes {} rows of results, a warp {} of them, over slices of {} elements. What they sum "
                    "is computed, for each row and element, of {} along short axes, on tensor cores.",
                    t.rows, t.rows / t.warp_rows, nested_slice(c.s),
                    of.last() == 1 ? std::string("a product") : fmt::format("{} products", of.last())));
    locate();
    sort_values();
    let_group_values(c, common, c.k.outer);
    declare();
    find_ranges();
    begin();
    loop();
    if (of.has_columns())
        store();
    else
        store_rows();
}

/// The block's rows. It has all columns, if there are any.
void nested_lowering::locate() {
    const auto let = [&](const char* name, const scalar& x) { return c.b.let_index(name, c.index_type(), x); };
    if (of.has_columns()) {
        locate_tile(c, rows, columns);
    } else {
        rows.extent = let("rows", c.extent(t.row_axis));
        const std::vector<int> others = outer_axes_beside(c.k, t.row_axis, -1);
        const scalar tiles = let("tiles", (rows.extent + (t.rows - 1)) / t.rows);
        scalar below = c.block_position();
        if (!others.empty()) {
            c.decompose(others, let("layer", below / tiles), layouts_of(c.k));
            below = below % tiles;
        }
        if (t.last_rows_first) below = tiles - 1 - below;
        rows.first = let("tile_row", below * t.rows);
    }
    nest.extent = c.b.let_index("elements", c.index_type(), c.extent(c.k.nest_axis));
    nest.first = c.b.integer(0);
    warp_row = c.b.let_index("warp_row", dtype::int32, c.b.thread() / warp * (t.rows / t.warp_rows));
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
}

void nested_lowering::declare() {
    for (std::deque<tensor_factor>* factors : {&left, &right, &ys})
        for (tensor_factor& f : *factors) f.declare(lane);
    for (const nested_products::result& r : of.results) {
        const std::vector<int> extents =
            r.y >= 0 ? std::vector<int>{row_fragments(), result_fragments()} : std::vector<int>{row_fragments(), 2};
        results.push_back(
            registers(c.name(r.sum) + "_so_far", dtype::float32, extents, r.y >= 0 ? fragment_elements : 1, true));
    }
}

void nested_lowering::find_ranges() {
    const int elements = nested_slice(c.s);
    const auto named = [&](const char* name, const scalar& x) { return c.b.let_index(name, c.index_type(), x); };
    some = all = {c.b.integer(0), nest.extent};
    first_slice = c.b.integer(0);
    if (!t.skips) last_slice = named("slices", (nest.extent + (elements - 1)) / elements);
    if (!t.skips) return;
    c.b.comment("The elements that some row may need, and those of which no row's weight is masked.");
    const scalar past = named("past", rows.first + t.rows);
    const scalar last = named("last_row", c.b.select(past < rows.extent, past, rows.extent) - 1);
    for (std::size_t p = 0; p < masks.size(); ++p) {
        index_ranges ranges(c, {t.row_axis, rows.first, last}, nest.extent);
        for (const selection& s : masks[p].selections) {
            if (s.is_zero) continue;
            const scalar masked = c.b.cast(dtype::float32, c.operand(s.masked));
            const scalar infinite = c.b.literal(dtype::float32, 0xff800000u);
            ranges.demand(c.b.operation(op::equal::row, dtype::bool_, dtype::float32, {masked, infinite, {}}));
        }
        const index_range own = ranges.of_some(masks[p].indices), inside = ranges.of_all(masks[p].indices);
        const auto least = [&](const scalar& a, const scalar& b) { return c.b.select(a < b, a, b); };
        const auto greatest = [&](const scalar& a, const scalar& b) { return c.b.select(a < b, b, a); };
        some = p == 0 ? own : index_range{least(some.first, own.first), greatest(some.end, own.end)};
        all = {greatest(all.first, inside.first), least(all.end, inside.end)};
        for (index_range* r : {&some, &all}) {
            r->first = c.b.let_index(c.unique("from"), c.index_type(), r->first);
            r->end = c.b.let_index(c.unique("to"), c.index_type(), r->end);
        }
    }
    first_slice = named("first_slice", some.first / elements);
    const scalar end = named("end_slice", (some.end + (elements - 1)) / elements);
    last_slice = named("last_slice", c.b.select(end < first_slice, first_slice, end));
}

void nested_lowering::stage(tensor_factor& f, const scalar& buffer, const scalar& first) {
    if (f.is_copied())
        f.copy(buffer, first);
    else
        f.load(first);
}

/// Begins to stage the slice of the nest axis from `first` on.
void nested_lowering::stage_slice(const scalar& buffer, const scalar& first, const scalar& repeat) {
    nest.first = first;
    if (repeats()) c.set_index(of.repeat_axis, repeat);
    for (tensor_factor& f : right) stage(f, buffer, c.b.integer(0));
    for (tensor_factor& f : ys) stage(f, buffer, first);
}

void nested_lowering::begin() {
    const scalar nought = c.b.integer(0);
    for (tensor_factor& f : left) {
        stage(f, nought, nought);
        if (!f.is_copied()) f.write(nought, nought);
    }
    if (t.skips) c.b.open_branch(first_slice < last_slice);
    const scalar buffer =
        repeats() ? c.b.integer(0) : c.b.let_index(c.unique("buffer"), dtype::int32, first_slice % t.stages);
    nest.first = c.b.let_index(c.unique("start"), c.index_type(), first_slice * nested_slice(c.s));
    if (repeats()) c.set_index(of.repeat_axis, nought);
    for (tensor_factor& f : right) {
        stage(f, buffer, nought);
        if (!f.is_copied()) f.write(buffer, nought);
    }
    for (tensor_factor& f : ys) {
        stage(f, buffer, nest.first);
        if (!f.is_copied()) f.write(buffer, nest.first);
    }
    if (t.skips) c.b.close();
    c.b.commit_copies();
    let_row_values();
    if (!t.rows_in_registers) return;
    c.b.wait_copies(0);
    c.b.barrier(barrier_scope::block);
    for (int l = 0; l < of.last(); ++l) {
        const scalar step = c.b.open_unrolled("step", t.depth, fragment_rows);
        unrolled("i", row_fragments(), [&](const scalar& i) {
            left[static_cast<std::size_t>(l)].read_fragment(nought, warp_row + i * fragment_rows, step, i);
        });
        c.b.close();
    }
}

/// Where slices are gone over again for each index of an axis, they are numbered through.
void nested_lowering::loop() {
    const int elements = nested_slice(c.s);
    const auto let = [&](const char* name, dtype type, const scalar& x) { return c.b.let_index(name, type, x); };
    const dtype type = c.index_type();
    const scalar count = repeats() ? let("slices_each", type, last_slice - first_slice) : scalar();
    const scalar end = repeats() ? let("all_slices", type, count * c.extent(of.repeat_axis)) : last_slice;
    const scalar slice = c.b.open_loop("slice", type, repeats() ? c.b.integer(0) : first_slice, end, c.b.integer(1), 1);
    const scalar now = let("now", dtype::int32, slice % t.stages);
    const scalar free = let("next", dtype::int32, (slice + 1) % t.stages);
    const auto begins_at = [&](const scalar& number) {
        return (repeats() ? first_slice + number % count : number) * elements;
    };
    const scalar first = let("first", type, begins_at(slice));
    const scalar then = let("then", type, repeats() ? begins_at(slice + 1) : first + elements);
    const scalar more = let("more", dtype::bool_, slice + 1 < end);
    const auto repeat_of = [&](const char* name, const scalar& number) {  // the last one's, past the end
        const scalar whole = let((std::string(name) + "_so_far").c_str(), type, number / count);
        const scalar extent = c.extent(of.repeat_axis);
        return let(name, type, c.b.select(whole < extent, whole, extent - 1));
    };
    c.b.wait_copies(0);
    c.b.barrier(barrier_scope::block);
    c.b.open_branch(more);
    stage_slice(free, then, repeats() ? repeat_of("next_repeat", slice + 1) : scalar());
    c.b.close();
    c.b.commit_copies();
    if (repeats()) c.set_index(of.repeat_axis, repeat_of("repeat", slice));
    multiply_scores(now);
    compute_weights(first);
    multiply_results(now);
    const auto is_computed = [](const tensor_factor& f) { return !f.is_copied(); };
    if (std::any_of(right.begin(), right.end(), is_computed) || std::any_of(ys.begin(), ys.end(), is_computed)) {
        c.b.open_branch(more);
        if (repeats()) c.set_index(of.repeat_axis, repeat_of("written_repeat", slice + 1));
        for (tensor_factor& f : right)
            if (!f.is_copied()) f.write(free, c.b.integer(0));
        for (tensor_factor& f : ys)
            if (!f.is_copied()) f.write(free, then);
        c.b.close();
    }
    c.b.close();
}

void lower_nested(lowering& c) { nested_lowering(c).write(); }

}  // namespace sinter::codegen::lower
