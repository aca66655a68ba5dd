// Costs of bodies, from what their text does.
#include <codegen/analysis/op_traits.hpp>

#include <codegen/analysis/body_text.hpp>
#include <codegen/analysis/device_snippets.hpp>
#include <codegen/support/thread_cached.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The body of a function of include/sinter/number, as compiled for GPUs without an instruction for it; empty if there
/// is no such function.
std::string_view statements_of(std::string_view function) {
    std::string_view piece = piece_named(function);
    piece = piece.substr(0, piece.find("\n#"));
    const std::size_t brace = piece.find('{');
    return brace == piece.npos ? std::string_view() : piece.substr(brace);
}

op_traits read(std::string_view text) {
    const body_counts counts = read_body(text);
    op_traits found;
    found.divisions = counts.divisions;
    found.steps = counts.operators;
    found.shared = counts.shared;
    found.neighbours = counts.neighbours;
    found.calls = (counts.operators - counts.shared + counts.shared / counts.neighbours) / steps_of_function;
    for (const body_call& call : counts.calls) {
        if (call.name.starts_with("rarely_")) continue;  // a slow path
        if (is_instruction(call.name)) {
            found.steps += call.times;
            continue;
        }
        const std::string_view statements = call.of_type ? statements_of(call.name) : std::string_view();
        if (!call.of_type) ++found.calls;
        if (statements.empty()) {
            found.functions += call.times;
            continue;
        }
        const op_traits inner = read(statements);
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
