// Values that linear forms cannot express become new symbols.
#include <codegen/verify/positions.hpp>

#include <algorithm>

namespace sinter::codegen::device_ir {
namespace {

std::int64_t number(const expression& e) { return static_cast<std::int64_t>(e.value); }

void append(facts& all, const facts& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

positions::positions(const program& of, const launch_promises& given, symbol_table& table, prover& with)
    : p(of),
      symbols(table),
      prove(with),
      thread_(symbols.value({0, of.block_threads - 1})),
      block_(symbols.value({0, unbounded})),
      grid_(symbols.value({1, unbounded})),
      values_(of.variables.size()),
      conditions_(of.variables.size()),
      divisors_(of.variables.size(), -1) {
    for (std::size_t axis = 0; axis < given.multiples.size(); ++axis) {
        const bool is_outer =
            std::find(given.outer.begin(), given.outer.end(), static_cast<int>(axis)) != given.outer.end();
        const std::int64_t least = given.least.empty() ? 0 : given.least[axis];
        if (!given.fixed.empty() && given.fixed[axis] > 0)
            extents_.emplace_back(given.fixed[axis]);
        else
            extents_.push_back(linear_form::of(
                symbols.make({std::max<std::int64_t>(least, is_outer ? 1 : 0), unbounded}, given.multiples[axis])));
    }
    std::vector<linear_form> products;
    for (const std::vector<int>& axes : given.like) products.push_back(product_of(axes));
    extents_ = std::move(products);
    if (!given.loops.empty()) symbols.divide_by(product_of(given.loops[0]), given.steps_multiple);
    name_parameters(given);
    promise_tiles(given);
}

linear_form positions::product_of(const std::vector<int>& axes) {
    linear_form all(1);
    for (int axis : axes) all = symbols.product(all, extent(axis));
    return all;
}

void positions::name_parameters(const launch_promises& given) {
    for (const kernel_parameter& k : p.parameters) {
        const parameter& what = k.what;
        switch (what.what) {
            case parameter::kind::extent: set(k.of, extent(what.index)); break;
            case parameter::kind::groups: set(k.of, product_of(given.outer)); break;
            case parameter::kind::trips:
                set(k.of, product_of(given.loops[static_cast<std::size_t>(what.index)]));
                break;
            case parameter::kind::multiplier: divisors_[static_cast<std::size_t>(k.of)] = what.index; break;
            case parameter::kind::parts: set(k.of, symbols.value({1, unbounded})); break;
            case parameter::kind::position: {
                const linear_form position = symbols.value({0, unbounded});
                set(k.of, position);
                symbols.add_axiom(symbols.sum(symbols.sum(product_of(given.outer), -1), position, -1));
                break;
            }
            default: break;
        }
    }
}

void positions::promise_tiles(const launch_promises& given) {
    if (given.tiles.empty()) return;
    linear_form blocks(given.cluster);
    for (const launch_promises::tiling& t : given.tiles) {
        const linear_form rounded = symbols.sum(extent(t.axis), t.length - 1);
        blocks = symbols.product(blocks, symbols.quotient(rounded, t.length));
    }
    if (given.is_split) {
        linear_form parts = symbols.value({1, unbounded});
        for (const kernel_parameter& k : p.parameters)
            if (k.what.what == parameter::kind::parts) parts = value_of(k.of);
        blocks = symbols.product(blocks, parts);
    }
    grid_ = blocks;
    symbols.add_axiom(symbols.sum(symbols.sum(blocks, -1), block_, -1));
}

const linear_form& positions::value_of(id variable) const {
    static const linear_form none_known;
    const auto& known = values_[static_cast<std::size_t>(variable)];
    return known ? *known : none_known;
}

void positions::set(id variable, const linear_form& value) {
    values_[static_cast<std::size_t>(variable)] = value;
    conditions_[static_cast<std::size_t>(variable)].reset();
}

void positions::set_condition(id variable, id value) {
    conditions_[static_cast<std::size_t>(variable)] = {of_condition(value, true), of_condition(value, false)};
}

linear_form positions::unknown_of(id variable) { return unknown(p.variable_at(variable).type); }

linear_form positions::unknown(dtype type) {
    if (type == dtype::bool_) return symbols.value({0, 1});
    return symbols.value({kind_of(type) == dtype_kind::unsigned_integer ? 0 : -unbounded, unbounded});
}

linear_form positions::of(id at) {
    const expression& e = p.at(at);
    switch (e.kind) {
        case expression_kind::integer: return number(e);
        case expression_kind::variable: {
            auto& known = values_[static_cast<std::size_t>(e.of)];
            if (!known) known = unknown(e.type);
            return *known;
        }
        case expression_kind::thread: return thread_;
        case expression_kind::block: return block_;
        case expression_kind::grid: return grid_;
        case expression_kind::arithmetic: return of_arithmetic(e);
        case expression_kind::quotient: return of_division(e);
        case expression_kind::cast: return e.is_index ? of(e.in[0]) : unknown(e.type);
        case expression_kind::exchange:  // another lane's value is in the same range
            return is_integer(e.type) ? symbols.value(symbols.range_of(of(e.in[0]))) : unknown(e.type);
        default: return unknown(e.type);
    }
}

linear_form positions::of_arithmetic(const expression& e) {
    switch (e.how) {
        case arithmetic_kind::add: return symbols.sum(of(e.in[0]), of(e.in[1]));
        case arithmetic_kind::subtract: return of_difference(e);
        case arithmetic_kind::multiply: return symbols.product(of(e.in[0]), of(e.in[1]));
        case arithmetic_kind::divide:
        case arithmetic_kind::remainder: return of_division(e);
        case arithmetic_kind::select: return choice_of(e);
        case arithmetic_kind::shift_right: return of_division(e);
        default: return unknown(e.type);
    }
}

/// x - x % n is n * (x / n), which preserves that it is a multiple of n.
linear_form positions::of_difference(const expression& e) {
    const linear_form a = of(e.in[0]);
    const expression& b = p.at(e.in[1]);
    if (b.kind == expression_kind::arithmetic && b.how == arithmetic_kind::remainder &&
        p.at(b.in[1]).kind == expression_kind::integer && of(b.in[0]) == a && symbols.range_of(a).low >= 0)
        return symbols.product(symbols.quotient(a, of(b.in[1])), of(b.in[1]));
    return symbols.sum(a, of(e.in[1]), -1);
}

/// Truncating division needs a dividend >= 0; if that is not proved, the result is a new symbol.
linear_form positions::of_division(const expression& e) {
    const linear_form dividend = of(e.in[0]);
    linear_form divisor;
    if (e.kind == expression_kind::quotient) {
        const expression& multiplier = p.at(e.in[1]);
        const int axis =
            multiplier.kind == expression_kind::variable ? divisors_[static_cast<std::size_t>(multiplier.of)] : -1;
        if (axis < 0) return unknown(e.type);
        divisor = extent(axis);
    } else {
        divisor = of(e.in[1]);
        if (e.how == arithmetic_kind::shift_right) {
            if (!divisor.is_constant() || divisor.constant < 0 || divisor.constant > 62) return unknown(e.type);
            divisor = std::int64_t{1} << divisor.constant;
        }
    }
    const bool is_remainder = e.kind == expression_kind::arithmetic && e.how == arithmetic_kind::remainder;
    if (symbols.range_of(dividend).low >= 0) {
        if (is_remainder) return symbols.remainder(dividend, divisor);
        const linear_form result = symbols.quotient(dividend, divisor);
        // x <= n implies x / d <= n / d (rounded down), which the axioms of x / d do not state
        const bool is_number = divisor.is_constant() && divisor.constant > 0;
        if (const std::int64_t bound = prove.bound_of(dividend); bound != unbounded && is_number)
            prove.assume(symbols.sum(bound / divisor.constant, result, -1));
        return result;
    }
    if (!prove.proves(dividend)) {
        // the remainder has the sign of the dividend
        const bool is_number = is_remainder && divisor.is_constant() && divisor.constant > 0;
        return is_number ? symbols.value({1 - divisor.constant, divisor.constant - 1}) : unknown(e.type);
    }
    // a local fact is assumed locally, not added as an axiom
    const linear_form result = symbols.value({0, unbounded});
    const linear_form left = is_remainder ? result : symbols.sum(dividend, symbols.product(result, divisor), -1);
    if (!is_remainder) prove.assume(left);
    prove.assume(symbols.sum(symbols.sum(divisor, -1), left, -1));
    return result;
}

linear_form positions::choice_of(const expression& e) {
    const linear_form yes = of(e.in[1]), no = of(e.in[2]);
    const linear_form chosen = symbols.choice(of_condition(e.in[0], true), of_condition(e.in[0], false), yes, no);
    if (symbols.range_of(chosen).low < 0 && prove.proves(chosen)) symbols.raise(chosen, 0);
    return chosen;
}

facts positions::of_condition(id at, bool holds) {
    const expression& e = p.at(at);
    if (e.kind == expression_kind::variable) {
        const auto& known = conditions_[static_cast<std::size_t>(e.of)];
        if (!known) return {};
        return holds ? known->if_true : known->if_false;
    }
    if (e.kind != expression_kind::arithmetic) return {};
    if (e.how == arithmetic_kind::negation) return of_condition(e.in[0], !holds);
    if (e.how == arithmetic_kind::both) {
        if (!holds) return {};
        facts all = of_condition(e.in[0], true);
        append(all, of_condition(e.in[1], true));
        return all;
    }
    // a <= b (or a < b); its negation if the condition fails
    const auto ordered = [&](id a, id b, bool strictly) -> facts {
        const linear_form distance = symbols.sum(of(b), of(a), -1);
        if (holds) return {symbols.sum(distance, strictly ? -1 : 0)};
        return {symbols.sum(symbols.sum({}, distance, -1), strictly ? 0 : -1)};
    };
    switch (e.how) {
        case arithmetic_kind::less: return ordered(e.in[0], e.in[1], true);
        case arithmetic_kind::less_equal: return ordered(e.in[0], e.in[1], false);
        case arithmetic_kind::greater: return ordered(e.in[1], e.in[0], true);
        case arithmetic_kind::greater_equal: return ordered(e.in[1], e.in[0], false);
        case arithmetic_kind::equal: {
            const linear_form distance = symbols.sum(of(e.in[0]), of(e.in[1]), -1);
            if (holds) return {distance, symbols.sum({}, distance, -1)};
            if (symbols.range_of(distance).low == 0) return {symbols.sum(distance, -1)};
            return {};
        }
        default: return {};
    }
}

}  // namespace sinter::codegen::device_ir
