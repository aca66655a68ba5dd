// Peeled rows: the first aligned element of a row, and the elements before and after its whole vectors, one per thread.
// They are loaded before the whole vectors, so that all loads are in flight together.
#include <codegen/lower/group.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

// All that moves along with the rows is in phase, so one array's distance is that of all.
void group_lowering::find_aligned() {
    int at = -1;
    for (const value& v : c.k.values)
        if (at < 0 && v.what == value_kind::load && v.loop >= 0 && !is_displaced(v) && c.is_in_phase(v.at)) at = v.at;
    for (const kernel_store& st : c.k.stores)
        if (at < 0 && st.loop >= 0) at = st.at;
    const int width = c.s.vector_width;
    const scalar offset = c.b.let_index(c.unique("row_offset"), c.index_type(), c.sum_of(c.terms(at, c.k.outer)));
    ahead = c.b.let_index(c.unique("ahead"), c.index_type(), (width - offset % width) % width,
                          "elements before the first aligned one");
}

group_lowering::peeled_part group_lowering::peel(const loop_part& part, const scalar& reach) {
    peeled_part ends;
    const scalar length = part.begin ? c.b.let_index(c.unique("length"), c.index_type(),
                                                     c.b.select(part.begin < reach, reach - part.begin, c.b.integer(0)))
                                     : reach;
    const scalar before = c.b.let_index(c.unique("before"), c.index_type(), c.b.select(ahead < length, ahead, length));
    ends.first = c.b.let_index(c.unique("first"), c.index_type(), part.begin ? part.begin + before : before);
    const int width = c.s.vector_width;
    ends.stop = c.b.let_index(c.unique("whole"), c.index_type(), ends.first + (length - before) / width * width);
    const scalar lane = c.s.wide_index ? c.b.index_cast(c.index_type(), walk.lane) : walk.lane;
    ends.at =
        c.b.let_index(c.unique("end_at"), c.index_type(),
                      c.b.select(lane < before, part.begin ? part.begin + lane : lane, ends.stop + (lane - before)));
    ends.exists = ends.at < reach;
    return ends;
}

void group_lowering::load_ends(const peeled_part& ends, int l, const std::vector<int>& loads) {
    if (loads.empty()) return;
    const access_plan plan = plan_of(l, false);
    std::vector<int> layouts;
    for (int v : loads) layouts.push_back(c.at(v).at);
    for (int v : loads)
        end_registers[v] = c.b.declare({c.unique(c.name(v) + "_end"), space::registers, c.at(v).type, {}}, true);
    c.b.open_branch(ends.exists);
    c.decompose(plan.axes, ends.at, layouts);
    for (int v : loads)
        c.b.assign(c.b.element(end_registers.at(v), {}), element_in(c, plan.source(v), c.at(v).at, plan.axes));
    c.b.close();
}

void group_lowering::compute_ends(const peeled_part& ends, int l, const element_function& f) {
    const access_plan plan = plan_of(l, false);
    c.b.comment("The elements before and after the whole vectors, one per thread.");
    c.b.open_branch(ends.exists);
    c.decompose(plan.axes, ends.at, layouts_of(c, f));
    const auto element = [&](int v) {
        if (is_given(f, v)) return kept_beside(v);
        const auto own = end_registers.find(v);
        return c.b.element(own != end_registers.end() ? own->second : end_registers.at(c.equivalent(v)), {});
    };
    const auto place = [&](int v) { return index_or_gathered(c, plan, v); };
    const auto into = [&](int r) {
        return c.s.unroll > 1 ? c.b.element(accumulators.at(r), {c.b.integer(0)}) : c.operand(r);
    };
    const auto result = [&](int st) { return element_in(c, plan.target(st), c.store_at(st).at, plan.axes); };
    call(c, f, {element, place, into, result, {}, [this](int v) { return kept_beside(v); }});
    c.b.close();
}

}  // namespace sinter::codegen::lower
