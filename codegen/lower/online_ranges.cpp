// The slices that are needed. Where masks put minus infinity in place of scores, an exponential is 0: a slice of them
// adds nothing and is left out. Other numbers, such as -1e9, come first to nothing when a row has a score that is far
// above them. So the slices that masks do not exclude come first, and the others follow if a row needs them.
#include <codegen/lower/online.hpp>

#include <sinter/op/functions.hpp>

#include <limits>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// exp(-far) is 0 in float32, below half of the least subnormal number.
constexpr float far = 150;

bool is_minus_infinity(const value& v) {
    if (v.what != value_kind::constant) return false;
    const std::uint64_t sign_and_exponent = v.type == dtype::float32    ? 0xff800000u
                                            : v.type == dtype::bfloat16 ? 0xff80u
                                            : v.type == dtype::float16  ? 0xfc00u
                                                                        : 0;
    return sign_and_exponent != 0 && v.bits == sign_and_exponent;
}

}  // namespace

void online_lowering::find_ranges() {
    const int elements = nest_elements(c.s);
    all_slices = c.b.let_index("slices", c.index_type(), (nest.extent + (elements - 1)) / elements);
    if (!t.skips) {
        some = all = {c.b.integer(0), nest.extent};
        first_slice = c.b.integer(0);
        last_slice = all_slices;
        return;
    }
    c.b.comment("The elements that some row may need, and those of which no row's score is masked.");
    const scalar past = c.b.let_index("past", c.index_type(), rows.first + t.rows);
    const scalar last =
        c.b.let_index("last_row", c.index_type(), c.b.select(past < rows.extent, past, rows.extent) - 1);
    index_ranges ranges(c, {t.row_axis, rows.first, last}, nest.extent);
    demand_infinity(ranges);
    const auto named = [&](const char* name, const scalar& x) { return c.b.let_index(name, c.index_type(), x); };
    some = ranges.of_some(mask.indices);
    first_slice = named("first_slice", some.first / elements);
    const scalar end = named("end_slice", (some.end + (elements - 1)) / elements);
    last_slice = named("last_slice", c.b.select(end < first_slice, first_slice, end));
    all = ranges.of_all(mask.indices);
    all = {named("all_from", all.first), named("all_to", all.end)};
}

void online_lowering::demand_infinity(index_ranges& ranges) {
    for (const selection& s : mask.selections) {
        if (is_minus_infinity(c.at(s.masked))) continue;
        if (!s.must_be_infinite) {
            finite_masks.push_back(s.masked);
            continue;
        }
        const scalar masked = c.b.cast(dtype::float32, c.operand(s.masked));
        ranges.demand(c.b.operation(op::equal::row, dtype::bool_, dtype::float32, {masked, minus_infinity, {}}));
    }
}

void online_lowering::passes() {
    array shared{c.unique("behind_of_warps"), space::shared, dtype::int32, {t.warp_rows}};
    shared.is_index = true;
    behind_of_warps = c.b.declare(shared);
    c.b.comment("First the slices that masks leave; the others only if a row has no score far above what is masked.");
    const scalar count = c.b.index_variable("passes", dtype::int32, c.b.integer(3));
    const scalar pass = c.b.open_loop("pass", dtype::int32, c.b.integer(0), count, c.b.integer(1), 1);
    const auto from_of = [&](const scalar& number) {
        return c.b.select(number == 0, first_slice, c.b.select(number == 1, c.b.integer(0), last_slice));
    };
    const auto to_of = [&](const scalar& number) {
        return c.b.select(number == 0, last_slice, c.b.select(number == 1, first_slice, all_slices));
    };
    slices(c.b.let_index("from", c.index_type(), from_of(pass)), c.b.let_index("to", c.index_type(), to_of(pass)));
    c.b.open_branch(pass == 0);
    const scalar behind = rows_behind();
    c.b.open_branch(behind < 1);
    c.b.assign(count, c.b.integer(1));
    c.b.close();
    c.b.close();
    const scalar from = c.b.let_index("next_from", c.index_type(), from_of(pass + 1));
    c.b.open_branch(pass + 1 < count && from < to_of(pass + 1));
    stage_first(from);
    c.b.close();
    c.b.commit_copies();
    c.b.close();
}

/// How many lanes have a row that is not far above what masks put in place of scores, over all warps.
scalar online_lowering::rows_behind() {
    const scalar own = c.b.index_variable("behind", dtype::int32, c.b.integer(0));
    each_row([&](const scalar& i, const scalar& h) {
        c.b.open_branch(row_of(i, h) < rows.extent);
        for (int masked : finite_masks) {
            const scalar x = c.b.cast(dtype::float32, c.operand(masked));
            const scalar distance = op(of.difference, c.b.element(maxima, {i, h}), x);
            const auto compare = [&](const op_row& row, const scalar& a, const scalar& b) {
                return c.b.operation(row, dtype::bool_, dtype::float32, {a, b, {}});
            };
            const scalar nothing = compare(op::equal::row, x, minus_infinity);
            c.b.open_branch(c.b.negation(compare(op::greater::row, distance, number(far))) && c.b.negation(nothing));
            c.b.assign(own, c.b.integer(1));
            c.b.close();
        }
        c.b.close();
    });
    const scalar offset = c.b.open_halving("offset", warp / 2, 0);
    c.b.assign(own, own + c.b.exchange(exchange_pattern::butterfly, own, offset));
    c.b.close();
    c.b.open_branch(lane == 0);
    c.b.assign(c.b.element(behind_of_warps, {c.b.thread() / warp}), own);
    c.b.close();
    c.b.barrier(barrier_scope::block);
    const scalar sum = c.b.index_variable("all_behind", dtype::int32, c.b.integer(0));
    unrolled("w", t.warp_rows, [&](const scalar& w) { c.b.assign(sum, sum + c.b.element(behind_of_warps, {w})); });
    return sum;
}

}  // namespace sinter::codegen::lower
