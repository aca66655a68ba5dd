// Reading bodies of ops.
#include <codegen/analysis/op_body.hpp>

#include <codegen/ir/identifier.hpp>

#include <cstddef>

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

}  // namespace

op_body read_op_body(std::string_view text) {
    op_body found;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '/') ++found.divisions;
        if (text[i] != '(') continue;
        const bool is_of_type = text.substr(0, i).ends_with(of_type);
        const std::string_view called = name_before(text, is_of_type ? i - of_type.size() : i);
        if (!calls_nothing(called)) found.calls.push_back({called, is_of_type});
    }
    return found;
}

}  // namespace sinter::codegen
