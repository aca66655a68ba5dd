// A group's loops: the accesses of each step, the accumulators, and the tail after the last whole vector.
#include <codegen/lower/group.hpp>

#include <codegen/schedule/forms.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

// Neighbouring columns already are independent accumulators. Structs have fewer: they need more registers, and folding
// them into one takes longer.
int accumulator_count(const lowering& c) {
    if (c.has_neighbours()) return 1;
    const int max_bytes = c.s.blocks_per_multiprocessor > 0 ? 32 : 64;  // per reduction
    int most = max_accumulators;
    for (const value& v : c.k.values)
        if (v.what == value_kind::reduce && detail::is_accumulator(v.type))
            most = std::min(most, max_bytes / static_cast<int>(size_of(v.type)));
    return std::min(c.s.unroll, most);
}

}  // namespace

// Opens an access: the unrolled loop, its position, and the bounds check, which it returns instead of opening a branch
// if `selects`.
scalar group_lowering::open_access(int l, const std::vector<int>& layouts, const guard& within, bool selects) {
    c.open_unroll();
    const inner_loop& loop = c.k.loops[static_cast<std::size_t>(l)];
    const bool moves = std::any_of(layouts.begin(), layouts.end(), [&](int at) {
        return std::any_of(loop.axes.begin(), loop.axes.end(),
                           [&](int a) { return step_of(c.k, at, a) != step::none; });
    });
    scalar counter = position;
    if (c.unroll > 1 && (moves || within.stop)) {
        const scalar further = walk.distance > 1 ? c.access * walk.distance : c.access;
        counter = c.b.let_index("i", c.index_type(), position + further);
    }
    scalar inside;
    if (within.stop) {
        inside = counter < within.stop;
        if (within.in_range) inside = inside && within.in_range;
        if (!selects) c.b.open_branch(inside);
    }
    if (loop.backwards && moves) {
        if (from_end.empty()) from_end = c.unique("from_end");
        const int neighbours = walk.vectored && !c.has_neighbours() ? c.s.vector_width : 1;
        counter = c.b.let_index(from_end, c.index_type(), trips(l) - neighbours - counter);
    }
    c.decompose(loop.axes, counter, layouts);
    return inside;
}

void group_lowering::close_access(const guard& within) {
    if (within.stop) c.b.close();
    c.close_unroll();
}

// Loads that are not register-cached: issued again in every step.
std::vector<int> group_lowering::fresh_loads(const element_function& f) const {
    std::vector<int> loads;
    for (int v : plain_loads_of(c, f))
        if (c.at(v).what == value_kind::load && std::find(kept.begin(), kept.end(), c.equivalent(v)) == kept.end())
            loads.push_back(v);
    return loads;
}

void group_lowering::declare_accumulators(const element_function& f) {
    for (int r : f.reductions) {
        if (is_column_fold(c.at(r))) continue;
        const dtype type = c.at(r).type;
        if (c.has_neighbours()) {
            const id all = c.b.declare({c.name(r), space::registers, type, {c.s.vector_width}});
            c.define_neighbours(r, all);
            c.open_neighbours();
            c.b.assign(c.operand(r), c.identity(r));
            c.close_neighbours();
        } else if (c.s.unroll == 1) {
            c.define(r, c.b.variable_of(c.name(r), type, c.identity(r)));
        } else {
            const int count = accumulator_count(c);
            const id parts = c.b.declare({c.name(r) + "_parts", space::registers, type, {count}});
            accumulators[r] = parts;
            const scalar u = c.b.open_unrolled("u", count);
            c.b.assign(c.b.element(parts, {u}), c.identity(r));
            c.b.close();
        }
    }
}

// The accumulator of the current access.
scalar group_lowering::accumulator(int r) {
    if (is_column_fold(c.at(r))) return walk.column_fold(r);
    if (c.has_neighbours() || c.s.unroll == 1) return c.operand(r);
    const int count = accumulator_count(c);
    const scalar access = number_of_access();
    return c.b.element(accumulators.at(r), {count < c.s.unroll ? access % count : access});
}

// Folds a thread's accumulators into one.
void group_lowering::fold_accumulators(int l, const element_function& f) {
    if (c.s.unroll == 1 || c.has_neighbours() || c.k.loops[static_cast<std::size_t>(l)].reductions.empty()) return;
    const auto part = [&](int r, const scalar& u) { return c.b.element(accumulators.at(r), {u}); };
    for (int r : f.reductions) c.define(r, c.b.variable_of(c.name(r), c.at(r).type, part(r, c.b.integer(0))));
    for (int r : f.reductions) {
        const scalar u =
            c.b.open_loop("u", dtype::int32, c.b.integer(1), c.b.integer(accumulator_count(c)), c.b.integer(1), 0);
        c.b.assign(c.operand(r), c.combine(r, c.operand(r), part(r, u)));
        c.b.close();
    }
}

// One step, or its parts one after the other.
void group_lowering::body(int l, const element_function& f, const guard& within) {
    const int at_once = accesses_at_once(fresh_loads(f));
    if (at_once == c.s.unroll) return part_of_body(l, f, within);
    const scalar whole = position, part = c.b.open_unrolled("part", c.s.unroll / at_once);
    c.unroll = at_once;
    first_access = part * at_once;
    position = c.b.let_index(c.unique("from"), c.index_type(), whole + first_access * walk.distance);
    part_of_body(l, f, within);
    c.b.close();
    c.unroll = c.s.unroll;
    first_access = {};
    position = whole;
}

// The loads of some accesses, then what is computed from them.
void group_lowering::part_of_body(int l, const element_function& f, const guard& within) {
    access_plan plan = plan_of(l, walk.vectored);
    if (walk.vectored && c.s.form == schedule_form::rows && !c.s.peeled) plan.guarded = &f;
    const std::vector<int> loads = fresh_loads(f), gathers = gather_loads_of(c, f);
    std::vector<int> loaded, used = compute_layouts_of(c, f);
    for (int v : loads) loaded.push_back(c.at(v).at);
    const auto into = [this](int r) { return accumulator(r); };
    if (c.unroll == 1) {  // a single access needs no arrays, and its index is computed once
        used.insert(used.end(), loaded.begin(), loaded.end());
        for (int v : gathers) used.push_back(c.at(v).at);
        open_access(l, used, within);
        declare(plan, loads);
        load_registers(c, plan, loads);
        declare(plan, gathers);
        gather_registers(c, plan, f);
        compute(c, plan, f, into);
        return close_access(within);
    }
    const bool selects = within.stop && folds_past_the_end(c.k, c.s, l);
    declare(plan, loads, selects);
    if (!loads.empty()) {
        open_access(l, loaded, within);
        load_registers(c, plan, loads);
        close_access(within);
    }
    declare(plan, gathers);
    if (!gathers.empty()) {
        std::vector<int> gathered;
        for (int v : gathers) gathered.push_back(c.at(v).at);
        for (const displacement_function& d : f.displacements)
            for (int v : d.of.places) gathered.push_back(c.at(v).at);
        open_access(l, gathered, within);
        gather_registers(c, plan, f);
        close_access(within);
    }
    const bool apart = within.apart && !loads.empty();
    if (apart) {
        // ptxas moves loads behind the folds of others, for which they then wait, but not across a branch
        const scalar same = c.b.index_variable("same", c.index_type(), position);
        c.b.opaque(same, "so that the compiler keeps the branch");
        c.b.open_branch(same < within.apart);
    }
    const scalar inside = open_access(l, used, within, selects);
    if (!selects) {
        compute(c, plan, f, into);
        close_access(within);
        if (apart) c.b.close();
        return;
    }
    std::map<int, scalar> folded;
    for (int r : f.reductions) folded[r] = c.b.variable_of(c.name(r) + "_with", c.at(r).type, accumulator(r));
    compute(c, plan, f, [&](int r) { return folded.at(r); });
    for (int r : f.reductions) c.b.assign(accumulator(r), c.b.select(inside, folded.at(r), accumulator(r)));
    close_access({});
}

// The steps of a loop. Only a thread's last one may be a part of one, so the others are a loop without checks, which
// would keep a bound and an address for each access in registers: a sum of columns by single accesses takes 14
// instructions per element with them, and 5 without. Neighbours along the loop share one check, which costs little, and
// with indices of 64 bits two loops need more registers than one.
void group_lowering::steps(int l, const element_function& f, const scalar& begin, const scalar& stop) {
    const scalar first = start(begin), step = c.b.integer(walk.step);
    if (c.s.unroll == 1 || c.s.wide_index || (walk.vectored && !c.has_neighbours())) {
        position = c.b.open_loop("k", c.index_type(), first, stop, step, c.s.unroll > 1 ? 1 : -1);
        body(l, f, c.s.unroll > 1 ? guard{stop, {}} : guard{});
        return c.b.close();
    }
    const scalar rest = c.b.index_variable(c.unique("rest"), c.index_type(), first);
    const scalar whole = stop - (c.s.unroll - 1) * walk.distance;
    position = c.b.open_loop("k", c.index_type(), rest, whole, step, 1);  // its steps are unrolled
    body(l, f, {{}, {}, stop});
    c.b.assign(rest, rest + step);
    c.b.close();
    c.b.open_branch(rest < stop);
    position = rest;
    body(l, f, {stop, {}});
    c.b.close();
}

// The remaining elements after the last whole vector, one per thread.
void group_lowering::tail(int l, const element_function& f, const scalar& begin, const scalar& end,
                          const scalar& reach) {
    const access_plan plan = plan_of(l, false);
    c.b.comment("The elements after the last whole vector, one per thread.");
    const scalar at = c.b.let_index(c.unique("tail"), c.index_type(), end + walk.lane);
    // a part beyond the end of the group begins past them
    c.b.open_branch(begin ? at >= begin && at < reach : at < reach);
    c.decompose(plan.axes, at, layouts_of(c, f));
    const auto element = [&](int v) { return is_given(f, v) ? kept_beside(v) : loaded_element(c, plan, v); };
    const auto place = [&](int v) { return index_or_gathered(c, plan, v); };
    let_displacements(c, f, {element, place});
    const auto into = [&](int r) {
        return c.s.unroll > 1 ? c.b.element(accumulators.at(r), {c.b.integer(0)}) : c.operand(r);
    };
    const auto result = [&](int st) { return element_in(c, plan.target(st), c.store_at(st).at, plan.axes); };
    call(c, f, {element, place, into, result, {}, [this](int v) { return kept_beside(v); }});
    c.b.close();
}

void group_lowering::loop(int l, const loop_part& part, bool with_tail) {
    const element_function& f = functions[static_cast<std::size_t>(l)];
    declare_accumulators(f);
    declare_kept_values(l, with_tail || c.s.peeled);
    const scalar reach = part.end ? part.end : trips(l);
    const bool has_kept = keeps();
    const peeled_part ends = !c.s.peeled || has_kept ? kept_ends : peel(part, reach);
    const scalar stop = has_kept ? kept_end : c.s.peeled ? ends.stop : with_tail ? whole_vectors(reach) : reach;
    const scalar begin = c.s.peeled ? ends.first : part.begin;
    const bool lasts = !f.stores.empty() || std::any_of(f.reductions.begin(), f.reductions.end(),
                                                        [this](int r) { return is_column_fold(c.at(r)); });
    const bool guarded = lasts && static_cast<bool>(walk.in_range);
    if (!scans_of(c.k, l).empty()) {
        scan_steps(l, f, part.begin, stop);
    } else {
        if (guarded) c.b.open_branch(walk.in_range);
        if (c.s.peeled) load_ends(ends, l, fresh_loads(f));
        if (c.s.register_cached) {
            if (!has_kept) let_position(start(begin));
            if (has_kept) hide_position();
            body(l, f, {stop, {}});
        } else {
            steps(l, f, begin, stop);
        }
        if (c.s.peeled) compute_ends(ends, l, f);
        if (guarded) c.b.close();
    }
    if (with_tail) tail(l, f, part.begin, stop, reach);
    fold_accumulators(l, f);
}

}  // namespace sinter::codegen::lower
