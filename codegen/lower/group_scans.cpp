// Loops with scans. All threads of a group make the same number of steps, since they synchronise in each; elements past
// the end of the group count as the identity and are not stored.
#include <codegen/lower/group.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

void group_lowering::scan_steps(int l, const element_function& f, const scalar& begin, const scalar& stop) {
    const bool in_shared = c.s.form == schedule_form::columns && c.s.blocks_per_output > 1;  // the prefix of a tile
    for (int v : in_shared ? std::vector<int>() : scans_of(c.k, l)) {
        if (!c.has_neighbours()) {
            c.define(v, c.b.variable_of(c.name(v), c.at(v).type, c.identity(v)));
            continue;
        }
        c.define_neighbours(v, c.b.declare({c.name(v), space::registers, c.at(v).type, {c.s.vector_width}}));
        c.open_neighbours();
        c.b.assign(c.operand(v), c.identity(v));
        c.close_neighbours();
    }
    if (c.s.register_cached || begin) {
        if (kept.empty()) let_position(start(begin));
        return scan_step(l, f, stop, false);
    }
    const scalar step = c.b.open_loop("step", c.index_type(), c.b.integer(0), stop, c.b.integer(walk.step), 1);
    let_position(walk.first ? step + walk.first : step);
    scan_step(l, f, stop, true);
    c.b.close();
}

void group_lowering::scan_step(int l, const element_function& f, const scalar& stop, bool again) {
    access_plan plan = plan_of(l, walk.vectored);
    std::vector<int> loads = fresh_loads(f);
    const auto scans = scans_of(c.k, l);
    const auto of_loop = [&](const element_function& g) {
        return std::find(scans.begin(), scans.end(), g.scanned) != scans.end();
    };
    for (const element_function& g : scanned)
        for (int v : of_loop(g) ? fresh_loads(g) : std::vector<int>())
            if (std::find(loads.begin(), loads.end(), v) == loads.end()) loads.push_back(v);
    if (!loads.empty()) {
        std::vector<int> loaded;
        for (int v : loads) loaded.push_back(c.at(v).at);
        declare(plan, loads);
        open_access(l, loaded, {stop, {}});
        load_registers(c, plan, loads);
        close_access({stop, {}});
    }
    for (const element_function& g : scanned) {
        if (!of_loop(g)) continue;
        const id elements = scanned_elements(l, g, plan, stop);
        const bool beside_others = scans.size() > 1 || c.s.register_cached;  // in one scope
        if (beside_others) c.b.open_scope();
        walk.scan_step(g.scanned, elements, again);
        if (beside_others) c.b.close();
    }
    const guard within{stop, f.stores.empty() ? scalar() : walk.in_range};
    open_access(l, compute_layouts_of(c, f), within);
    compute(c, plan, f, [this](int r) { return accumulator(r); });
    close_access(within);
}

// Computes the operands of a scan: the elements it folds.
id group_lowering::scanned_elements(int l, const element_function& f, access_plan& plan, const scalar& stop) {
    const int v = f.scanned;
    array held{c.name(v) + "_at", space::registers, c.at(v).type, {}};
    if (c.s.unroll > 1) held.extents.push_back(c.s.unroll);
    if (walk.vectored) held.extents.push_back(c.s.vector_width);
    std::vector<int> placed;
    for (int p : f.places) placed.push_back(c.at(p).at);
    const auto open_each = [&] {
        if (walk.vectored) c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
    };
    const auto close_each = [&] {
        if (walk.vectored) c.b.close();
    };
    const id elements = scan_elements[v] = c.b.declare(held);
    open_access(l, placed, {stop, {}});
    const auto element = [&](int load) { return element_of(c, plan, load); };
    const auto place = [&](int p) {
        return walk.vectored ? index_or_gathered(c, plan, p, c.neighbour) : index_or_gathered(c, plan, p);
    };
    open_each();
    call(c, f, {element, place, {}, plan.scan, plan.scan});
    close_each();
    c.b.otherwise();
    open_each();
    c.b.assign(plan.scan(v), c.identity(v));
    close_each();
    close_access({stop, {}});
    return elements;
}

}  // namespace sinter::codegen::lower
