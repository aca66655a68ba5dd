// Index arithmetic is evaluated; of data it is only known whether they are the same in all lanes.
#include <codegen/cost/expression_walk.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/cost/sectors.hpp>

#include <bit>

namespace sinter::codegen::device_ir {

expression_walk::expression_walk(const program& counted, std::int64_t blocks, const launch_arguments& arguments)
    : p(counted),
      grid(blocks),
      variables(counted.variables.size()),
      origins(counted.arrays.size(), {-1, warp_value::of(0)}),
      argument_(arguments) {
    for (std::size_t i = 0; i < p.parameters.size(); ++i) {
        const kernel_parameter& k = p.parameters[i];
        const auto of = static_cast<std::size_t>(k.of);
        switch (k.what.what) {
            case parameter::kind::output:
            case parameter::kind::input:
            case parameter::kind::workspace: origins[of].parameter = static_cast<int>(i); break;
            case parameter::kind::scalar: variables[of].is_uniform = true; break;
            default: variables[of] = warp_value::of(argument_(k.what));
        }
    }
}

void expression_walk::set(id variable, const warp_value& value, lane_mask m) {
    variables[static_cast<std::size_t>(variable)].assign(value, m);
}

lane_mask expression_walk::where(id condition, lane_mask m) {
    if (m == 0) return 0;
    const warp_value v = value_of(condition, m);
    if (!v.is_known) counts.is_exact = false;
    return v.is_known ? v.truths() & m : m;
}

// ---- expressions ----

warp_value expression_walk::value_of(id e, lane_mask m) {
    const expression& x = p.at(e);
    switch (x.kind) {
        case expression_kind::integer: return warp_value::of(static_cast<std::int64_t>(x.value));
        case expression_kind::literal:
        case expression_kind::identity: {
            warp_value same;
            same.is_uniform = true;
            return same;
        }
        case expression_kind::variable: return variables[static_cast<std::size_t>(x.of)];
        case expression_kind::thread: return warp_value::counting(first_thread);
        case expression_kind::block: return warp_value::of(block);
        case expression_kind::grid: return warp_value::of(grid);
        case expression_kind::arithmetic: return arithmetic(x, m);
        case expression_kind::quotient: return quotient(x, m);
        case expression_kind::operation: return operation(x, m);
        case expression_kind::cast: return cast(x, m);
        case expression_kind::element: return load(x, m);
        case expression_kind::peer: value_of(x.in[0], m); return value_of(x.in[1], m);
        case expression_kind::call: return call(x, m);
        case expression_kind::exchange:
            counts.exchanges += weight;
            value_of(x.in[0], m);
            value_of(x.in[1], m);
            return {};
    }
    return {};
}

warp_value expression_walk::arithmetic(const expression& x, lane_mask m) {
    counts.index_instructions += weight;
    const warp_value a = value_of(x.in[0], m);
    if (x.how == arithmetic_kind::negation) return negated(a);
    const warp_value b = value_of(x.in[1], m);
    if (x.how != arithmetic_kind::select) return combined(x.how, x.type, a, b);
    return chosen(a, b, value_of(x.in[2], m));
}

warp_value expression_walk::quotient(const expression& x, lane_mask m) {
    counts.index_instructions += weight * (size_of(x.type) == 8 ? 12 : 3);
    return quotients(value_of(x.in[0], m), value_of(x.in[1], m), value_of(x.in[2], m), size_of(x.type) == 8);
}

warp_value expression_walk::operation(const expression& x, lane_mask m) {
    warp_value result;
    result.is_of_indices = result.is_uniform = true;
    bool adds_product = false;
    for (id in : x.in) {
        if (in == none) continue;
        const warp_value operand = value_of(in, m);
        result.is_of_indices = result.is_of_indices && !operand.depends_on_data();
        result.is_uniform = result.is_uniform && operand.is_same_in_all_lanes();
        adds_product = adds_product || operand.is_product;
    }
    const op_traits t = traits_of(*x.op);
    const bool contracts = x.computes == dtype::float32 || x.computes == dtype::float64;
    result.is_product = contracts && t.is_product;
    if (contracts && t.is_sum && adds_product) counts.contractions += weight;
    counts.operations[{x.op->name, x.computes}] += weight * std::popcount(m);
    counts.warp_operations[{x.op, x.computes}] += weight;
    return result;
}

warp_value expression_walk::cast(const expression& x, lane_mask m) {
    const warp_value v = value_of(x.in[0], m);
    if (!x.is_index) counts.casts += weight * std::popcount(m);
    if (!x.is_index) counts.conversions[{p.at(x.in[0]).type, x.type}] += weight;
    if (x.is_index) return converted(x.type, v);
    warp_value result;
    result.is_of_indices = !v.depends_on_data();
    result.is_uniform = v.is_same_in_all_lanes();
    return result;
}

warp_value expression_walk::call(const expression& x, lane_mask m) {
    const function& f = p.function_at(x.of);
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const function_parameter& to = f.parameters[i];
        if (to.how == function_parameter::passed::pointer)
            pass_pointer(to.of, p.at(x.arguments[i]), m);
        else if (to.how == function_parameter::passed::value)
            set(to.of, value_of(x.arguments[i], m), m);
    }
    run(f.body, m);
    const warp_value result = f.has_value ? value_of(f.value, m) : warp_value();
    for (std::size_t i = 0; i < f.parameters.size(); ++i)
        if (f.parameters[i].how == function_parameter::passed::reference)
            store(x.arguments[i], variables[static_cast<std::size_t>(f.parameters[i].of)], m);
    return result;
}

void expression_walk::pass_pointer(id array, const expression& element, lane_mask m) {
    global_origin& to = origins[static_cast<std::size_t>(array)];
    to = origins[static_cast<std::size_t>(element.of)];
    to.position = absolute_position(element, m);
}

// ---- accesses ----

warp_value expression_walk::load(const expression& x, lane_mask m) {
    const warp_value position = touch(x, false, m);
    if (p.array_at(x.of).where != space::shared || !position.is_known) {
        warp_value loaded;
        loaded.is_uniform = p.array_at(x.of).where == space::global && position.is_same_in_all_lanes();
        return loaded;
    }
    warp_value found = warp_value::of(0);
    for_lanes(m, [&](int lane) {
        const auto known = shared.find({x.of, position[lane]});
        found.is_known = found.is_known && known != shared.end();
        if (found.is_known) found[lane] = known->second;
    });
    return found;
}

void expression_walk::store(id target, const warp_value& value, lane_mask m) {
    const expression& x = p.at(target);
    if (x.kind == expression_kind::variable) return set(x.of, value, m);
    const warp_value position = touch(x, true, m);
    if (p.array_at(x.of).where != space::shared || !value.is_known || !position.is_known) return;
    for_lanes(m, [&](int lane) { shared[{x.of, position[lane]}] = value[lane]; });
}

warp_value expression_walk::touch(const expression& x, bool is_store, lane_mask m) {
    const array& a = p.array_at(x.of);
    const int bytes = x.count * static_cast<int>(size_of(a.type));
    if (a.where == space::registers) return {};
    const warp_value at = a.where == space::shared ? shared_position(x, m) : absolute_position(x, m);
    access_place place{a.where, is_store, {}, 0, bytes};
    if (a.where == space::global) {
        const int of = origins[static_cast<std::size_t>(x.of)].parameter;
        place.what = p.parameters[static_cast<std::size_t>(of)].what.what;
        place.index = p.parameters[static_cast<std::size_t>(of)].what.index;
    }
    access_count& n = counts.accesses[place];
    n.threads += weight * std::popcount(m);
    n.warps += weight;
    if (a.where == space::global) {
        const auto size = static_cast<int>(size_of(a.type));
        const bool draws = at.depends_on_data() && place.what == parameter::kind::input;
        const touched_units touched =
            units_touched(at, size, bytes, m, draws ? argument_({parameter::kind::elements, place.index}) * size : 0);
        n.sectors += weight * touched.sectors;
        n.lines += weight * touched.lines;
        n.gathered += weight * touched.gathered;
    }
    return at;
}

warp_value expression_walk::position(const expression& x, lane_mask m) {
    warp_value sum = warp_value::of(x.shift);
    for (const term& t : x.terms) {
        warp_value one = value_of(t.index, m);
        if (t.stride != none) {
            counts.index_instructions += weight;
            one = combined(arithmetic_kind::multiply, dtype::int64, one, value_of(t.stride, m));
        }
        sum = combined(arithmetic_kind::add, dtype::int64, sum, one);
    }
    return sum;
}

warp_value expression_walk::absolute_position(const expression& x, lane_mask m) {
    return combined(arithmetic_kind::add, dtype::int64, origins[static_cast<std::size_t>(x.of)].position,
                    position(x, m));
}

warp_value expression_walk::shared_position(const expression& x, lane_mask m) {
    const array& a = p.array_at(x.of);
    warp_value at = warp_value::of(0);
    for (std::size_t i = 0; i < x.indices.size(); ++i) {
        const int extent = i < a.extents.size() ? a.extents[i] : a.packed;
        at.each(m, [&](std::int64_t n) { return n * extent; });
        at = combined(arithmetic_kind::add, dtype::int64, at, value_of(x.indices[i], m));
    }
    return at;
}

}  // namespace sinter::codegen::device_ir
