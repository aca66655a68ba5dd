// Views of a group's elements, register-cached loads, and computations and stores that happen once per group.
#include <codegen/lower/group.hpp>

#include <codegen/schedule/forms.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

group_lowering::group_lowering(lowering& shared, const group_walk& walked)
    : c(shared), walk(walked), values(kept_values_of(shared.k, shared.s, shared.of.equivalents)) {
    if (c.s.register_cached) {
        kept = c.resident_loads();
        name_registers();
    }
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l)
        for (int v : scans_of(c.k, l)) scanned.push_back(make_scanned_function(c, v, fmt::format("scanned_{}", v)));
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const bool folds = !c.k.loops[static_cast<std::size_t>(l)].reductions.empty();
        const auto loop = static_cast<std::size_t>(l);
        functions.push_back(make_element_function(c, l, fmt::format("{}_{}", folds ? "fold" : "element", l),
                                                  values.given[loop], values.computed[loop]));
    }
}

id group_lowering::view_of(id array, int layout_position) const {
    return views.at({array, c.equivalent_layout(layout_position)});
}

void group_lowering::start_views() {
    const auto start_view = [&](id array, int layout_position) {
        const auto [found, is_new] = views.insert({{array, c.equivalent_layout(layout_position)}, array});
        if (!is_new) return;
        std::vector<term> distance = c.terms(layout_position, c.k.outer);
        if (!distance.empty())
            found->second =
                c.b.view(c.unique(c.b.at_array(array).name + "_" + walk.noun), c.b.memory(array, std::move(distance)));
    };
    for (const value& v : c.k.values)
        if (v.what == value_kind::load && v.loop >= 0) start_view(c.input(v.input), v.at);
    for (const kernel_store& store : c.k.stores)
        if (store.loop >= 0) start_view(c.output(store.output), store.at);
    if (c.s.peeled) find_aligned();
}

access_plan group_lowering::plan_of(int l, bool vectored) {
    access_plan plan;
    plan.axes = c.k.loops[static_cast<std::size_t>(l)].axes;
    plan.vectored = vectored;
    if (c.has_neighbours()) plan.fast = c.k.outer.back();
    plan.source = [this](int v) { return view_of(c.input(c.at(v).input), c.at(v).at); };
    plan.target = [this](int st) { return view_of(c.output(c.store_at(st).output), c.store_at(st).at); };
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v)
        if (is_element_load(c.k, v))
            if (const auto found = kept_registers.find(c.equivalent(v)); found != kept_registers.end())
                plan.registers[v] = found->second;
    plan.elsewhere = [this, vectored](int v) { return kept_element(v, vectored); };
    plan.kept = [this](int v) { return kept_value(v); };
    plan.scan = [this, l](int v) {
        const bool transposed =
            walk.vectored && !c.has_neighbours() && c.k.loops[static_cast<std::size_t>(l)].backwards;
        std::vector<scalar> indices;
        if (c.s.unroll > 1) indices.push_back(c.access);
        if (walk.vectored) indices.push_back(transposed ? c.s.vector_width - 1 - c.neighbour : c.neighbour);
        return c.b.element(scan_elements.at(v), indices);
    };
    return plan;
}

// These loops share a scope with the register-cached loads, so loads that are not equivalent need different names.
void group_lowering::name_registers() {
    for (int v : kept) names[v] = c.unique(c.name(v) + "_at");
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v)
        if (is_element_load(c.k, v) && c.equivalent(v) == v && names.count(v) == 0)
            names[v] = c.unique(c.name(v) + "_at");
}

std::string group_lowering::register_name(int v) const {
    const auto named = names.find(c.equivalent(v));
    return named != names.end() ? named->second : c.name(v) + "_at";
}

void group_lowering::declare(access_plan& plan, const std::vector<int>& loads, bool cleared) {
    declare_registers(
        c, plan, loads, cleared, [this](int v) { return register_name(v); }, c.s.unroll > 1);
}

// Register-cached loops all have the trip count of the first: one parameter is enough.
scalar group_lowering::trips(int l) { return c.trips(c.s.register_cached ? 0 : l); }

scalar group_lowering::start(const scalar& begin) {
    if (!begin) return walk.first ? walk.first : c.b.integer(0);
    return walk.first ? begin + walk.first : begin;
}

// The loop over the rows of a group of blocks repeats the same positions, and so do the loops of a row. A compiler
// would hoist the offsets of all steps, which would take the registers that the elements need.
bool group_lowering::hides_positions() const {
    return c.s.blocks_per_multiprocessor > 0 && c.s.register_cached && c.s.unroll > max_accumulators;
}

void group_lowering::let_position(const scalar& value) {
    position = c.b.let_index(c.unique("k"), c.index_type(), value);  // loops may follow one another in a scope
}

void group_lowering::hide_position() {
    if (hides_positions()) c.b.opaque(position, "so that the compiler keeps no offsets in registers");
}

// The end of the last whole vector before `end`.
scalar group_lowering::whole_vectors(const scalar& end) {
    return c.b.let_index(c.unique("whole"), c.index_type(), end - end % c.s.vector_width);
}

void group_lowering::keep_in_registers(const loop_part& part, bool with_tail) {
    if (!keeps()) return;
    // each load along the axes of the loop that loads it first
    std::map<int, std::vector<int>> by_loop;
    for (int v : kept) by_loop[c.at(v).loop].push_back(v);
    c.b.blank();
    if (!kept.empty())
        c.b.comment("A thread's elements of the " + walk.noun + " are read once and kept in registers for all loops.");
    kept_end = part.end ? part.end : trips(0);
    if (with_tail) kept_end = whole_vectors(kept_end);
    if (c.s.peeled) {
        kept_ends = peel(part, kept_end);
        kept_end = kept_ends.stop;
    }
    const scalar begin = c.s.peeled ? kept_ends.first : part.begin;
    if (hides_positions())
        position = c.b.index_variable("k", c.index_type(), start(begin));
    else
        let_position(start(begin));
    hide_position();
    // compilers do not see that a single element is used only if it was read; what is past the end may be folded
    bool cleared = c.s.blocks_per_multiprocessor > 0 && c.s.unroll == 1;
    for (int l = 0; l < static_cast<int>(functions.size()); ++l) cleared = cleared || folds_past_the_end(c.k, c.s, l);
    for (const auto& [l, loads] : by_loop) {
        access_plan plan = plan_of(l, walk.vectored);
        declare(plan, loads, cleared);
        for (int v : loads) kept_registers[v] = plan.registers.at(v);
    }
    for (const auto& [l, loads] : by_loop) {
        std::vector<int> layouts;
        for (int v : loads) layouts.push_back(c.at(v).at);
        open_access(l, layouts, {kept_end, {}});
        load_registers(c, plan_of(l, walk.vectored), loads);
        close_access({kept_end, {}});
        if (c.s.peeled) load_ends(kept_ends, l, loads);
    }
}

// An element that exists once per group; that of the current neighbour where a thread has several columns.
scalar group_lowering::of_group(id array, int layout_position) {
    return c.b.memory(array, terms_of_group(layout_position));
}

std::vector<term> group_lowering::terms_of_group(int layout_position) {
    std::vector<term> all = c.terms(layout_position, c.k.outer);
    if (!c.has_neighbours()) return all;
    const int fast = c.k.outer.back();
    if (const step along = step_of(c.k, layout_position, fast); along != step::none)
        all.push_back({fast, c.neighbour.at, along == step::unit ? none : c.stride(layout_position, fast).at});
    return all;
}

void group_lowering::stage(int stage) {
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v) {
        const value& self = c.at(v);
        if (self.loop != group_level || self.stage != stage) continue;
        const auto right = [&]() -> scalar {
            if (self.what == value_kind::elementwise || self.what == value_kind::cast) return c.expression(v);
            if (self.what == value_kind::index) return c.sum_of(terms_of_group(self.at));
            if (!is_displaced(self)) return of_group(c.input(self.input), self.at);
            std::vector<term> all = c.terms(self.at, c.k.outer);
            all.push_back({-1, c.operand(self.in[0]).at, none});
            return c.b.memory(c.input(self.input), std::move(all));
        };
        if (self.what != value_kind::elementwise && self.what != value_kind::cast && self.what != value_kind::index &&
            self.what != value_kind::load)
            continue;
        if (!c.has_neighbours()) {
            c.let_value(v, right());
            continue;
        }
        const id all = c.b.declare({c.name(v), space::registers, self.type, {c.s.vector_width}});
        c.open_neighbours();
        c.b.assign(c.b.element(all, {c.neighbour}), right());
        c.close_neighbours();
        c.define_neighbours(v, all);
    }
}

void group_lowering::stores() {
    std::vector<int> once;
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.store_at(st).loop == group_level) once.push_back(st);
    if (once.empty()) return;
    const scalar condition = walk.speaker();
    if (condition) c.b.open_branch(condition);
    for (int st : once) {
        const kernel_store& store = c.store_at(st);
        const id target = c.output(store.output);
        if (!c.has_neighbours()) {
            c.b.assign(of_group(target, store.at), c.converted(st, c.operand(store.value)));
            continue;
        }
        array held{output_name(store.output) + "_at", space::registers, c.output_type(st), {}};
        held.packed = c.s.vector_width;
        const id results = c.b.declare(held);
        c.open_neighbours();
        c.b.assign(c.b.element(results, {c.neighbour}), c.converted(st, c.operand(store.value)));
        c.close_neighbours();
        c.b.assign(c.b.memory(target, c.terms(store.at, c.k.outer), 0, c.s.vector_width), c.b.element(results, {}));
    }
    if (condition) c.b.close();
}

}  // namespace sinter::codegen::lower
