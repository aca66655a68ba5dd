// Stages, loops and stores of one group.
#include <codegen/render/group.hpp>

#include <algorithm>
#include <map>

namespace sinter::codegen {

namespace {
// Neighbouring columns are accumulators enough. Moments have fewer: they take registers, and it takes long to fold them
// into one.
int accumulators(const context& c) {
    if (c.has_neighbours()) return 1;
    const int most_bytes = c.s.blocks_per_multiprocessor > 0 ? 32 : 64;  // of those of one reduction
    int most = most_accumulators;
    for (const value& v : c.k.values)
        if (v.what == value_kind::reduce && is_moments(v.type))
            most = std::min(most, most_bytes / static_cast<int>(size_of(v.type)));
    return std::min(c.s.unroll, most);
}
}  // namespace

group_renderer::group_renderer(context& shared, const group_walk& walked) : c(shared), walk(walked) {
    if (c.s.resident) {
        kept = c.resident_loads();
        name_registers();
    }
    for (int l = 0; l < static_cast<int>(c.k.loops.size()); ++l) {
        const bool folds = !c.k.loops[static_cast<std::size_t>(l)].reductions.empty();
        functions.push_back(make_element_function(c, l, (folds ? "fold_" : "element_") + std::to_string(l)));
        for (int v : scans_of(c.k, l)) scanned.push_back(make_scanned_function(c, v, "scanned_" + std::to_string(v)));
    }
}

std::vector<element_function> group_renderer::take_functions() {
    std::vector<element_function> all;
    for (element_function& f : scanned)
        if (!f.name.empty()) all.push_back(std::move(f));
    for (element_function& f : functions) all.push_back(std::move(f));
    return all;
}

std::string group_renderer::start_of(const std::string& pointer, int layout_position) const {
    return starts.at({pointer, c.equivalent_layout(layout_position)});
}

void group_renderer::start_pointers() {
    const auto declare = [&](const std::string& pointer, int layout_position, const std::string& type) {
        std::string& start = starts[{pointer, c.equivalent_layout(layout_position)}];
        if (!start.empty()) return;
        start = pointer;
        const std::string distance = c.offset(layout_position, c.k.outer);
        if (distance.empty()) return;
        start = c.unique(pointer + "_" + walk.noun);
        c.out.line("{}* {} = {} + {};", type, start, pointer, distance);
    };
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v)
        if (c.at(v).what == value_kind::load && c.at(v).loop != group_level)
            declare(input_name(c.at(v).input), c.at(v).at, "const " + c.type(c.at(v).type));
    for (const kernel_store& store : c.k.stores)
        if (store.loop != group_level)
            declare(output_name(store.output), store.at, c.type(c.k.outputs[static_cast<std::size_t>(store.output)]));
}

access_plan group_renderer::plan_of(int l, bool vectored) const {
    access_plan plan;
    plan.axes = c.k.loops[static_cast<std::size_t>(l)].axes;
    plan.vectored = vectored;
    if (c.has_neighbours()) plan.fast = c.k.outer.back();
    plan.source = [this](int v) { return start_of(input_name(c.at(v).input), c.at(v).at); };
    plan.target = [this](int st) {
        const kernel_store& store = c.k.stores[static_cast<std::size_t>(st)];
        return start_of(output_name(store.output), store.at);
    };
    plan.registers = [this](int v) {
        const auto named = registers.find(c.equivalent_load(v));
        return named != registers.end() ? named->second : c.name(v) + "_at";
    };
    plan.running = [this, l](int v) {
        const bool turned = walk.vectored && !c.has_neighbours() && c.k.loops[static_cast<std::size_t>(l)].backwards;
        return c.name(v) + "_at" + unroll_subscript(c) +
               (turned          ? fmt::format("[{} - e]", c.s.vector - 1)
                : walk.vectored ? "[e]"
                                : "");
    };
    return plan;
}

// The loops of a resident group share a scope with what is kept: loads that are unlike must not share a name there.
void group_renderer::name_registers() {
    for (int v : kept) registers[v] = c.unique(c.name(v) + "_at");
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v)
        if (is_element_load(c.k, v) && c.equivalent_load(v) == v && registers.count(v) == 0)
            registers[v] = c.unique(c.name(v) + "_at");
}

// A resident row has as many elements for every loop: one parameter says how many.
std::string group_renderer::trips(int l) { return c.trips(c.s.resident ? 0 : l); }

// What stands around an access: the unrolled loop, its position and the check that it is inside.
void group_renderer::open_access(int l, const std::vector<int>& layouts, const std::string& guard) {
    const std::string counter = c.s.unroll > 1 ? "i" : "k";
    open_unroll(c);
    const std::string distance = walk.distance > 1 ? fmt::format(" * {}", walk.distance) : "";
    if (c.s.unroll > 1) c.out.line("const {} i = k + u{};", c.index_type(), distance);
    if (!guard.empty()) c.out.open("if ({} < {})", counter, guard);
    const inner_loop& loop = c.k.loops[static_cast<std::size_t>(l)];
    std::string position = counter;
    const bool moves = std::any_of(layouts.begin(), layouts.end(), [&](int at) {
        return std::any_of(loop.axes.begin(), loop.axes.end(),
                           [&](int a) { return step_of(c.k, at, a) != step::none; });
    });
    if (loop.backwards && moves) {
        if (from_end.empty()) from_end = c.unique("from_end");
        position = from_end;
        const int neighbours = walk.vectored && !c.has_neighbours() ? c.s.vector : 1;
        c.out.line("const {} {} = {} - {} - {};", c.index_type(), position, trips(l), neighbours, counter);
    }
    c.decompose(loop.axes, position, layouts);
}

void group_renderer::close_access(const std::string& guard) {
    if (!guard.empty()) c.out.close();
    close_unroll(c);
}

// Where a thread starts in a loop that begins at `begin`.
std::string group_renderer::start(const std::string& begin) const {
    return begin.empty() ? walk.first : walk.first == "0" ? begin : begin + " + " + walk.first;
}

// A team's loop over its groups repeats the same positions, and so do the loops of a group. A compiler would work out
// the distances of all steps once and keep them, at the cost of the registers that the elements need.
bool group_renderer::hides_positions() const {
    return c.s.blocks_per_multiprocessor > 0 && c.s.resident && c.s.unroll > most_accumulators;
}

void group_renderer::hide_position() {
    if (hides_positions())
        c.out.line("asm volatile(\"\" : \"+{}\"(k));  // so that no distances are kept in registers",
                   c.s.wide_index ? "l" : "r");
}

// Declares the end of the last whole vector before `end`.
std::string group_renderer::whole_vectors(const std::string& end) {
    const std::string whole = c.unique("whole");
    c.out.line("const {0} {1} = {2} - {2} % {3};", c.index_type(), whole, end, c.s.vector);
    return whole;
}

void group_renderer::resident(const std::string& begin, const std::string& end, bool with_tail) {
    if (kept.empty()) return;
    // each where it is loaded first: along the axes of that loop
    std::map<int, std::vector<int>> by_loop;
    for (int v : kept) by_loop[c.at(v).loop].push_back(v);
    c.out.blank();
    c.out.comment("A thread's elements of the " + walk.noun +
                  " are read once and stay in its registers for all loops.");
    kept_end = end.empty() ? trips(0) : end;
    if (with_tail) kept_end = whole_vectors(kept_end);
    c.out.line("{}{} k = {};", hides_positions() ? "" : "const ", c.index_type(), start(begin));
    hide_position();
    // compilers do not see that a single element is used only where it was read
    for (const auto& [l, loads] : by_loop)
        declare_registers(c, plan_of(l, walk.vectored), loads, c.s.blocks_per_multiprocessor > 0 && c.s.unroll == 1);
    for (const auto& [l, loads] : by_loop) {
        std::vector<int> layouts;
        for (int v : loads) layouts.push_back(c.at(v).at);
        open_access(l, layouts, kept_end);
        load_lines(c, plan_of(l, walk.vectored), loads);
        close_access(kept_end);
    }
}

// An element that a group has once; of the column e where a thread has several.
std::string group_renderer::of_group(const std::string& pointer, int layout_position) {
    std::string distance = c.offset(layout_position, c.k.outer);
    if (c.has_neighbours() && step_of(c.k, layout_position, c.k.outer.back()) == step::unit) distance += " + e";
    return fmt::format("{}[{}]", pointer, distance.empty() ? "0" : distance);
}

void group_renderer::stage(int stage) {
    for (int v = 0; v < static_cast<int>(c.k.values.size()); ++v) {
        const value& self = c.at(v);
        if (self.loop != group_level || self.stage != stage) continue;
        const bool computed = self.what == value_kind::elementwise || self.what == value_kind::cast;
        std::string right;
        if (computed)
            right = c.expression(v, true);
        else if (self.what == value_kind::index)
            right = c.offset(self.at, c.k.outer);
        else if (is_displaced(self))
            right = c.subscript(input_name(self.input), self.at, c.k.outer, self.in[0]);
        else if (self.what == value_kind::load)
            right = of_group(input_name(self.input), self.at);
        else
            continue;
        if (!c.has_neighbours()) {
            c.out.line("const {} {} = {};", c.type(self.type), c.name(v), right);
            continue;
        }
        c.out.line("{} {}{};", c.type(self.type), c.name(v), c.neighbours());
        c.open_neighbours();
        c.out.line("{} = {};", c.own(v), right);
        c.close_neighbours();
    }
}

// What is loaded anew at every step.
std::vector<int> group_renderer::fresh_loads(const element_function& f) const {
    std::vector<int> loads;
    for (int v : f.loads)
        if (std::find(kept.begin(), kept.end(), c.equivalent_load(v)) == kept.end()) loads.push_back(v);
    return loads;
}

// Which of a reduction's accumulators an access folds into.
std::string group_renderer::part() const {
    if (c.has_neighbours()) return "[e]";
    if (accumulators(c) == 1) return "";
    return accumulators(c) < c.s.unroll ? fmt::format("_parts[u % {}]", accumulators(c)) : "_parts[u]";
}

// One step: the loads, then what is computed from them. Accesses at `guard` or beyond do not happen.
void group_renderer::body(int l, const element_function& f, const access_plan& plan, const std::string& guard) {
    const std::vector<int> loads = fresh_loads(f);
    std::vector<int> loaded, stored;
    for (int v : loads) loaded.push_back(c.at(v).at);
    for (int v : f.places) stored.push_back(c.at(v).at);
    for (int st : f.stores) stored.push_back(c.k.stores[static_cast<std::size_t>(st)].at);
    const auto accumulator = [this](int r) { return c.name(r) + part(); };
    if (c.s.unroll == 1) {  // a single access needs no arrays, and its index is worked out once
        stored.insert(stored.end(), loaded.begin(), loaded.end());
        open_access(l, stored, guard);
        declare_registers(c, plan, loads);
        load_lines(c, plan, loads);
        compute_lines(c, plan, f, accumulator);
        close_access(guard);
        return;
    }
    declare_registers(c, plan, loads);
    if (!loads.empty()) {
        open_access(l, loaded, guard);
        load_lines(c, plan, loads);
        close_access(guard);
    }
    open_access(l, stored, guard);
    compute_lines(c, plan, f, accumulator);
    close_access(guard);
}

// The few elements behind the last whole vector, one a thread.
void group_renderer::tail(int l, const element_function& f, const std::string& begin, const std::string& end,
                          const std::string& reach) {
    const access_plan plan = plan_of(l, false);
    c.out.comment("The elements behind the last whole vector, one a thread.");
    const std::string at = c.unique("tail");
    c.out.line("const {} {} = {} + lane;", c.index_type(), at, end);
    // a part past the end begins behind them
    c.out.open("if ({}{} < {})", begin.empty() ? "" : fmt::format("{} >= {} && ", at, begin), at, reach);
    c.decompose(plan.axes, at, layouts_of(c, f));
    const auto element = [&](int v) { return c.subscript(plan.source(v), c.at(v).at, plan.axes); };
    const auto place = [&](int v) { return place_text(c, plan, v, ""); };
    const auto accumulator = [&](int r) { return c.name(r) + (c.s.unroll > 1 ? "_parts[0]" : ""); };
    const auto result = [&](int st) {
        return c.subscript(plan.target(st), c.k.stores[static_cast<std::size_t>(st)].at, plan.axes);
    };
    c.out.line("{}", call(c, f, {element, place, accumulator, result}));
    c.out.close();
}

void group_renderer::declare_accumulators(const element_function& f) {
    for (int r : f.reductions) {
        const std::string type = c.type(c.at(r).type);
        if (c.has_neighbours()) {
            c.out.line("{} {}{};", type, c.name(r), c.neighbours());
            c.open_neighbours();
            c.out.line("{} = {};", c.own(r), c.identity(r));
            c.close_neighbours();
            continue;
        }
        if (c.s.unroll == 1) {
            c.out.line("{} {} = {};", type, c.name(r), c.identity(r));
            continue;
        }
        c.out.line("{} {}_parts[{}];", type, c.name(r), accumulators(c));
        c.out.line("#pragma unroll");
        c.out.line("for (int u = 0; u < {}; ++u) {}_parts[u] = {};", accumulators(c), c.name(r), c.identity(r));
    }
}

// Makes one of a thread's accumulators.
void group_renderer::fold_accumulators(const element_function& f) {
    if (c.s.unroll == 1 || c.has_neighbours()) return;
    for (int r : f.reductions) c.out.line("{} {} = {}_parts[0];", c.type(c.at(r).type), c.name(r), c.name(r));
    for (int r : f.reductions) {
        c.out.line("#pragma unroll");
        c.out.line("for (int u = 1; u < {}; ++u) {} = {};", accumulators(c), c.name(r),
                   c.combine(r, c.name(r), c.name(r) + "_parts[u]"));
    }
}

void group_renderer::loop(int l, const std::string& begin, const std::string& end, bool with_tail) {
    const element_function& f = functions[static_cast<std::size_t>(l)];
    const access_plan plan = plan_of(l, walk.vectored);
    const bool unrolled = c.s.unroll > 1, runs = !scans_of(c.k, l).empty();
    declare_accumulators(f);
    const std::string reach = end.empty() ? trips(l) : end;
    const bool has_kept = c.s.resident && !kept.empty();
    const std::string stop = has_kept ? kept_end : with_tail ? whole_vectors(reach) : reach;
    const bool guarded = !f.stores.empty() && !walk.in_range.empty();
    if (runs) {
        running_steps(l, f, begin, stop);
    } else if (c.s.resident) {
        if (guarded) c.out.open("if ({})", walk.in_range);
        if (!has_kept) c.out.line("const {} k = {};", c.index_type(), start(begin));
        if (has_kept) hide_position();
        body(l, f, plan, stop);
        if (guarded) c.out.close();
    } else {
        if (guarded) c.out.open("if ({})", walk.in_range);
        if (unrolled) c.out.line("#pragma unroll 1");  // the steps are unrolled already
        c.out.open("for ({} k = {}; k < {}; k += {})", c.index_type(), start(begin), stop, walk.step);
        body(l, f, plan, unrolled ? stop : "");
        c.out.close();
        if (guarded) c.out.close();
    }
    if (with_tail) tail(l, f, begin, stop, reach);
    fold_accumulators(f);
}

void group_renderer::stores() {
    std::vector<const kernel_store*> once;
    for (const kernel_store& store : c.k.stores)
        if (store.loop == group_level) once.push_back(&store);
    if (once.empty()) return;
    std::string condition = walk.one_thread;
    if (!walk.in_range.empty()) condition += (condition.empty() ? "" : " && ") + walk.in_range;
    if (!condition.empty()) c.out.open("if ({})", condition);
    for (const kernel_store* store : once) {
        const dtype type = c.k.outputs[static_cast<std::size_t>(store->output)];
        const std::string cast = type == c.at(store->value).type ? "" : fmt::format("({})", c.type(type));
        const std::string target = output_name(store->output);
        if (!c.has_neighbours()) {
            c.out.line("{} = {}{};", of_group(target, store->at), cast, c.operand(store->value));
            continue;
        }
        c.out.line("{} {}_at;", c.vector_type(type), target);
        c.open_neighbours();
        c.out.line("{}_at.at[e] = {}{};", target, cast, c.own(store->value));
        c.close_neighbours();
        c.out.line("*reinterpret_cast<{}*>({}) = {}_at;", c.vector_type(type),
                   c.add_offset(target, store->at, c.k.outer), target);
    }
    if (!condition.empty()) c.out.close();
}

}  // namespace sinter::codegen
