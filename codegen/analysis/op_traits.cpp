// Costs of bodies, from what their text does.
#include <codegen/analysis/op_traits.hpp>

#include <codegen/analysis/body_text.hpp>
#include <codegen/analysis/device_snippets.hpp>
#include <codegen/support/thread_cached.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sinter::codegen {
namespace {

/// Steps of statements that are as long in the machine code as a function is.
constexpr int steps_of_function = 20;

/// Whether a function of the C library is one instruction.
bool is_instruction(std::string_view function) {
#define SINTER_INSTRUCTION(name) \
    if (function == #name) return true;
#include <sinter/op/instructions.def>
    return false;
}

/// Whether a function's results hardly differ where its operands do by less than float32's least normal number.
bool is_continuous(std::string_view function) {
#define SINTER_CONTINUOUS(name) \
    if (function == #name) return true;
#include <sinter/op/continuous.def>
    return false;
}

/// The row of a function in include/sinter/op/function_costs.def, or none.
struct function_row {
    std::string_view name;
    int float_instructions, float_special, double_instructions, doubles;
};
const function_row* find_function(std::string_view function) {
    static constexpr function_row rows[] = {
#define SINTER_FUNCTION(name, all, special, of_double, doubles) {#name, all, special, of_double, doubles},
#include <sinter/op/function_costs.def>
    };
    const auto* found =
        std::find_if(std::begin(rows), std::end(rows), [&](const function_row& r) { return r.name == function; });
    return found == std::end(rows) ? nullptr : found;
}

/// The body of a function of include/sinter/number, as compiled for GPUs without an instruction for it; empty if there
/// is no such function.
std::string_view statements_of(std::string_view function) {
    std::string_view piece = piece_named(function);
    piece = piece.substr(0, piece.find("\n#"));
    const std::size_t brace = piece.find('{');
    return brace == piece.npos ? std::string_view() : piece.substr(brace);
}

/// Adds those of a function that a body calls: of its row, of its own statements, or of one of middle cost.
void add_instructions(op_traits& found, const body_call& call, const op_traits& inner, bool is_unknown) {
    constexpr function_row middle{"", 12, 1, 30, 12};
    const function_row* row = find_function(call.name);
    if (row == nullptr && is_unknown) row = &middle;
    found.operators += call.times * (row == nullptr ? inner.operators : 0);
    found.integer_instructions += call.times * (row == nullptr ? inner.integer_instructions : 1);
    found.float_instructions += call.times * (row == nullptr ? inner.float_instructions : row->float_instructions);
    found.float_special += call.times * (row == nullptr ? inner.float_special : row->float_special);
    found.double_instructions += call.times * (row == nullptr ? inner.double_instructions : row->double_instructions);
    found.doubles += call.times * (row == nullptr ? inner.doubles : row->doubles);
}

op_traits read(std::string_view text) {
    const body_counts counts = read_body(text);
    op_traits found;
    found.divisions = counts.divisions;
    found.steps = counts.operators;
    found.operators = counts.written;
    found.tells_subnormals_apart = counts.comparisons > 0 || text == "x / y" || text == "T(1) / x";
    found.is_product = text == "x * y" || text == "x * x";
    found.is_sum = text == "x + y" || text == "x - y";
    found.shared = counts.shared;
    found.neighbours = counts.neighbours;
    found.calls = (counts.operators - counts.shared + counts.shared / counts.neighbours) / steps_of_function;
    for (const body_call& call : counts.calls) {
        if (call.name.starts_with("rarely_")) continue;  // a slow path
        if (is_instruction(call.name)) {
            found.tells_subnormals_apart = found.tells_subnormals_apart || !is_continuous(call.name);
            found.steps += call.times;
            found.operators += call.times;
            continue;
        }
        const std::string_view statements = call.of_type ? statements_of(call.name) : std::string_view();
        if (!call.of_type) ++found.calls;
        const op_traits inner = statements.empty() ? op_traits() : read(statements);
        if (!is_continuous(call.name) && (statements.empty() || inner.tells_subnormals_apart))
            found.tells_subnormals_apart = true;
        add_instructions(found, call, inner, statements.empty());
        if (statements.empty()) {
            found.functions += call.times;
            continue;
        }
        found.functions += call.times * inner.functions;
        found.divisions += call.times * inner.divisions;
        found.steps += call.times * (inner.functions + inner.divisions + inner.steps == 0 ? 1 : inner.steps);
    }
    return found;
}

/// Finds a string by its text, without another string.
struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Whether a value is computed of indices and of what is the same everywhere.
bool is_of_index(const loop_nest& k, int v) {
    enum class origin : std::uint8_t { other, same, index };
    std::vector<origin> of(static_cast<std::size_t>(v) + 1, origin::other);
    for (std::size_t i = 0; i < of.size(); ++i) {
        const value& self = k.values[i];
        if (self.what == value_kind::index) of[i] = origin::index;
        if (self.what == value_kind::scalar || self.what == value_kind::constant) of[i] = origin::same;
        if (self.what != value_kind::cast && self.what != value_kind::elementwise) continue;
        of[i] = origin::same;
        for (const int in : self.in) {
            if (in < 0 || of[i] == origin::other) continue;
            const origin one = of[static_cast<std::size_t>(in)];
            if (one != origin::same) of[i] = one;
        }
    }
    return of.back() == origin::index;
}

}  // namespace

// Keyed by body rather than by row: an unloaded library may leave its row's address to another row.
op_traits traits_of(const op_row& row) {
    thread_cached<std::unordered_map<std::string, op_traits, text_hash, std::equal_to<>>> read_before;
    const std::string_view body = row.body;
    const auto known = read_before->find(body);  // plans ask this for every value of every kernel
    return known != read_before->end() ? known->second : read_before->emplace(body, read(body)).first->second;
}

machine_instructions instructions_of(const op_row& row, dtype computes, arithmetic precision) {
    const op_traits t = traits_of(row);
    const double shared = t.shared - static_cast<double>(t.shared) / t.neighbours;
    const double own = t.operators - shared;
    const dtype real = real_of(computes);
    // a product of complex numbers takes four, a sum two
    const double parts = is_complex(computes) ? 3 : 1;
    if (real == dtype::float64)
        return {parts * (own + t.double_instructions + 17 * t.divisions), parts * t.divisions,
                parts * (own + t.doubles + 7 * t.divisions)};
    if (is_integer(real) || real == dtype::bool_) {  // whose rows call functions for floating numbers alone
        const bool wide = size_of(real) == 8;
        const double divisions = t.divisions + t.functions > 0 ? 1 : 0;
        const bool has_statements = t.steps > 0;  // which use types of their own
        return {(own + t.integer_instructions) * (wide && !has_statements ? 2 : 1) + divisions * (wide ? 30 : 23),
                3 * divisions, 0};
    }
    const double calls = precision == arithmetic::exact ? 1 : rounds_to_halves(precision) ? 0.6 : 0.3;
    const double division = precision == arithmetic::exact ? 12 : rounds_to_halves(precision) ? 4 : 2;
    return {parts * (own + calls * t.float_instructions + division * t.divisions),
            parts * (t.float_special + t.divisions), 0};
}

machine_instructions instructions_of_cast(dtype from, dtype to) {
    const dtype a = real_of(from), b = real_of(to);
    if (a == b) return {};
    const bool doubles = a == dtype::float64 || b == dtype::float64;
    const bool from_integer = is_integer(a) || a == dtype::bool_, to_integer = is_integer(b) || b == dtype::bool_;
    if (from_integer && to_integer) return {1, 0, 0};
    const bool from_word = a == dtype::int32 || a == dtype::uint32 || a == dtype::uint8;
    const bool special = doubles || to_integer || (from_integer && !from_word);
    const bool packs = size_of(a) < 4 || size_of(b) < 4;
    return {packs && (from_integer || to_integer) ? 2.0 : 1.0, special ? 1.0 : 0.0, 0};
}

double steps_of(const loop_nest& k, const value& v) {
    const op_traits t = traits_of(*v.op);
    if (t.neighbours == 1 || !is_of_index(k, v.in[0])) return t.steps;
    return t.steps - t.shared + static_cast<double>(t.shared) / t.neighbours;
}

bool has_doubles(const loop_nest& k, const value& v) {
    if (real_of(v.type) == dtype::float64) return true;
    return std::any_of(v.in.begin(), v.in.end(), [&](int in) {
        return in >= 0 && real_of(k.values[static_cast<std::size_t>(in)].type) == dtype::float64;
    });
}

}  // namespace sinter::codegen
