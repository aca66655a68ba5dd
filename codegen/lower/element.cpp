// Emits one named scalar per value, in the order of the kernel's values.
#include <codegen/lower/element.hpp>

#include <codegen/schedule/branches.hpp>
#include <codegen/schedule/guards.hpp>
#include <sinter/op/functions.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

bool computed_in(const lowering& c, int v, int loop) {
    const value& self = c.at(v);
    if (is_displaced(self)) return is_placed(c.k, v, loop) && !c.is_wide_gather(v);
    return self.loop == loop && (self.what == value_kind::elementwise || self.what == value_kind::cast);
}

/// Whether a gather's displacement has 32 bits, and so its sum with the rest of the index, which a function then takes
/// beside the pointer: to add both to a pointer, one after the other, takes three more instructions.
bool has_index_beside(const lowering& c, int gather) {
    const value& v = c.at(gather);
    if (!is_displaced(v) || c.at(v.in[0]).type != dtype::int32) return false;
    for (int axis = 0; axis < static_cast<int>(c.k.extents.size()); ++axis)
        if (step_of(c.k, v.at, axis) != step::none) return true;
    return false;
}

/// Appends the arguments for one of a function's places.
void add_place(lowering& c, int v, const scalar& place, std::vector<scalar>& arguments) {
    if (!has_index_beside(c, v)) return arguments.push_back(place);
    const std::vector<term> terms = c.b[place].terms;
    arguments.push_back(c.b.memory(c.b[place].of, {}));
    arguments.push_back(c.sum_of(terms));
}

/// The values that a function computes for its results, and those it takes as arguments.
class needs {
public:
    needs(const lowering& shared, int loop, const std::vector<int>& results, const std::vector<int>& given = {},
          const std::vector<int>& beyond = {})
        : c(shared), loop_(loop), given_(given), used_(shared.k.values.size(), 0) {
        for (int v : results) used_[static_cast<std::size_t>(v)] = 1;
        for (int v = count(); v-- > 0;) {
            if (!computes(v)) continue;
            // an index that goes on beyond its part does not depend on where the part ends
            const bool is_endless = std::find(beyond.begin(), beyond.end(), v) != beyond.end();
            for (std::size_t i = 0; i < (is_endless ? 2u : 3u); ++i)
                if (const int operand = c.at(v).in[i]; operand >= 0) used_[static_cast<std::size_t>(operand)] = 1;
        }
    }

    int count() const { return static_cast<int>(used_.size()); }
    bool computes(int v) const {
        return used_[static_cast<std::size_t>(v)] != 0 && !is_given(v) && computed_in(c, v, loop_);
    }

    void gather(element_function& f) const {
        for (int v = 0; v < count(); ++v) {
            if (used_[static_cast<std::size_t>(v)] == 0) continue;
            if (is_given(v)) {
                f.loads.push_back(v);
                continue;
            }
            const bool placed = is_placed(c.k, v, loop_) && !c.is_wide_gather(v);
            if (placed) f.places.push_back(v);
            if (placed || computes(v) || c.at(v).what == value_kind::constant) continue;
            (c.at(v).what == value_kind::scan ? f.scans : is_loaded_in_loop(v) ? f.loads : f.outside).push_back(v);
        }
    }

    /// True for the later loops of a nested kernel, too.
    bool is_loaded_in_loop(int v) const {
        return is_element_load(c.k, v) || (c.is_wide_gather(v) && is_placed(c.k, v, loop_)) ||
               (c.at(v).what == value_kind::load && loop_ > 0 && c.at(v).loop == loop_);
    }

private:
    bool is_given(int v) const { return std::find(given_.begin(), given_.end(), v) != given_.end(); }

    const lowering& c;
    int loop_;
    const std::vector<int> given_;
    std::vector<char> used_;
};

/// Emits one function. While it is open, the kernel's values refer to its parameters and to what it computes.
class function_writer {
public:
    function_writer(lowering& shared, element_function& written) : c(shared), f(written) {}

    void open(const std::string& name, const std::string& comment) {
        for (const std::vector<int>* values : {&f.loads, &f.scans, &f.places, &f.outside, &f.reductions})
            for (int v : *values) before_.emplace_back(v, c.definition_of(v));
        f.function = c.b.begin_function(name, comment);
    }

    scalar add_reference(const std::string& name, dtype type) {
        const scalar of = c.b.parameter(name, type, false);
        add(function_parameter::passed::reference, c.b[of].of);
        return of;
    }

    void add_operands() {
        for (const std::vector<int>* values : {&f.loads, &f.scans, &f.places, &f.outside})
            for (int v : *values) {
                if (values == &f.places && is_displaced(c.at(v))) {
                    array from{c.name(v) + "_from", space::global, c.at(v).type, {}};
                    from.read_only = true;
                    table& of = tables_.emplace_back(v, c.b.add(from));
                    add(function_parameter::passed::pointer, of.from);
                    if (!has_index_beside(c, v)) continue;
                    of.at = c.b.parameter(c.name(v) + "_at", c.index_type(), true);
                    add(function_parameter::passed::value, c.b[of.at].of);
                    continue;
                }
                const scalar of = c.b.parameter(c.name(v), c.at(v).type, false);
                add(function_parameter::passed::value, c.b[of].of);
                c.define(v, of);
            }
    }

    void write(const needs& computed, const std::vector<int>& beyond = {}) {
        std::vector<char> computes;
        for (int v = 0; v < computed.count(); ++v) computes.push_back(static_cast<char>(computed.computes(v)));
        for (int v : f.kept) computes[static_cast<std::size_t>(v)] = 0;  // later loops need these on either side
        branches_ = branches_of(c.k, computes);
        write_branch({}, computed, beyond);
    }

    void close(const scalar& value = {}) {
        c.b.end_function(value);
        for (const auto& [v, outside] : before_) c.define(v, outside);
    }

private:
    /// The values of one side of a choice, or those that are computed in any case.
    void write_branch(const branch_side& side, const needs& computed, const std::vector<int>& beyond) {
        for (int v = 0; v < computed.count(); ++v) {
            if (!computed.computes(v) || branches_.of[static_cast<std::size_t>(v)] != side) continue;
            if (branches_.chooses[static_cast<std::size_t>(v)] != 0) {
                write_choice(v, computed, beyond);
                continue;
            }
            if (std::find(beyond.begin(), beyond.end(), v) != beyond.end()) {
                const value& part = c.at(v);
                c.let_value(v, c.b.operation(op::subtract::row, part.type, part.type,
                                             {c.operand(part.in[0]), c.operand(part.in[1]), {}}));
                continue;
            }
            if (!is_displaced(c.at(v))) {
                c.let_value(v, c.expression(v));
                continue;
            }
            const auto of = std::find_if(tables_.begin(), tables_.end(), [&](const table& t) { return t.load == v; });
            std::vector<term> terms;
            if (of->at) terms.push_back({-1, of->at.at, none});
            terms.push_back({-1, c.operand(c.at(v).in[0]).at, none});
            c.let_value(v, c.b.memory(of->from, std::move(terms)));
        }
    }

    /// Computes only the side of a choice that is taken.
    void write_choice(int v, const needs& computed, const std::vector<int>& beyond) {
        const value& self = c.at(v);
        const scalar chosen = c.b.variable_of(c.name(v), self.type);
        c.b.open_branch(c.operand(self.in[0]));
        for (int operand : {1, 2}) {
            if (operand == 2) c.b.otherwise();
            write_branch({v, operand}, computed, beyond);
            c.b.assign(chosen, c.operand(self.in[static_cast<std::size_t>(operand)]));
        }
        c.b.close();
        c.define(v, chosen);
    }

    void add(function_parameter::passed how, id of) { c.b.at_function(f.function).parameters.push_back({how, of}); }

    lowering& c;
    element_function& f;
    std::vector<std::pair<int, lowering::definition>> before_;  ///< definitions of the parameters' values outside
    /// What a gather's displacement is added to: a pointer, and where that has 32 bits an index.
    struct table {
        int load;
        id from;
        scalar at = {};
    };
    std::vector<table> tables_;
    branches branches_;
};

std::string description(const lowering& c, const element_function& f, int loop) {
    if (!f.reductions.empty()) return "One element of loop " + std::to_string(loop) + ", folded into the accumulators.";
    return c.k.loops.empty() ? "The expression at one element." : "One element of the result.";
}

using purpose = displacement_function::purpose;

// None where the loop does not compute it: then it is the same for the whole group.
void add_displacement(lowering& c, element_function& f, int value, int loop, purpose what = purpose::index,
                      const std::vector<int>& beyond = {}) {
    const auto same = [&](const displacement_function& d) { return d.value == value && d.what == what; };
    if (std::any_of(f.displacements.begin(), f.displacements.end(), same)) return;
    struct text {
        const char *name, *comment;
    };
    static constexpr text texts[] = {{"place", "What an access adds to its index to gather."},
                                     {"beyond", "The same, as if the part went on beyond its ends."},
                                     {"row", "Neighbours with equal values are in one row."},
                                     {"condition", "Whether an access is within the region of what it loads."}};
    const auto& [name, comment] = texts[static_cast<std::size_t>(what)];
    element_function of =
        make_value_function(c, value, loop, c.unique(fmt::format("{}_{}", name, value)), comment, beyond);
    if (of.function != none) f.displacements.push_back({value, what, std::move(of)});
}

/// All that a realigned gather needs to know whether its neighbours are a run.
void add_run(lowering& c, element_function& f, int displacement, int loop) {
    const gathered_run run = run_of(c.k, displacement, c.k.outer.back()).value();
    if (!run.parts.empty()) add_displacement(c, f, displacement, loop, purpose::beyond, run.parts);
    for (int v : run.quotients) add_displacement(c, f, v, loop, purpose::quotient);
}

}  // namespace

element_function make_element_function(lowering& c, int loop, const std::string& name, const std::vector<int>& given,
                                       const std::vector<int>& kept) {
    element_function f;
    if (loop != group_level) f.reductions = c.k.loops[static_cast<std::size_t>(loop)].reductions;
    for (int fold : column_folds(c.k))
        if (c.at(fold).loop == loop) f.reductions.push_back(fold);
    for (int st = 0; st < static_cast<int>(c.k.stores.size()); ++st)
        if (c.store_at(st).loop == loop) f.stores.push_back(st);
    f.returns = f.reductions.empty() && f.stores.size() == 1;
    std::vector<int> results;
    for (int r : f.reductions) results.push_back(c.at(r).in[0]);
    for (int st : f.stores) results.push_back(c.store_at(st).value);
    results.insert(results.end(), kept.begin(), kept.end());
    f.kept = kept;
    f.given = given;
    const needs computed(c, loop, results, given);
    computed.gather(f);
    for (int v : gather_loads_of(c, f)) {
        add_displacement(c, f, c.at(v).in[0], loop);
        if (c.is_realigned(v)) add_run(c, f, c.at(v).in[0], loop);
    }

    function_writer w(c, f);
    w.open(name, description(c, f, loop));
    for (int r : f.reductions) c.define(r, w.add_reference(c.name(r), c.at(r).type));
    std::vector<scalar> stored;
    if (!f.returns)
        for (int st : f.stores)
            stored.push_back(w.add_reference(output_name(c.store_at(st).output), c.output_type(st)));
    std::vector<scalar> left;
    for (int v : kept) left.push_back(w.add_reference(c.unique(c.name(v) + "_kept"), c.at(v).type));
    w.add_operands();
    w.write(computed);
    for (int r : f.reductions) c.b.assign(c.operand(r), c.combine(r, c.operand(r), c.operand(c.at(r).in[0])));
    const auto result = [&](int st) { return c.converted(st, c.operand(c.store_at(st).value)); };
    for (std::size_t i = 0; i < stored.size(); ++i) c.b.assign(stored[i], result(f.stores[i]));
    for (std::size_t i = 0; i < left.size(); ++i) c.b.assign(left[i], c.operand(kept[i]));
    w.close(f.returns ? result(f.stores[0]) : scalar());
    return f;
}

element_function make_scanned_function(lowering& c, int scan, const std::string& name) {
    element_function f = make_value_function(c, c.at(scan).in[0], c.at(scan).loop, name,
                                             "The operand of " + c.name(scan) + ", at one element.");
    f.scanned = scan;
    return f;
}

element_function make_value_function(lowering& c, int value, int loop, const std::string& name,
                                     const std::string& comment, const std::vector<int>& beyond,
                                     const std::vector<int>& given) {
    element_function f;
    f.returns = true;
    const needs computed(c, loop, {value}, given, beyond);
    computed.gather(f);
    if (!computed.computes(value)) return f;
    function_writer w(c, f);
    w.open(name, comment);
    w.add_operands();
    w.write(computed, beyond);
    w.close(c.operand(value));
    return f;
}

void add_conditions(lowering& c, element_function& f) {
    for (int v : f.loads)
        for (const guard& g : guards_of(c.k, v, c.neighbour_axis(v)))
            add_displacement(c, f, g.condition, group_level, purpose::condition);
}

bool is_given(const element_function& f, int v) {
    return std::find(f.given.begin(), f.given.end(), v) != f.given.end();
}

std::vector<int> gather_loads_of(const lowering& c, const element_function& f) {
    std::vector<int> gathers;
    std::copy_if(f.loads.begin(), f.loads.end(), std::back_inserter(gathers),
                 [&](int v) { return c.is_wide_gather(v) && !is_given(f, v); });
    return gathers;
}

std::vector<int> plain_loads_of(const lowering& c, const element_function& f) {
    std::vector<int> loads;
    const auto add = [&](int v) {
        if (c.is_wide_gather(v) || is_given(f, v)) return;
        if (std::find(loads.begin(), loads.end(), v) == loads.end()) loads.push_back(v);
    };
    for (const displacement_function& d : f.displacements) std::for_each(d.of.loads.begin(), d.of.loads.end(), add);
    std::for_each(f.loads.begin(), f.loads.end(), add);
    return loads;
}

scalar call(lowering& c, const displacement_function& d, const call_arguments& given) {
    std::vector<scalar> arguments;
    for (int v : d.of.loads) arguments.push_back(given.element(v));
    for (int v : d.of.scans) arguments.push_back(given.scan(v));
    for (int v : d.of.places) add_place(c, v, given.place(v), arguments);
    for (int v : d.of.outside) arguments.push_back(c.operand(v));
    return c.b.call(d.of.function, arguments);
}

void let_displacements(lowering& c, const element_function& f, const call_arguments& given) {
    for (const displacement_function& d : f.displacements)
        if (d.what == purpose::index)
            c.define(d.value, c.b.let(c.name(d.value), c.at(d.value).type, call(c, d, given)));
    // what is read at the index itself, since its memory is not aligned, has no function
    for (int v : gather_loads_of(c, f))
        if (const int index = c.at(v).in[0]; c.at(index).what == value_kind::index)
            c.define(index, c.b.index_cast(c.at(index).type, given.place(index)));
}

void call(lowering& c, const element_function& f, const call_arguments& given) {
    std::vector<scalar> arguments;
    for (int r : f.reductions) arguments.push_back(given.accumulator(r));
    if (!f.returns)
        for (int st : f.stores) arguments.push_back(given.result(st));
    for (int v : f.kept) arguments.push_back(given.kept(v));
    for (int v : f.loads) arguments.push_back(given.element(v));
    for (int v : f.scans) arguments.push_back(given.scan(v));
    for (int v : f.places) add_place(c, v, given.place(v), arguments);
    for (int v : f.outside) arguments.push_back(c.operand(v));
    if (f.scanned >= 0 && f.function == none) {
        c.b.assign(given.result(f.scanned), arguments.empty() ? c.operand(c.at(f.scanned).in[0]) : arguments[0]);
        return;
    }
    if (!f.returns) return c.b.call_statement(f.function, arguments);
    c.b.assign(given.result(f.scanned >= 0 ? f.scanned : f.stores[0]), c.b.call(f.function, arguments));
}

}  // namespace sinter::codegen::lower
