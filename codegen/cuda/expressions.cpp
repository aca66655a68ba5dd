// Prints expressions as CUDA C++.
#include <codegen/cuda/expressions.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/rows/identity.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace sinter::codegen::cuda_source {

using namespace device_ir;

namespace {

struct spelled_operator {
    const char* sign;
    binding binds;
};

spelled_operator operator_of(arithmetic_kind how) {
    switch (how) {
        case arithmetic_kind::add: return {"+", binding::sum};
        case arithmetic_kind::subtract: return {"-", binding::sum};
        case arithmetic_kind::multiply: return {"*", binding::product};
        case arithmetic_kind::divide: return {"/", binding::product};
        case arithmetic_kind::remainder: return {"%", binding::product};
        case arithmetic_kind::less: return {"<", binding::relation};
        case arithmetic_kind::less_equal: return {"<=", binding::relation};
        case arithmetic_kind::greater: return {">", binding::relation};
        case arithmetic_kind::greater_equal: return {">=", binding::relation};
        case arithmetic_kind::equal: return {"==", binding::equal};
        case arithmetic_kind::both: return {"&&", binding::both};
        case arithmetic_kind::shift_right: return {">>", binding::shift};
        case arithmetic_kind::select:
        case arithmetic_kind::negation: break;
    }
    return {"?", binding::any};
}

/// For right operands, which must bind more tightly.
binding tighter(binding b) { return static_cast<binding>(static_cast<int>(b) + 1); }

/// Sums, differences and products.
bool is_ring(dtype_rule rule) {
    return rule == dtype_rule::field || rule == dtype_rule::ring || rule == dtype_rule::sum;
}

std::string parenthesised(std::string text, bool yes) { return yes ? '(' + std::move(text) + ')' : text; }

}  // namespace

std::string expressions::text(id e, binding within) {
    const expression& x = p.at(e);
    switch (x.kind) {
        case expression_kind::integer: return integer(x);
        case expression_kind::literal:
            if (is_complex(x.type)) names.name(x.type);
            return literal(x.type, x.value, x.more);
        case expression_kind::identity: return identity(x);
        case expression_kind::variable: return variable_name(x.of);
        case expression_kind::thread: return "threadIdx.x";
        case expression_kind::block: return "blockIdx.x";
        case expression_kind::grid: return "gridDim.x";
        case expression_kind::arithmetic: return arithmetic(x, within);
        case expression_kind::quotient:
            use(library_function::quotient);
            names.index_name(x.type);  // of its parameters
            return fmt::format("quotient({}, {}, {})", text(x.in[0]), text(x.in[1]), text(x.in[2]));
        case expression_kind::operation: return parenthesised(operation(x), within > binding::any);
        case expression_kind::cast: return cast(x);
        case expression_kind::element: return element(x);
        case expression_kind::peer:
            use(library_function::cluster);
            return fmt::format("from_block({}, {})", text(x.in[1]), text(x.in[0]));
        case expression_kind::call: return call(x);
        case expression_kind::exchange: return exchange(x);
    }
    return "";
}

std::string expressions::integer(const expression& e) const {
    const char* suffix = e.type == dtype::uint32 ? "u" : e.type == dtype::uint64 ? "ull" : "";
    return std::to_string(static_cast<std::int64_t>(e.value)) + suffix;
}

std::string expressions::arithmetic(const expression& e, binding within) {
    if (e.how == arithmetic_kind::negation) return "!" + text(e.in[0], binding::postfix);
    const auto [sign, binds] = operator_of(e.how);
    if (e.how == arithmetic_kind::select)
        return parenthesised(fmt::format("{} ? {} : {}", text(e.in[0], binding::both), text(e.in[1]), text(e.in[2])),
                             within > binding::any);
    // a sum of integers needs no parentheses on the right: wrapping addition is associative
    const binding right = e.how == arithmetic_kind::add ? binds : tighter(binds);
    return parenthesised(fmt::format("{} {} {}", text(e.in[0], binds), sign, text(e.in[1], right)), within > binds);
}

// Sums, differences and products of integers wrap. Signed overflow is undefined in CUDA C++ (NVRTC assumes x * x >= 0),
// so operands are converted to unsigned; the assignment converts back. uint16 is promoted to int, whose products can
// overflow, too.
std::string expressions::wrapping_operand(id e) {
    const dtype type = p.at(e).type;
    const std::string x = text(e, binding::postfix);
    if (type != dtype::int32 && type != dtype::int64 && type != dtype::uint16) return x;
    const std::string computing = names.name(type == dtype::int64 ? dtype::uint64 : dtype::uint32);
    return x[0] == '(' ? computing + x : fmt::format("{}({})", computing, x);
}

std::string expressions::operation(const expression& e) {
    const bool wraps = is_ring(e.op->rule);
    std::string operands[3];
    for (std::size_t i = 0; i < 3; ++i)
        if (e.in[i] != none) operands[i] = wraps ? wrapping_operand(e.in[i]) : text(e.in[i], binding::postfix);
    const std::string computed =
        substitute(e.op->body, {operands[0], operands[1], operands[2]}, names.name(e.computes),
                   e.computes == dtype::float32 ? p.precision : sinter::codegen::arithmetic::exact);
    return wraps && e.type == dtype::int16 ? fmt::format("narrowed<{}>({})", names.name(e.type), computed) : computed;
}

std::string expressions::cast(const expression& e) {
    const dtype from = p.at(e.in[0]).type;
    if (e.is_index) return fmt::format("{}({})", names.index_name(e.type), text(e.in[0]));
    const std::string x = text(e.in[0], binding::postfix);
    // NVRTC 13.0 takes differences of truths as bytes for extended bytes, and the first one of a wide access, beside
    // which others lie, for a whole word
    if (e.type == dtype::int8 && from == dtype::bool_) return fmt::format("narrowed<{}>({})", names.name(e.type), x);
    if (e.type == dtype::int16 && is_integer(from) && size_of(from) > 1)
        return fmt::format("narrowed<{}>({})", names.name(e.type), x);
    if (e.type == dtype::float16 && is_float8(from))  // by float32 it would be three instructions
        return fmt::format("float16_of_{}({})", from == dtype::float8_e4m3 ? "e4m3" : "e5m2", text(e.in[0]));
    if (!is_integer(e.type) || !(is_floating(from) || is_complex(from)))
        return fmt::format("({}){}", names.name(e.type), x);
    return fmt::format("whole_number<{}>({}{})", names.name(e.type),
                       is_storage_only(from) ? fmt::format("float({})", x) : x, is_complex(from) ? ".re" : "");
}

std::string expressions::identity(const expression& e) {
    if (const char* given = e.op->identity; given != nullptr)
        return substitute(given, {"x", "y", "z"}, names.name(e.type));
    if (detail::is_accumulator(e.type)) return fmt::format("{}()", names.name(e.type));  // zeros
    const ir::scalar_bits value = identity_of(*e.op, e.type);
    const std::string text = literal(e.type, value.bits, value.more);
    return text[0] == '(' ? text.substr(1, text.size() - 2) : text;  // it stands alone
}

std::string expressions::position(const expression& e) {
    std::string sum;
    for (const term& t : e.terms) {
        const binding alone = sum.empty() ? binding::sum : tighter(binding::sum);
        if (!sum.empty()) sum += " + ";
        sum += text(t.index, t.stride == none ? alone : binding::product);
        if (t.stride != none) sum += " * " + text(t.stride, binding::postfix);
    }
    if (e.shift != 0 && sum.empty()) return std::to_string(e.shift);
    if (e.shift != 0) sum += fmt::format(" {} {}", e.shift < 0 ? '-' : '+', e.shift < 0 ? -e.shift : e.shift);
    return sum;
}

std::string expressions::address(const expression& e) {
    const std::string distance = position(e);
    return distance.empty() ? array_name(e.of) : array_name(e.of) + " + " + distance;
}

std::string expressions::shared_address(const expression& e) { return "&" + local_element(e); }

std::string expressions::local_element(const expression& e) {
    const array& a = p.array_at(e.of);
    std::string text_of = a.name;
    for (std::size_t i = 0; i < e.indices.size(); ++i)
        if (a.words && i == a.extents.size())
            text_of += fmt::format(".get({})", text(e.indices[i]));
        else if (a.swizzled && i + 1 == e.indices.size())
            text_of += fmt::format("[{} ^ {} % 8 * 8]", text(e.indices[i], binding::sum),
                                   text(e.indices[i - 1], binding::product));
        else
            text_of += fmt::format("{}[{}]", i < a.extents.size() ? "" : ".at", text(e.indices[i]));
    return text_of;
}

std::string expressions::set_in_words(id target, id value) {
    const expression& to = p.at(target);
    if (to.kind != expression_kind::element || !p.array_at(to.of).words) return "";
    if (to.indices.size() == p.array_at(to.of).extents.size()) return "";
    expression whole = to;
    whole.indices.pop_back();
    names.use_set(to.type, p.array_at(to.of).packed);
    return fmt::format("{}.set({}, {})", local_element(whole), text(to.indices.back()), text(value));
}

std::string expressions::assigned(id target, id value) {
    const expression &to = p.at(target), &from = p.at(value);
    const bool words = to.kind == expression_kind::element && p.array_at(to.of).words;
    return words ? neighbours(from, names.words_name(from.type, from.count)) : text(value);
}

/// Whether neighbours are accessed through their address, since the array is not packed by `count`.
bool expressions::is_reinterpreted(const expression& e) const {
    const array& a = p.array_at(e.of);
    return e.count > 1 && (a.where == space::global || (a.where == space::shared && a.packed != e.count));
}

std::string expressions::element(const expression& e) {
    if (p.array_at(e.of).where != space::global) {
        if (!is_reinterpreted(e)) return local_element(e);
        return fmt::format("*reinterpret_cast<const {}*>(&{})", names.vector_name(e.type, e.count), local_element(e));
    }
    if (e.count == 1) {
        const std::string distance = position(e);
        return fmt::format("{}[{}]", array_name(e.of), distance.empty() ? "0" : distance);
    }
    return neighbours(e, names.vector_name(e.type, e.count));
}

/// Neighbours in memory as one value.
std::string expressions::neighbours(const expression& e, const std::string& type) {
    const bool is_global = p.array_at(e.of).where == space::global;
    const std::string from =
        fmt::format("reinterpret_cast<const {}*>({})", type, is_global ? address(e) : shared_address(e));
    if (e.hint == cache_hint::usual) return "*" + from;
    use(library_function::read_once);
    return fmt::format("read_once({})", from);
}

std::string expressions::target(id e) {
    const expression& x = p.at(e);
    if (x.kind != expression_kind::element || !is_reinterpreted(x)) return text(e);
    const bool is_global = p.array_at(x.of).where == space::global;
    return fmt::format("*reinterpret_cast<{}*>({})", names.vector_name(x.type, x.count),
                       is_global ? address(x) : "&" + local_element(x));
}

std::string expressions::call(const expression& e) {
    const function& f = p.function_at(e.of);
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
        const bool pointer = f.parameters[i].how == function_parameter::passed::pointer;
        arguments.push_back(pointer ? address(p.at(e.arguments[i])) : text(e.arguments[i]));
    }
    return fmt::format("{}({})", f.name, fmt::join(arguments, ", "));
}

std::string expressions::exchange(const expression& e) {
    const char* pattern = e.pattern == exchange_pattern::butterfly ? "_xor"
                          : e.pattern == exchange_pattern::up      ? "_up"
                                                                   : "";
    const std::string width = e.width < 32 ? fmt::format(", {}", e.width) : "";
    return fmt::format("__shfl{}_sync(0xffffffffu, {}, {}{})", pattern, text(e.in[0]), text(e.in[1]), width);
}

}  // namespace sinter::codegen::cuda_source
