// Products whose factors go from memory to the registers of the only warp that multiplies them. The warps of a block
// take turns at the steps, so that each loads whole lines. Of 32 steps lane l has 8 neighbours, from 8 * (l % 4) on, of
// rows l / 4, l / 4 + 8, ... and of 8 columns from 8 * (l / 4) on: each 4 of these steps are those of the lane in a
// fragment of 16, since the order in which steps are added up is free. So nothing goes by shared memory, and no warp
// waits for another one until all sums are there.
#include <codegen/lower/access.hpp>
#include <codegen/lower/tensor.hpp>

#include <functional>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

constexpr int steps_of_lanes = 32, lanes_of_steps = 4, steps_of_fragment = 4;  ///< of a lane
constexpr int sums_of_access = 4;

}  // namespace

/// Places of a lane along the side, or along the steps where neighbours lie along the side.
int tensor_factor::positions() const { return how_.is_right || !how_.along_steps ? 8 : side_.size() / 8; }

scalar tensor_factor::along_of_lane(const scalar& position) const {
    const scalar line = lane_ / lanes_of_steps;
    if (!how_.is_right) return side_.first + (position * 8 + line);
    return side_.first + (how_.along_steps ? line * 8 + position : line * 8);
}

/// `names_place`: where it lies in the array is guaranteed to be used.
tensor_factor::chunk tensor_factor::chunk_of_lane(const scalar& position, const scalar& number, const scalar& first,
                                                  bool names_place) {
    chunk at;
    at.number = {position, number};
    at.beside = position * (how_.is_right ? 1 : 8);
    at.further = first + number * steps_of_lanes;
    if (!how_.along_steps) at.further = at.further + position;
    at.along = along_of_lane(position);
    at.step = at.further + lane_ % lanes_of_steps * chunk_elements;
    if (!names_place) return at;
    at.along = c.b.let_index(side_.name, c.index_type(), at.along);
    at.step = c.b.let_index("step", c.index_type(), at.step);
    return at;
}

/// What is the same for all of a lane's elements is added to an address once.
void tensor_factor::declare_views() {
    for (staged& l : loads_) {
        if (!l.wide || !l.by_slice) continue;
        set_place(along_of_lane(c.b.integer(0)), lane_ % lanes_of_steps * chunk_elements);
        l.from = c.b.view(c.unique(c.name(l.load) + "_from"), in_memory(l, 1));
    }
}

scalar tensor_factor::loaded(const staged& l, const chunk& at, int elements) {
    if (l.from == none) return in_memory(l, elements);
    std::vector<int> axes{steps()[0]};
    if (how_.along_steps) axes.push_back(side_.axes[0]);
    c.set_index(side_.axes[0], at.beside);
    c.set_index(steps()[0], at.further);
    const scalar from = c.b.memory(l.from, c.terms(c.at(l.load).at, axes), 0, elements);
    set_place(at.along, at.step);
    return from;
}

void tensor_factor::load_lane_once() {
    const scalar nought = c.b.integer(0);
    if (const staged_loads own = loads_that(false, false); !own.empty())
        load_chunk(own, chunk_of_lane(nought, nought, nought));
    const staged_loads own = loads_that(true, false);
    if (own.empty()) return;
    const scalar p = c.b.open_unrolled("p", positions());
    load_chunk(own, chunk_of_lane(p, nought, nought));
    c.b.close();
}

int tensor_factor::parts_of_group() const {
    return !how_.is_right ? 1 : how_.along_steps ? side_.size() / fragment_rows : steps_of_lanes / fragment_rows;
}

/// What is a step's alone serves all parts of a group.
void tensor_factor::load_shared(const scalar& number, const scalar& first, const scalar& more) {
    const staged_loads own = loads_that(false, true);
    if (own.empty()) return;
    if (more) c.b.open_branch(more);
    load_chunk(own, chunk_of_lane(c.b.integer(0), number, first));
    if (more) c.b.close();
}

void tensor_factor::load_part(const scalar& number, const scalar& part, const scalar& first) {
    const staged_loads own = loads_that(true, true);
    if (own.empty()) return;
    const scalar p = c.b.open_unrolled("p", positions_of_part());
    load_chunk(own, chunk_of_lane(part * positions_of_part() + p, number, first));
    c.b.close();
}

void tensor_factor::load_steps(const scalar& first) {
    const scalar number = c.b.open_unrolled("group", groups_of_registers());
    load_shared(number, first);
    const scalar part = c.b.open_unrolled("part", parts_of_group());
    load_part(number, part, first);
    c.b.close();
    c.b.close();
}

void tensor_factor::compute_part(const scalar& number, const scalar& part, const scalar& first, const scalar& next,
                                 const scalar& more) {
    const scalar p = c.b.open_unrolled("p", positions_of_part());
    const id made = compute_chunk(chunk_of_lane(part * positions_of_part() + p, number, first, !whole_slice_));
    c.b.assign(c.b.element(computed_, {p}), c.b.element(made, {}));
    c.b.close();
    c.b.open_branch(more);
    load_part(number, part, next);
    c.b.close();
}

/// In a left factor's fragment elements e and e + 1 are of row e / 2 % 2 * 8, steps e / 4 * 2; in a right one's of
/// column e / 4, steps e % 4.
void tensor_factor::let_fragment(const scalar& number, const scalar& half) {
    const scalar e = c.b.open_unrolled("e", fragment_elements);
    scalar from;
    if (!how_.is_right)
        from = c.b.element(computed_, {number * 2 + e / 2 % 2, half * steps_of_fragment + e / 4 * 2 + e % 2});
    else if (how_.along_steps)
        from = c.b.element(computed_, {e / 4, half * steps_of_fragment + e % 4});
    else
        from = c.b.element(computed_, {e % 4, number * 2 + e / 4});
    c.b.assign(c.b.element(fragments_, {number, e}), from);
    c.b.close();
}

scalar tensor_factor::are_inside(const scalar& first) const {
    return side_.first + side_.size() <= side_.extent && first + steps_of_registers(c.s.tensor) <= c.trips(how_.loop);
}

void tensor_lowering::multiply_in_registers(const scalar& step, const scalar& next, const scalar& more) {
    const scalar number = c.b.open_unrolled("group", left.groups_of_registers());
    left.compute_part(number, c.b.integer(0), step, next, more);
    const scalar part = c.b.open_unrolled("part", right.parts_of_group());
    right.compute_part(number, part, step, next, more);
    const bool by_columns = right.is_along_steps();
    const scalar other = c.b.open_unrolled("other", by_columns ? steps_of_lanes / fragment_rows : result_fragments());
    const scalar &half = by_columns ? other : part, &j = by_columns ? part : other;
    right.let_fragment(j, half);
    unrolled("i", row_fragments(), [&](const scalar& i) {
        left.let_fragment(i, half);
        c.b.multiply_accumulate(c.b.element(sums, {i, j}), left.fragment(i), right.fragment(j));
    });
    for (int open = 0; open < 2; ++open) c.b.close();
    for (tensor_factor* f : factors()) f->load_shared(number, next, more);
    c.b.close();
}

/// What is inside as a whole, nearly all, has code of its own, which tests nothing per chunk.
void tensor_lowering::loop_in_registers() {
    const auto own_steps = [&](const scalar& slice) {
        return step_of_block(slice * t.depth + own_warp * steps_of_registers(t));
    };
    for (tensor_factor* f : factors()) f->load_once();
    for (tensor_factor* f : factors()) f->load_steps(own_steps(c.b.integer(0)));
    const scalar slices = let_slices();
    const scalar slice = c.b.open_loop("slice", c.index_type(), c.b.integer(0), slices, c.b.integer(1), 1);
    const scalar step = c.b.let_index("first", c.index_type(), own_steps(slice));
    const scalar next = c.b.let_index("next", c.index_type(), own_steps(slice + 1));
    const scalar more = c.b.let_index("more", dtype::bool_, slice + 1 < slices);
    const scalar last = c.b.let_index("last", c.index_type(), c.b.select(more, next, step));
    const auto are_inside = [&](const scalar& first) { return left.are_inside(first) && right.are_inside(first); };
    const scalar whole = c.b.let_index("whole", dtype::bool_, are_inside(last));
    c.b.open_branch(whole);
    for (tensor_factor* f : factors()) f->set_whole(whole);
    multiply_in_registers(step, next, c.b.let_index("next_is_whole", dtype::bool_, more && are_inside(next)));
    for (tensor_factor* f : factors()) f->set_whole({});
    c.b.otherwise();
    multiply_in_registers(step, next, more);
    c.b.close();
    c.b.close();
}

/// The sums of all warps, in their order. A lane of warp w then has 8 neighbours of a row, which is one of the lower 8
/// of a fragment for the last two warps.
void tensor_lowering::fold_warps() {
    const int warps = warps_beside_steps;
    array of_warps{c.unique(c.name(of.sum) + "_of_warps"), space::shared, dtype::float32, {}};
    of_warps.extents = {warps, row_fragments(), warps, fragment_elements / sums_of_access, warp, sums_of_access};
    of_warps.alignment = 16;
    const id shared_sums = c.b.declare(of_warps);
    const auto part = [&](const scalar& from, const scalar& i, const scalar& to, const scalar& quarter) {
        return c.b.neighbours(shared_sums, {from, i, to, quarter, lane, c.b.integer(0)}, sums_of_access);
    };
    const auto each_access = [&](const std::function<void(const scalar& i, const scalar& quarter)>& body) {
        unrolled("i", row_fragments(), [&](const scalar& i) {
            unrolled("quarter", fragment_elements / sums_of_access, [&](const scalar& q) { body(i, q); });
        });
    };
    each_access([&](const scalar& i, const scalar& quarter) {
        unrolled("to", warps, [&](const scalar& to) {
            const id run = registers("run", dtype::float32, {}, sums_of_access, false);
            unrolled("e", sums_of_access, [&](const scalar& e) {
                const scalar beside = quarter * sums_of_access + e;
                c.b.assign(c.b.element(run, {e}),
                           c.b.element(sums, {i, beside / 2, to / 2 * 2 + beside % 2 * 4 + to % 2}));
            });
            c.b.assign(part(own_warp, i, to, quarter), c.b.element(run, {}));
        });
    });
    c.b.barrier(barrier_scope::block);
    sums_of_lane = registers(c.name(of.sum) + "_of_lane", dtype::float32, {row_fragments()}, fragment_elements, true);
    each_access([&](const scalar& i, const scalar& quarter) {
        unrolled("from", warps, [&](const scalar& from) {
            const id run = registers("run", dtype::float32, {}, sums_of_access, false);
            c.b.assign(c.b.element(run, {}), part(from, i, own_warp, quarter));
            unrolled("e", sums_of_access, [&](const scalar& e) {
                const scalar own = c.b.element(sums_of_lane, {i, quarter * sums_of_access + e});
                c.b.assign(own, c.combine(of.sum, own, c.b.element(run, {e})));
            });
        });
    });
}

void tensor_lowering::store_lanes() {
    std::vector<int> wanted;
    for (const kernel_store& one : c.k.stores) wanted.push_back(one.value);
    const std::vector<int> computed = group_values_needed(c, wanted);
    const scalar i = c.b.open_unrolled("i", row_fragments());
    const scalar row = c.b.let_index("row", c.index_type(),
                                     rows.first + (i * fragment_rows + own_warp / 2 * 8 + lane / lanes_of_steps));
    c.set_index(t.row_axis, row);
    const scalar first = columns.first + (lane % lanes_of_steps * 16 + own_warp % 2 * 8);
    const int width = t.exchanges ? 8 : t.wide_stores ? 2 : 1;
    const scalar run = c.b.open_unrolled("beside", fragment_elements, width);
    const scalar column = c.b.let_index("column", c.index_type(), first + run);
    const auto element = [&](const scalar& e) { return c.b.element(sums_of_lane, {i, run + e}); };
    if (width > 1) {
        store_neighbours(computed, row, column, width, element);
    } else {
        c.b.open_branch(row < rows.extent);
        store_each(computed, column, 1, element);
        c.b.close();
    }
    c.b.close();
    c.b.close();
}

void tensor_lowering::write_in_registers() {
    own_warp = c.b.let_index("warp", dtype::int32, c.b.thread() / warp);
    lane = c.b.let_index("lane", dtype::int32, c.b.thread() % warp);
    for (tensor_factor* f : factors()) f->declare(lane);
    sums = registers(c.name(of.sum) + "_fragment", dtype::float32, {row_fragments(), result_fragments()},
                     fragment_elements, true);
    loop_in_registers();
    fold_warps();
    fold_divided_steps();
    store_lanes();
}

}  // namespace sinter::codegen::lower
