// The semantics of names, numbers, operators and calls.
#include <sinter/error.hpp>
#include <sinter/op/functions.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/unread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace sinter::spoken {
namespace {

/// Adds a position to errors that the library throws in f.
template <class F>
auto pointing_to(place at, F f) {
    try {
        return f();
    } catch (const error& e) {
        throw problem(at, e.what());
    }
}

const op_row* row_of_operator(const std::string& symbol, int arity) {
    static const op_row* const rows[] = {
#define SINTER_ROW_UNARY(name, rule, ...)
#define SINTER_ROW_BINARY(name, rule, ...)
#define SINTER_ROW_TERNARY(name, rule, ...)
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) &op::name::row,
#define SINTER_ROW_INFIX(name, symbol, rule, ...) &op::name::row,
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)
#include <sinter/op/table.def>
    };
    const auto found = std::find_if(std::begin(rows), std::end(rows),
                                    [&](const op_row* r) { return r->arity == arity && symbol == r->symbol; });
    return found == std::end(rows) ? nullptr : *found;
}

/// Infinity beyond float's range, which the plain conversion does not guarantee.
double rounded_to_float(double x) {
    constexpr double largest = std::numeric_limits<float>::max(), half_a_step = 0x1p103;
    if (std::abs(x) < largest + half_a_step || x != x)
        return static_cast<double>(static_cast<float>(std::clamp(x, -largest, largest)));
    return std::copysign(std::numeric_limits<double>::infinity(), x);
}

/// An integer of a C++ type; throws if it does not fit.
number of_integer(dtype type, std::optional<std::int64_t> value, place at) {
    const auto in = [&](auto limits) { return *value >= limits.min() && *value <= limits.max(); };
    if (!value || (type == dtype::int32 && !in(std::numeric_limits<std::int32_t>())))
        throw problem(at, fmt::format("this is more than {} holds", type == dtype::int32 ? "an int" : "a long long"));
    return {type, *value, 0};
}

/// The result of an operator on two C++ integers, if it fits in 64 bits.
std::optional<std::int64_t> of_integers(const std::string& symbol, std::int64_t x, std::int64_t y) {
    std::int64_t z = 0;
    if (symbol == "+") return __builtin_add_overflow(x, y, &z) ? std::nullopt : std::optional(z);
    if (symbol == "-") return __builtin_sub_overflow(x, y, &z) ? std::nullopt : std::optional(z);
    if (symbol == "*") return __builtin_mul_overflow(x, y, &z) ? std::nullopt : std::optional(z);
    return y == -1 ? of_integers("-", 0, x) : x / y;
}

/// The result of an operator on two C++ numbers, as in C++.
number folded(const syntax& s, const number& a, const number& b) {
    const dtype type = promote(promote(a.type, b.type), dtype::int32);
    const bool floats = is_floating(type), divides = s.text == "/";
    if (!(s.text == "+" || s.text == "-" || s.text == "*" || (divides && (floats || b.integer != 0))))
        throw problem(s.at, "both operands are numbers: write the result");
    if (!floats) return of_integer(type, of_integers(s.text, a.integer, b.integer), s.at);
    const double x = a.as_double(), y = b.as_double();
    const double z = s.text == "+" ? x + y : s.text == "-" ? x - y : divides ? x / y : x * y;
    return {type, 0, type == dtype::float32 ? rounded_to_float(z) : z};
}

argument read_infix(const syntax& s, const operand_table& operands) {
    const argument left = read(s.parts[0], operands), right = read(s.parts[1], operands);
    const number* const a = std::get_if<number>(&left);
    const number* const b = std::get_if<number>(&right);
    if (a && b) return folded(s, *a, *b);
    return pointing_to(s.operator_at, [&] { return applied(*row_of_operator(s.text, 2), {left, right}); });
}

number negated(const number& n, place at) {
    const dtype type = promote(n.type, dtype::int32);
    if (is_floating(type)) return {type, 0, -n.real};
    return of_integer(type, of_integers("-", 0, n.integer), at);
}

argument read_prefix(const syntax& s, const operand_table& operands) {
    const argument in = read(s.parts[0], operands);
    if (const number* n = std::get_if<number>(&in)) {
        if (s.text == "+") return *n;
        if (s.text == "-") return negated(*n, s.at);
        throw problem(s.at, "the operand is a number: write the result");
    }
    const op_row* const row = row_of_operator(s.text, 1);
    if (row == nullptr) throw problem(s.operator_at, "there is no prefix '" + s.text + "' of arrays");
    return pointing_to(s.operator_at, [&] { return applied(*row, {in}); });
}

argument read_call(const syntax& s, const operand_table& operands) {
    const syntax& callee = s.parts[0];
    if (callee.what != syntax::kind::name || operands.contains(callee.text)) {
        const argument in = read(callee, operands);
        const node_ref* const n = std::get_if<node_ref>(&in);
        if (n == nullptr) throw problem(callee.at, "a number has no elements to index");
        return pointing_to(s.at, [&] { return index_of(*n, s); });
    }
    const auto found = functions().find(callee.text);
    if (found == functions().end() && is_unread(callee.text))
        throw problem(callee.at, callee.text + " is not read here: in a program, print explain(e)");
    if (found == functions().end()) {
        std::vector<std::string> names;
        for (const auto& [name, f] : functions()) names.push_back(name);
        for (const auto& [name, o] : operands) names.push_back(name);
        throw problem(callee.at,
                      fmt::format("there is no function '{}'{}", callee.text, nearest_name(callee.text, names)));
    }
    return pointing_to(callee.at, [&] { return found->second(call(s, operands)); });
}

}  // namespace

std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names) {
    if (wrong.size() > 60) return "";
    // Levenshtein distance, row by row
    const auto distance = [&](const std::string& name) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < wrong.size(); ++i) {
            std::size_t corner = std::exchange(row[0], i + 1);
            for (std::size_t j = 0; j < name.size(); ++j) {
                const std::size_t changed = corner + (wrong[i] != name[j] ? 1 : 0);
                corner = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
            }
        }
        return row.back();
    };
    std::string best;
    std::size_t least = wrong.size() / 3 + 1;
    for (const std::string& name : names)
        if (const std::size_t d = distance(name); d < least + (best.empty() ? 1 : 0)) {
            least = d;
            best = name;
        }
    return best.empty() ? "" : "; did you mean '" + best + "'?";
}

bool read_number(const syntax& s, number& into) {
    if (s.what == syntax::kind::prefix && s.text == "-") {
        if (!read_number(s.parts[0], into)) return false;
        into = negated(into, s.at);
        return true;
    }
    if (s.what == syntax::kind::name && (s.text == "true" || s.text == "false")) {
        into = {dtype::bool_, s.text == "true", 0};
        return true;
    }
    if (s.what == syntax::kind::name && (s.text == "INFINITY" || s.text == "NAN")) {
        const double real = s.text == "NAN" ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
        into = {dtype::float32, 0, real};
        return true;
    }
    if (s.what != syntax::kind::number) return false;
    const char* const first = s.text.data();
    const char* const last = first + s.text.size();
    std::int64_t integer = 0;
    const auto whole = std::from_chars(first, last, integer);
    const std::string suffix(whole.ptr, last);
    if (whole.ec == std::errc() && (suffix.empty() || suffix == "_c" || suffix == "L" || suffix == "LL")) {
        const bool wide = suffix[0] == 'L' || integer > std::numeric_limits<std::int32_t>::max();
        into = {wide ? dtype::int64 : dtype::int32, integer, 0};
        return true;
    }
    if (whole.ec == std::errc::result_out_of_range && s.text.find_first_not_of("0123456789_cL") == std::string::npos)
        throw problem(s.at, "this is more than a long long holds");
    double real = 0;
    const auto part = std::from_chars(first, last, real);
    const std::string rest(part.ptr, last);
    if (part.ec != std::errc() || !(rest.empty() || rest == "f" || rest == "F"))
        throw problem(s.at, "'" + s.text + "' is not a number: write 2, 0.5, 1e-3 or 0.5f");
    const bool single = !rest.empty();
    into = {single ? dtype::float32 : dtype::float64, 0, single ? rounded_to_float(real) : real};
    return true;
}

std::int64_t read_integer(const syntax& s) {
    number n;
    if (!read_number(s, n) || is_floating(n.type)) throw problem(s.at, "expected an integer");
    return n.integer;
}

argument read(const syntax& s, const operand_table& operands) {
    number n;
    switch (s.what) {
        case syntax::kind::infix: return read_infix(s, operands);
        case syntax::kind::prefix: return read_prefix(s, operands);
        case syntax::kind::call: return read_call(s, operands);
        case syntax::kind::braces:
            throw problem(s.at, "a list is not an operand; reshape, permute and axis= take lists");
        case syntax::kind::lambda: throw problem(s.at, "a function is not an operand; let and map_slices take one");
        case syntax::kind::string: throw problem(s.at, "a string is not an operand; custom takes one");
        case syntax::kind::member:
            throw problem(s.at,
                          "there is no such member: random_key(1).split(2) is the only one that expressions have");
        case syntax::kind::number: read_number(s, n); return n;
        case syntax::kind::name: break;
    }
    if (const auto found = operands.find(s.text); found != operands.end()) return found->second;
    if (read_number(s, n)) return n;
    if (functions().contains(s.text)) throw problem(s.at, "'" + s.text + "' is a function: call it, " + s.text + "(x)");
    std::vector<std::string> names;
    for (const auto& [name, o] : operands) names.push_back(name);
    throw problem(s.at, fmt::format("there is no operand '{}'{}: give each as NAME:DTYPE[EXTENTS], {}:f32[1000,1000]",
                                    s.text, nearest_name(s.text, names), s.text));
}

std::vector<node_ref> read_expression(const std::string& text, const operand_table& given) {
    const program_syntax program = parse_program(text);
    operand_table operands = given;
    for (const named_syntax& part : program.names) {
        if (functions().contains(part.name)) throw problem(part.at, "'" + part.name + "' is a function's name");
        if (!operands.emplace(part.name, read(part.value, operands)).second)
            throw problem(part.at, "'" + part.name + "' is the name of an earlier value");
    }
    const syntax& whole = program.result;
    const std::string called =
        whole.what == syntax::kind::call && !operands.contains(whole.parts[0].text) ? whole.parts[0].text : "";
    if (called == "value_and_grad" || (called == "grad" && whole.parts.size() > 3))
        return pointing_to(whole.parts[0].at, [&] { return gradients_of(call(whole, operands)); });
    const bool several = called == "pack";
    std::vector<node_ref> roots;
    const auto add = [&](const syntax& s) {
        const argument a = read(s, operands);
        if (!std::holds_alternative<node_ref>(a))
            throw problem(s.at, "this is a number: there is no kernel to explain");
        roots.push_back(std::get<node_ref>(a));
    };
    if (!several) add(whole);
    for (std::size_t i = 1; several && i < whole.parts.size(); ++i) add(whole.parts[i]);
    if (roots.empty() || roots.size() > static_cast<std::size_t>(ir::max_roots))
        throw problem(whole.at, fmt::format("pack takes 1 to {} expressions", ir::max_roots));
    return roots;
}

std::pair<std::string, argument> read_operand(const std::string& text, std::uintptr_t where) {
    const auto wrong = [&](const std::string& why) {
        return problem({0, text.size()}, why + ": an operand is NAME:DTYPE[EXTENTS], such as x:f32[1000,100]");
    };
    const std::size_t colon = text.find(':'), bracket = text.find('[');
    const std::string name = text.substr(0, colon);
    if (colon == std::string::npos || name.empty() || name.find_first_of("[ ,(") != std::string::npos)
        throw wrong("no name and dtype");
    if (functions().contains(name)) throw wrong("'" + name + "' is a function's name");
    const std::string type_name = text.substr(colon + 1, bracket == std::string::npos ? bracket : bracket - colon - 1);
    const auto type = dtype_named(type_name);
    if (!type)
        throw wrong("'" + type_name +
                    "' is not a dtype (e4m3 e5m2 f16 bf16 f32 f64 c64 c128 bool i8 to i64 u8 to u64)");
    if (bracket == std::string::npos) {
        if (is_complex(*type) || is_storage_only(*type) ||
            (is_integer(*type) && *type != dtype::int32 && *type != dtype::int64))
            throw wrong("a C++ number is a bool, i32, i64, f32 or f64; other dtypes have brackets, of rank 0 \"[]\"");
        return {name, number{*type, 1, 1}};
    }
    extents shape{};
    int rank = 0;
    const char* at = text.data() + bracket + 1;
    const char* const end = text.data() + text.size();
    while (at < end && *at != ']') {
        if (rank == ir::max_rank) throw wrong("an array has at most 8 axes");
        const auto [after, bad] = std::from_chars(at, end, shape[static_cast<std::size_t>(rank++)]);
        if (bad != std::errc() || shape[static_cast<std::size_t>(rank - 1)] < 0 || after == end ||
            (*after != ',' && *after != ']'))
            throw wrong("extents are whole numbers with commas between them");
        at = *after == ',' ? after + 1 : after;
    }
    if (at + 1 != end) throw wrong("the extents end with ]");
    if (detail::product_of(shape.data(), rank, static_cast<std::int64_t>(size_of(*type))) < 0)
        throw wrong("an array of these extents has more than 2^63 - 1 bytes");
    return {name, leaf_of(imagined(*type, rank, shape, where))};
}

}  // namespace sinter::spoken
