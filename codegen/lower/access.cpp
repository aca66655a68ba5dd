// Loads and stores of one step of a thread.
#include <codegen/lower/access.hpp>

#include <codegen/schedule/channels.hpp>
#include <codegen/schedule/guards.hpp>
#include <codegen/transforms/index_rows.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// The axis along which the elements of an access are neighbours, or -1.
int axis_of_neighbours(const access_plan& p) { return p.fast >= 0 ? p.fast : p.axes.empty() ? -1 : p.axes.back(); }

/// Whether each of a thread's unrolled accesses has an element of a load; channels share one that is the same for all.
bool has_own_accesses(const lowering& c, int v) {
    return c.unroll > 1 && (c.s.form != schedule_form::channels || moves_along_channels(c.k, c.s, c.at(v).at));
}

/// Whether the neighbours of an access lie apart, beside others in rows that lie side by side.
bool is_strided(const lowering& c, const access_plan& p, int v) {
    const int fast = axis_of_neighbours(p);
    if (c.s.form != schedule_form::rows || !p.vectored || fast < 0 || is_displaced(c.at(v))) return false;
    const step along = step_of(c.k, c.at(v).at, fast);
    return along != step::none && along != step::unit;
}

/// Whether the neighbours of an access are different elements.
bool moves_neighbours(const lowering& c, const access_plan& p, int v) {
    const int fast = axis_of_neighbours(p);
    if (!p.vectored || fast < 0) return false;
    return step_of(c.k, c.at(v).at, fast) == step::unit || c.is_wide_gather(v) || is_strided(c, p, v);
}

}  // namespace

bool is_vector_access(const lowering& c, const access_plan& p, int v) {
    return moves_neighbours(c, p, v) && !is_strided(c, p, v) && c.is_in_phase(c.at(v).at);
}

bool has_single_neighbours(const lowering& c, const access_plan& p, int v) {
    return moves_neighbours(c, p, v) && !is_vector_access(c, p, v);
}

access_plan whole_arrays(const lowering& c, const std::vector<int>& axes) {
    access_plan plan;
    plan.axes = axes;
    plan.vectored = c.s.vector_width > 1;
    plan.source = [&c](int v) { return c.input(c.at(v).input); };
    plan.target = [&c](int st) { return c.output(c.store_at(st).output); };
    return plan;
}

scalar element_in(lowering& c, id array, int layout_position, const std::vector<int>& axes) {
    return c.b.memory(array, c.terms(layout_position, axes));
}

// Behind the end of a joined part it is the last element, but an access stays in it.
std::vector<term> load_terms(lowering& c, const access_plan& p, int v, bool several) {
    std::vector<term> all = c.terms(c.at(v).at, p.axes);
    if (!c.is_wide_gather(v)) return all;
    scalar displacement = c.operand(c.at(v).in[0]);
    if (several && step_of(c.k, c.at(v).at, axis_of_neighbours(p)) != step::unit) {
        const dtype type = c.at(c.at(v).in[0]).type;
        displacement = c.b.operation(index_aligned, type, type,
                                     {displacement, c.b.index_cast(type, c.b.integer(c.s.vector_width)), {}});
    }
    all.push_back({-1, displacement.at, none});
    return all;
}

scalar loaded_element(lowering& c, const access_plan& p, int v) {
    return c.b.memory(p.source(v), load_terms(c, p, v, false));
}

void load_outside(lowering& c, const element_function& f) {
    std::vector<int> outside = f.outside;
    for (const displacement_function& d : f.displacements)
        outside.insert(outside.end(), d.of.outside.begin(), d.of.outside.end());
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    for (int v : outside)
        if (c.at(v).what == value_kind::load) c.let_value(v, c.b.memory(c.input(c.at(v).input), {}));
}

void declare_registers(lowering& c, access_plan& p, const std::vector<int>& loads, bool cleared,
                       const std::function<std::string(int)>& called, bool words) {
    for (int v : loads) {
        array held{called ? called(v) : c.name(v) + "_at", space::registers, c.at(v).type, {}};
        if (has_own_accesses(c, v)) held.extents = {c.unroll};
        if (is_vector_access(c, p, v)) held.packed = c.s.vector_width;
        const int word = static_cast<int>(4 / size_of(held.type));  // neighbours in it
        held.words = c.is_realigned(v) ? word > 1 : words && word == 4 && held.packed % 4 == 0;
        if (has_single_neighbours(c, p, v)) held.extents.push_back(c.s.vector_width);
        const bool may_be_unused =
            p.guarded != nullptr && !c.is_realigned(v) && !guards_of(c.k, v, c.neighbour_axis(v)).empty();
        p.registers[v] = c.b.declare(held, cleared || may_be_unused);
        if (c.is_realigned(v)) declare_window(c, p, v);
    }
}

std::vector<scalar> of_access(const lowering& c) {
    return c.unroll > 1 ? std::vector<scalar>{c.access} : std::vector<scalar>();
}

namespace {

std::vector<scalar> of_access(const lowering& c, int load) {
    return has_own_accesses(c, load) ? of_access(c) : std::vector<scalar>();
}

/// Loads the neighbours of an access one by one.
void load_neighbours(lowering& c, const access_plan& p, int v) {
    const scalar e = c.b.open_unrolled("e", c.s.vector_width);
    std::vector<scalar> indices = of_access(c);
    indices.push_back(e);
    std::vector<term> all = c.terms(c.at(v).at, p.axes);
    all.push_back({p.axes.back(), e.at, is_strided(c, p, v) ? c.stride(c.at(v).at, p.axes.back()).at : none});
    c.b.assign(c.b.element(p.registers.at(v), indices), c.b.memory(p.source(v), std::move(all)));
    c.b.close();
}

}  // namespace

scalar is_used(lowering& c, const access_plan& p, int v) {
    scalar all;
    if (p.guarded == nullptr) return all;
    const call_arguments given{[&](int u) { return element_of(c, p, u); },
                               [&](int u) { return index_or_gathered(c, p, u); }};
    for (const guard& g : guards_of(c.k, v, c.neighbour_axis(v))) {
        const auto add = [&](const scalar& is) {
            const scalar one = g.holds ? is : c.b.negation(is);
            all = all ? all && one : one;
        };
        if (!c.k.loops.empty()) add(c.operand(g.condition));  // the group has it
        for (const displacement_function& d : p.guarded->displacements) {
            if (d.value != g.condition || d.what != displacement_function::purpose::condition) continue;
            add(call(c, d, given));
        }
    }
    return all;
}

void load_registers(lowering& c, const access_plan& p, const std::vector<int>& loads) {
    for (int v : loads) {
        if (has_single_neighbours(c, p, v)) {
            load_neighbours(c, p, v);
            continue;
        }
        const bool several = is_vector_access(c, p, v);
        const scalar used = is_used(c, p, v);
        if (used) c.b.open_branch(used);
        c.b.assign(c.b.element(p.registers.at(v), of_access(c, v)),
                   c.b.memory(p.source(v), load_terms(c, p, v, several), 0, several ? c.s.vector_width : 1,
                              several ? c.hint_of(v) : cache_hint::usual));
        if (used) c.b.close();
    }
}

scalar index_or_gathered(lowering& c, const access_plan& p, int v, const scalar& lane) {
    const value& self = c.at(v);
    std::vector<int> axes = p.axes;
    if (self.what == value_kind::index && axes != c.k.outer && !c.k.loops.empty())
        axes.insert(axes.begin(), c.k.outer.begin(), c.k.outer.end());
    std::vector<term> all = c.terms(self.at, axes);
    const int fast = axis_of_neighbours(p);
    const step along = fast < 0 ? step::none : step_of(c.k, self.at, fast);
    // The index of an access is a multiple of its width, but in peeled rows, so or-ing in the lane equals adding it.
    // C++ compilers then see that neighbours share the upper bits, and compute once what depends only on those: a
    // block of random numbers.
    if (lane && !c.s.peeled && along == step::unit && all.size() == 1 && self.what == value_kind::index &&
        self.type == dtype::int64)
        return c.b.operation(index_neighbour, dtype::int64, dtype::int64,
                             {c.b.index_cast(dtype::int64, c.sum_of(all)), c.b.index_cast(dtype::int64, lane), {}});
    if (lane && along != step::none)
        all.push_back({fast, lane.at, along == step::unit ? none : c.stride(self.at, fast).at});
    return self.what == value_kind::index ? c.sum_of(all) : c.b.memory(p.source(v), std::move(all));
}

scalar element_of(lowering& c, const access_plan& p, int v) {
    if (p.elsewhere)
        if (const scalar there = p.elsewhere(v)) return there;
    std::vector<scalar> indices = of_access(c, v);
    if (moves_neighbours(c, p, v)) indices.push_back(c.neighbour);
    return c.b.element(p.registers.at(v), indices);
}

void gather_registers(lowering& c, const access_plan& p, const element_function& f) {
    const auto element = [&](int v) { return element_of(c, p, v); };
    const auto place = [&](int v) { return index_or_gathered(c, p, v); };
    if (c.has_neighbours()) c.neighbour = c.b.integer(0);  // an access begins at the index of its first neighbour
    let_displacements(c, f, {element, place, {}, {}, p.scan});
    std::vector<int> aligned;
    for (int v : gather_loads_of(c, f))
        if (!c.is_realigned(v)) aligned.push_back(v);
    load_registers(c, p, aligned);
    for (const auto& [v, window] : p.windows) {
        const scalar used = is_used(c, p, v);
        if (used) c.b.open_branch(used);
        load_window(c, p, f, v);
        if (used) c.b.close();
    }
}

void store_results(lowering& c, const access_plan& p, const element_function& f,
                   const std::function<void(const results_of_stores&)>& assign) {
    if (!p.vectored) return assign([&](int st) { return element_in(c, p.target(st), c.store_at(st).at, p.axes); });
    std::map<int, id> results;
    for (int st : f.stores) {
        array held{output_name(c.store_at(st).output) + "_at", space::registers, c.output_type(st), {}};
        held.packed = c.s.vector_width;
        results[st] = c.b.declare(held);
    }
    realign_windows(c, p);
    c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
    assign([&](int st) { return c.b.element(results.at(st), {c.neighbour}); });
    c.b.close();
    for (int st : f.stores)
        c.b.assign(c.b.memory(p.target(st), c.terms(c.store_at(st).at, p.axes), 0, c.s.vector_width),
                   c.b.element(results.at(st), {}));
}

void compute(lowering& c, const access_plan& p, const element_function& f,
             const std::function<scalar(int)>& accumulator) {
    const auto element = [&](int v) { return element_of(c, p, v); };
    store_results(c, p, f, [&](const results_of_stores& result) {
        const scalar lane = p.vectored ? c.neighbour : scalar();
        call(c, f,
             {element, [&](int v) { return index_or_gathered(c, p, v, lane); }, accumulator, result, p.scan, p.kept});
    });
}

std::vector<int> outer_axes_beside(const loop_nest& k, int one, int other) {
    std::vector<int> axes;
    for (int axis : k.outer)
        if (axis != one && axis != other) axes.push_back(axis);
    return axes;
}

void locate_beside(lowering& c, const std::vector<int>& axes, const scalar& position, const element_function& f) {
    if (axes.empty()) return;
    const std::string others = axes.size() == 1 ? fmt::format("i{}", axes[0]) : "others";
    c.decompose(axes, c.b.let_index(others, c.index_type(), position), layouts_of(c, f));
}

std::vector<int> load_layouts_of(const lowering& c, const element_function& f) {
    std::vector<int> layouts;
    for (int v : f.loads)
        if (c.at(v).what == value_kind::load && !is_given(f, v)) layouts.push_back(c.at(v).at);
    for (const displacement_function& d : f.displacements)
        for (const std::vector<int>* values : {&d.of.loads, &d.of.places})
            for (int v : *values) layouts.push_back(c.at(v).at);
    return layouts;
}

std::vector<int> compute_layouts_of(const lowering& c, const element_function& f) {
    std::vector<int> layouts;
    for (int v : f.places) layouts.push_back(c.at(v).at);
    for (int st : f.stores) layouts.push_back(c.store_at(st).at);
    return layouts;
}

std::vector<int> layouts_of(const lowering& c, const element_function& f) {
    std::vector<int> layouts = load_layouts_of(c, f);
    for (int layout : compute_layouts_of(c, f)) layouts.push_back(layout);
    return layouts;
}

}  // namespace sinter::codegen::lower
