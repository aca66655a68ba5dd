// Gathers whose neighbours begin at any element of memory: two aligned accesses move them, and registers are shifted.
#include <codegen/lower/access.hpp>

#include <codegen/schedule/guards.hpp>
#include <codegen/schedule/realigned.hpp>
#include <codegen/transforms/index_rows.hpp>

#include <fmt/format.h>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

using purpose = displacement_function::purpose;

class window_loader {
public:
    window_loader(lowering& shared, const access_plan& plan, const element_function& function, int load)
        : c(shared),
          p(plan),
          f(function),
          v(load),
          run(run_of(c.k, c.at(v).in[0], c.k.outer.back()).value()),
          vector(c.s.vector_width) {}

    void load() {
        const bool has_parts = !run.parts.empty();
        const purpose running = has_parts ? purpose::beyond : purpose::index;
        scalar begin = at(running, c.at(v).in[0], 0);
        if (has_parts) begin = named("begin", begin);
        if (has_parts || !run.rolls.empty()) last_ = named("last", at(running, c.at(v).in[0], vector - 1));
        find_ends(begin);
        if (has_parts) c.b.open_branch(is_used(begin));
        load_vectors(begin);
        c.b.otherwise();
        load_singly();
        c.b.close();
        if (has_parts) c.b.close();
    }

private:
    /// A function of the displacement at a neighbour.
    scalar at(purpose what, int value, const scalar& lane) {
        if (what == purpose::index && !lane) return c.operand(value);  // see gather_registers
        for (const displacement_function& d : f.displacements) {
            if (d.value != value || d.what != what) continue;
            const auto element = [&](int u) { return element_of(c, p, u); };
            const auto place = [&](int u) { return index_or_gathered(c, p, u, lane); };
            return call(c, d, {element, place, {}, {}, p.scan});
        }
        return c.operand(value);
    }
    scalar at(purpose what, int value, int lane) { return at(what, value, lane == 0 ? scalar() : c.b.integer(lane)); }

    scalar named(const char* name, const scalar& value) {
        return c.b.let(fmt::format("{}_{}", c.name(v), name), c.b[value].type, value);
    }

    void demand(const scalar& condition) { is_run_ = is_run_ ? is_run_ && condition : condition; }

    /// Where rows end or a roll wraps around, neighbours are no run.
    void find_ends(const scalar& begin) {
        for (int q : run.quotients) demand(at(purpose::quotient, q, 0) == at(purpose::quotient, q, vector - 1));
        if (!run.rolls.empty()) demand(last_ == begin + (vector - 1));
        if (is_run_) is_run_ = c.b.let(fmt::format("{}_is_run", c.name(v)), dtype::bool_, is_run_);
    }

    /// Whether a run has elements of the parts; what is no run is read in any case. An index before its part is
    /// clamped to a greater one, an index behind it to a smaller one.
    scalar is_used(const scalar& begin) {
        const int displacement = c.at(v).in[0];
        const scalar inside =
            at(purpose::index, displacement, vector - 1) <= last_ && begin <= at(purpose::index, displacement, 0);
        return is_run_ ? c.b.negation(is_run_ && c.b.negation(inside)) : inside;
    }

    void load_vectors(const scalar& begin) {
        const auto wide = [&](const scalar& x) { return c.b.index_cast(dtype::int64, x); };
        const scalar position = wide(c.sum_of(c.terms(c.at(v).at, p.axes))) + wide(begin);
        const scalar first = c.b.let(fmt::format("{}_first", c.name(v)), dtype::int64, position);
        const scalar width = c.b.literal(dtype::int64, static_cast<std::uint64_t>(vector));
        const scalar aligned = c.b.let(fmt::format("{}_aligned", c.name(v)), dtype::int64,
                                       c.b.operation(index_aligned, dtype::int64, dtype::int64, {first, width, {}}));
        const scalar inside = aligned >= 0 && aligned + 2 * vector <= c.elements(c.at(v).input);
        c.b.open_branch(is_run_ ? is_run_ && inside : inside);
        for (int half : {0, 1})
            c.b.assign(c.b.element(p.windows.at(v).vectors, indices({half})),
                       c.b.memory(p.source(v), {{-1, aligned.at, none}}, half * vector, vector));
        c.b.assign(first_neighbour(), first - aligned);
    }

    void load_singly() {
        c.b.assign(first_neighbour(), c.b.integer(0));
        const scalar e = c.b.open_unrolled("e", vector);
        std::vector<term> all = c.terms(c.at(v).at, p.axes);
        all.push_back({-1, at(purpose::index, c.at(v).in[0], e).at, none});
        std::vector<scalar> to = indices({0});
        to.push_back(e);
        c.b.assign(c.b.element(p.windows.at(v).vectors, to), c.b.memory(p.source(v), std::move(all)));
        c.b.close();
    }

    scalar first_neighbour() { return c.b.element(p.windows.at(v).first, of_access(c)); }

    std::vector<scalar> indices(std::initializer_list<int> further) {
        std::vector<scalar> all = of_access(c);
        for (int i : further) all.push_back(c.b.integer(i));
        return all;
    }

    lowering& c;
    const access_plan& p;
    const element_function& f;
    const int v;
    const gathered_run run;
    const int vector;
    scalar last_, is_run_;
};

}  // namespace

// Where a thread needs none of the elements, it leaves the window as it is: cleared.
void declare_window(lowering& c, access_plan& p, int v) {
    const int axis = c.k.outer.back();
    const bool may_be_unused = !run_of(c.k, c.at(v).in[0], axis).value().parts.empty() ||
                               (p.guarded != nullptr && !guards_of(c.k, v, axis).empty());
    std::vector<int> extents;
    if (c.unroll > 1) extents.push_back(c.unroll);
    array first{c.name(v) + "_from", space::registers, dtype::int32, extents};
    first.is_index = true;
    extents.push_back(2);
    array vectors{c.name(v) + "_window", space::registers, c.at(v).type, extents};
    vectors.packed = c.s.vector_width;
    vectors.words = size_of(vectors.type) < 4;
    p.windows[v].vectors = c.b.declare(vectors, may_be_unused);
    p.windows[v].first = c.b.declare(first, may_be_unused);
}

void load_window(lowering& c, const access_plan& p, const element_function& f, int v) {
    window_loader(c, p, f, v).load();
}

void realign_windows(lowering& c, const access_plan& p) {
    for (const auto& [v, window] : p.windows) {
        std::vector<scalar> first_vector = of_access(c);
        first_vector.push_back(c.b.integer(0));
        c.b.realign(c.b.element(p.registers.at(v), of_access(c)), c.b.element(window.vectors, first_vector),
                    c.b.element(window.first, of_access(c)));
    }
}

}  // namespace sinter::codegen::lower
