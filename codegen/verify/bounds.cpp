// Walks the program with the values of variables and the assumptions of the enclosing scopes.
#include <codegen/verify/bounds.hpp>

#include <codegen/verify/accesses.hpp>
#include <codegen/verify/changes.hpp>

#include <algorithm>

namespace sinter::codegen::device_ir {
namespace {

class walk {
public:
    walk(const program& of, const launch_promises& given)
        : p(of), prove(symbols), at(of, given, symbols, prove), accesses(of, given, symbols, prove, at) {}

    std::vector<std::string> unproved() {
        run(p.body);
        return std::move(accesses.unproved);
    }

private:
    bool is_whole(id variable) const {
        const dtype type = p.variable_at(variable).type;
        return is_integer(type) || type == dtype::bool_;
    }

    void run(const std::vector<statement>& all) {
        for (const statement& s : all) run(s);
    }

    /// Runs statements under additional assumptions.
    void run_under(const facts& assumed, const std::vector<statement>& all) {
        const std::size_t before = prove.mark();
        prove.assume(assumed);
        run(all);
        prove.take_back(before);
    }

    void run(const statement& s) {
        switch (s.kind) {
            case statement_kind::comment:
            case statement_kind::blank:
            case statement_kind::declare:
            case statement_kind::carve:
            case statement_kind::fence:
            case statement_kind::opaque: return;
            case statement_kind::let: return let(s);
            case statement_kind::view: return accesses.view(s);
            case statement_kind::assign:
                accesses.check(s.value, s);
                accesses.check(s.target, s);
                return assign(s);
            case statement_kind::call: accesses.check(s.value, s); return forget(assigned_in({s}));
            case statement_kind::branch: return branch(s);
            case statement_kind::loop: return loop(s);
            case statement_kind::scope: return run_under({}, s.body);
            case statement_kind::leave:
                accesses.check(s.value, s);
                return prove.assume(at.of_condition(s.value, false));
            case statement_kind::async_copy: return async_copy(s);
            case statement_kind::tensor_map: return accesses.check_box(s);
            case statement_kind::copy_box:  // zeros beyond the ends
                accesses.check(s.target, s);
                return accesses.check(s.limit, s);
            default:
                for (id e : {s.target, s.value, s.limit, s.step})
                    if (e != none) accesses.check(e, s);
                if (s.kind == statement_kind::ticket && s.of != none) at.set_unknown(s.of);
                if (s.kind == statement_kind::await) forget(assigned_in({s}));
        }
    }

    /// The source is not read where the condition fails.
    void async_copy(const statement& s) {
        accesses.check(s.limit, s);
        accesses.check(s.target, s);
        const std::size_t before = prove.mark();
        prove.assume(at.of_condition(s.limit, true));
        accesses.check(s.value, s);
        prove.take_back(before);
    }

    void let(const statement& s) {
        if (s.value == none) return;
        accesses.check(s.value, s);
        const variable& v = p.variable_at(s.of);
        if (!is_whole(s.of)) return;
        at.set(s.of, at.of(s.value));
        if (!v.is_constant) return;
        if (v.type == dtype::bool_) at.set_condition(s.of, s.value);
        accesses.unrolled.define(s.of, s.value);
    }

    void assign(const statement& s) {
        const expression& target = p.at(s.target);
        if (target.kind == expression_kind::variable && is_whole(target.of)) at.set(target.of, at.of(s.value));
    }

    // ---- variables that branches and loops change ----

    void add_assigned(id target, std::vector<id>& all) const {
        const expression& e = p.at(target);
        if (e.kind == expression_kind::variable && is_whole(e.of) &&
            std::find(all.begin(), all.end(), e.of) == all.end())
            all.push_back(e.of);
    }

    void gather_assigned(const std::vector<statement>& in, std::vector<id>& all) const {
        for (const statement& s : in) {
            for_each_changed(p, s, [&](id changed) { add_assigned(changed, all); });
            gather_assigned(s.body, all);
            gather_assigned(s.otherwise, all);
        }
    }
    std::vector<id> assigned_in(const std::vector<statement>& statements) const {
        std::vector<id> all;
        gather_assigned(statements, all);
        return all;
    }

    void forget(const std::vector<id>& variables) {
        for (id v : variables) at.set_unknown(v);
    }

    void branch(const statement& s) {
        accesses.check(s.value, s);
        const facts yes = at.of_condition(s.value, true), no = at.of_condition(s.value, false);
        std::vector<id> changed = assigned_in(s.body);
        gather_assigned(s.otherwise, changed);
        const std::vector<linear_form> before = values_of(changed);
        run_under(yes, s.body);
        const std::vector<linear_form> after_yes = values_of(changed);
        for (std::size_t i = 0; i < changed.size(); ++i) at.set(changed[i], before[i]);
        run_under(no, s.otherwise);
        for (std::size_t i = 0; i < changed.size(); ++i)
            at.set(changed[i], symbols.choice(yes, no, after_yes[i], at.value_of(changed[i])));
    }

    std::vector<linear_form> values_of(const std::vector<id>& variables) const {
        std::vector<linear_form> all;
        all.reserve(variables.size());
        for (id v : variables) all.push_back(at.value_of(v));
        return all;
    }

    void loop(const statement& s) {
        accesses.check(s.value, s);
        if (s.step != none) accesses.check(s.step, s);
        const std::vector<id> changed = assigned_in(s.body);
        for (id v : changed) widen(v, s.body);
        const std::vector<linear_form> anywhere = values_of(changed);
        at.set(s.of, counter_of(s));
        accesses.unrolled.enter(s);
        accesses.check(s.limit, s);
        run_under(at.of_condition(s.limit, true), s.body);
        accesses.unrolled.leave(s);
        for (std::size_t i = 0; i < changed.size(); ++i)
            at.set(changed[i], symbols.value(symbols.range_of(anywhere[i])));
    }

    /// The counter in any iteration: first + step * n with n >= 0, or a value within known bounds.
    linear_form counter_of(const statement& s) {
        const linear_form first = at.of(s.value);
        const range from = symbols.range_of(first);
        if (s.factor > 0) return symbols.value({std::min<std::int64_t>(from.low, 0), from.high});
        if (s.factor < 0) return symbols.value({from.low, unbounded});
        const linear_form step = at.of(s.step);
        return symbols.sum(first, symbols.product(symbols.value({0, last_iteration(s, first, step)}), step));
    }

    std::int64_t last_iteration(const statement& s, const linear_form& first, const linear_form& step) {
        const expression& limit = p.at(s.limit);
        if (!first.is_constant() || !step.is_constant() || step.constant <= 0) return unbounded;
        if (limit.kind != expression_kind::arithmetic || limit.how != arithmetic_kind::less) return unbounded;
        const linear_form end = at.of(limit.in[1]);
        if (p.at(limit.in[0]).of != s.of || !end.is_constant() || end.constant <= first.constant) return unbounded;
        return (end.constant - first.constant - 1) / step.constant;
    }

    /// Widens a variable that a loop changes to a range that all its assignments preserve.
    void widen(id v, const std::vector<statement>& body) {
        std::vector<id> values;
        bool is_known = true;
        gather_values(v, body, values, is_known);
        range all = symbols.range_of(at.value_of(v));
        for (int attempt = 0; is_known && attempt < 3; ++attempt) {
            at.set(v, symbols.value(all));
            range next = all;
            for (id value : values) next = hull(next, symbols.range_of(at.of(value)));
            if (next == all) return;
            if (attempt > 0 && next.low < all.low) next.low = -unbounded;
            if (attempt > 0 && next.high > all.high) next.high = unbounded;
            all = next;
        }
        at.set_unknown(v);
    }

    void gather_values(id v, const std::vector<statement>& in, std::vector<id>& values, bool& is_known) const {
        for (const statement& s : in) {
            const std::vector<id> changed =
                s.body.empty() && s.otherwise.empty() ? assigned_in({s}) : std::vector<id>();
            if (std::find(changed.begin(), changed.end(), v) != changed.end()) {
                is_known = is_known && s.kind == statement_kind::assign;
                values.push_back(s.value);
            }
            gather_values(v, s.body, values, is_known);
            gather_values(v, s.otherwise, values, is_known);
        }
    }

    const program& p;
    symbol_table symbols;
    prover prove;
    positions at;
    access_checker accesses;
};

}  // namespace

std::vector<std::string> check_bounds(const program& p, const launch_promises& given) {
    return walk(p, given).unproved();
}

}  // namespace sinter::codegen::device_ir
