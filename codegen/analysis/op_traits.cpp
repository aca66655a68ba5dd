// Reading bodies of ops.
#include <codegen/analysis/op_traits.hpp>

#include <codegen/analysis/number_text.hpp>
#include <codegen/ir/identifier.hpp>
#include <codegen/support/thread_cached.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sinter::codegen {
namespace {

constexpr std::string_view of_type = "<T>";

/// The name that ends before position `end`.
std::string_view name_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && in_identifier(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
}

/// Words before a parenthesis that call nothing: conversions, and what the compiler knows.
bool calls_nothing(std::string_view word) {
    return word.empty() || word == "T" || word == "int" || word == "sizeof" || word == "constexpr";
}

/// The statements of a function of include/sinter/number, as they are on GPUs without an instruction for it; empty
/// where there is no such function.
std::string_view statements_of(std::string_view function) {
    std::string_view piece = piece_named(function);
    piece = piece.substr(0, piece.find("\n#"));
    const std::size_t brace = piece.find('{');
    return brace == piece.npos ? std::string_view() : piece.substr(brace);
}

op_traits read(std::string_view text) {
    op_traits found;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') ++found.divisions;
        if (text[i] != '(') continue;
        const bool is_of_type = text.substr(0, i).ends_with(of_type);
        const std::string_view called = name_before(text, is_of_type ? i - of_type.size() : i);
        if (calls_nothing(called)) continue;
        const std::string_view statements = is_of_type ? statements_of(called) : std::string_view();
        if (!is_of_type) ++found.calls;
        if (statements.empty()) {
            ++found.functions;
            continue;
        }
        const op_traits inner = read(statements);
        found.functions += inner.functions;
        found.divisions += inner.divisions;
        found.steps += inner.functions + inner.divisions + inner.steps == 0 ? 1 : inner.steps;
    }
    return found;
}

}  // namespace

// By the text rather than by the row, which an unloaded library may leave to another one.
op_traits traits_of(const op_row& row) {
    thread_cached<std::unordered_map<std::string, op_traits>> read_before;
    const auto [found, is_new] = read_before->try_emplace(row.body);
    if (is_new) found->second = read(row.body);
    return found->second;
}

}  // namespace sinter::codegen
