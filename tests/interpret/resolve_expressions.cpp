// Expressions: operations become loops, index arithmetic gets the types that it has in C++.
#include <tests/interpret/resolver.hpp>
#include <tests/interpret/row_loops.hpp>

#include <codegen/rows/dispatch.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace sinter::interpret {

using namespace device_ir;

namespace {

std::vector<char> broadcast(const void* value, std::size_t size) {
    std::vector<char> lanes(size * warp_lanes);
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) std::memcpy(lanes.data() + lane * size, value, size);
    return lanes;
}

}  // namespace

int resolver::add(node n) {
    n.size = size_of(n.type);
    c.nodes.push_back(std::move(n));
    return static_cast<int>(c.nodes.size()) - 1;
}

int resolver::constant(dtype type, const void* value) {
    node n;
    n.kind = node_kind::constant;
    n.type = type;
    n.constant = broadcast(value, size_of(type));
    return add(std::move(n));
}

int resolver::variable(int v, dtype type) {
    node n;
    n.kind = node_kind::variable;
    n.type = type;
    n.of = v;
    return add(std::move(n));
}

int resolver::converted(int from, dtype type) {
    if (from < 0 || at(from).type == type) return from;
    node n;
    n.kind = node_kind::map;
    n.type = type;
    n.in[0] = from;
    n.map = codegen::cast_loop(type, at(from).type);
    return add(std::move(n));
}

int resolver::expression(id e) {
    if (e == none) return -1;
    int& known = of_expression_[static_cast<std::size_t>(e)];
    if (known < 0) {
        const int made = make(p.at(e));
        of_expression_[static_cast<std::size_t>(e)] = made;
        return made;
    }
    return known;
}

int resolver::make(const device_ir::expression& e) {
    switch (e.kind) {
        case expression_kind::integer: return integer(e);
        case expression_kind::literal: {
            const std::uint64_t bits[] = {e.value, e.more};
            return constant(e.type, bits);
        }
        case expression_kind::identity: return identity(e);
        case expression_kind::variable: return variable(e.of, e.type);
        case expression_kind::thread: return variable(c.thread, dtype::uint32);
        case expression_kind::block: return variable(c.block, dtype::uint32);
        case expression_kind::grid: return variable(c.grid, dtype::uint32);
        case expression_kind::arithmetic: return arithmetic(e);
        case expression_kind::quotient: return quotient(e);
        case expression_kind::operation: return operation(e);
        case expression_kind::cast: return converted(expression(e.in[0]), e.type);
        case expression_kind::element: return element(e);
        case expression_kind::peer:
        case expression_kind::exchange: return from_elsewhere(e);
        case expression_kind::call: return call(e);
    }
    return -1;
}

int resolver::integer(const device_ir::expression& e) {
    const auto value = static_cast<std::int64_t>(e.value);
    const bool fits = e.type != dtype::int32 || value == static_cast<std::int32_t>(value);
    return constant(fits ? e.type : dtype::int64, &value);
}

int resolver::identity(const device_ir::expression& e) {
    const detail::host_loops loops = scalar_loops(*e.op, e.type, p.precision);
    if (loops.identity == nullptr) throw unknown_row{};
    return constant(e.type, loops.identity);
}

int resolver::arithmetic(const device_ir::expression& e) {
    node n;
    n.type = dtype::bool_;
    const int a = expression(e.in[0]), b = expression(e.in[1]), other = expression(e.in[2]);
    switch (e.how) {
        case arithmetic_kind::both:
            n.kind = node_kind::both;
            n.in = {converted(a, dtype::bool_), converted(b, dtype::bool_), -1};
            return add(std::move(n));
        case arithmetic_kind::negation:
            n.kind = node_kind::negation;
            n.in[0] = converted(a, dtype::bool_);
            return add(std::move(n));
        case arithmetic_kind::select:
            n.kind = node_kind::select;
            n.type = e.is_index ? common_type(at(b).type, at(other).type) : e.type;
            n.in = {converted(a, dtype::bool_), converted(b, n.type), converted(other, n.type)};
            return add(std::move(n));
        case arithmetic_kind::add:
        case arithmetic_kind::subtract:
        case arithmetic_kind::multiply:
        case arithmetic_kind::divide:
        case arithmetic_kind::remainder:
        case arithmetic_kind::shift_right:
        case arithmetic_kind::less:
        case arithmetic_kind::less_equal:
        case arithmetic_kind::greater:
        case arithmetic_kind::greater_equal:
        case arithmetic_kind::equal: break;
    }
    return index(e.how, a, b);
}

int resolver::index(arithmetic_kind how, int a, int b) {
    node n;
    n.kind = node_kind::index;
    n.index_type = how == arithmetic_kind::shift_right ? common_type(at(a).type, dtype::int32)
                                                       : common_type(at(a).type, at(b).type);
    const bool compares = how >= arithmetic_kind::less && how <= arithmetic_kind::equal;
    n.type = compares ? dtype::bool_ : n.index_type;
    n.in = {converted(a, n.index_type), converted(b, n.index_type), -1};
    n.index = loop_of(how, n.index_type);
    if (n.index == nullptr) throw error(fmt::format("interpreter: index arithmetic in {}", name(n.index_type)));
    return add(std::move(n));
}

int resolver::quotient(const device_ir::expression& e) {
    node n;
    n.kind = node_kind::quotient;
    n.type = e.type;
    n.in = {converted(expression(e.in[0]), e.type), converted(expression(e.in[1]), e.type),
            converted(expression(e.in[2]), dtype::int32)};
    return add(std::move(n));
}

int resolver::operation(const device_ir::expression& e) {
    const detail::host_loops loops = scalar_loops(*e.op, e.computes, p.precision);
    node n;
    n.kind = node_kind::map;
    n.type = e.type;
    n.map = loops.map;
    std::array<int, 3> operands{-1, -1, -1};
    for (std::size_t i = 0; i < 3; ++i) operands[i] = expression(e.in[i]);
    const bool folds_parts =
        e.op->is_reduction && detail::folds_parts(e.op->rule) && at(operands[1]).type != e.computes;
    if (folds_parts) {
        n.kind = node_kind::fold;
        n.fold = loops.fold_parts;
    }
    if (n.map == nullptr) throw unknown_row{};
    for (std::size_t i = 0; i < 3; ++i) {
        const bool is_part = i == 1 && folds_parts;
        n.in[i] = converted(operands[i], is_part ? real_of(e.computes)
                                                 : detail::operand_of(e.op->rule, e.computes, static_cast<int>(i)));
    }
    const dtype given = e.op->is_reduction ? e.computes : result_of(e.op->rule, e.computes);
    n.type = given;
    n.may_trap = is_integer(e.computes);
    return converted(add(std::move(n)), e.type);
}

int resolver::element(const device_ir::expression& e) {
    const array_code& a = c.arrays[static_cast<std::size_t>(e.of)];
    node n;
    n.type = a.type;
    n.of = e.of;
    n.count = e.count;
    if (a.where == space::global) {
        n.kind = node_kind::global;
        n.position = position(e);
        return add(std::move(n));
    }
    n.kind = a.where == space::shared ? node_kind::shared : node_kind::registers;
    for (id i : e.indices) n.indices.push_back(expression(i));
    if (n.kind == node_kind::registers) n.position = known_index(a, n);
    return add(std::move(n));
}

int resolver::known_index(const array_code& a, const node& n) const {
    int flat = 0;
    for (std::size_t i = 0; i < n.indices.size(); ++i) {
        const node& one = at(n.indices[i]);
        const int extent = i < a.extents.size() ? a.extents[i] : a.packed;
        if (one.kind != node_kind::constant) return -1;
        const std::int64_t value = index_at(one.type, one.constant.data(), 0);
        if (value < 0 || value >= extent) return -1;
        flat = flat * extent + static_cast<int>(value);
    }
    return n.indices.size() > a.extents.size() ? flat : flat * a.packed;
}

int resolver::position(const device_ir::expression& e) {
    int sum = -1;
    for (const term& t : e.terms) {
        int one = expression(t.index);
        if (t.stride != none) one = index(arithmetic_kind::multiply, one, expression(t.stride));
        sum = sum < 0 ? one : index(arithmetic_kind::add, sum, one);
    }
    if (e.shift == 0) return sum;
    const bool narrow = e.shift == static_cast<std::int32_t>(e.shift);
    const int shift = constant(narrow ? dtype::int32 : dtype::int64, &e.shift);
    return sum < 0 ? shift : index(arithmetic_kind::add, sum, shift);
}

int resolver::from_elsewhere(const device_ir::expression& e) {
    node n;
    n.kind = e.kind == expression_kind::peer ? node_kind::peer : node_kind::exchange;
    n.in = {expression(e.in[0]), expression(e.in[1]), -1};
    n.type = at(n.in[n.kind == node_kind::peer ? 1 : 0]).type;
    n.pattern = e.pattern;
    n.width = e.width;
    return add(std::move(n));
}

int resolver::call(const device_ir::expression& e) {
    const function& f = p.function_at(e.of);
    node n;
    n.kind = node_kind::call;
    n.type = f.has_value ? f.type : dtype::bool_;
    n.of = e.of;
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
        const int given = expression(e.arguments[i]);
        const function_parameter& to = f.parameters[i];
        n.arguments.push_back(to.how == function_parameter::passed::value ? converted(given, p.variable_at(to.of).type)
                                                                          : given);
    }
    return add(std::move(n));
}

}  // namespace sinter::interpret
