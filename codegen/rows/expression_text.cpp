// Checks the characters of an expression and the nesting of its brackets.
#include <codegen/rows/expression_text.hpp>

#include <codegen/support/printable.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>

#include <string_view>

namespace sinter::codegen {

namespace {

/// Tokens that no expression needs, longer ones first, so that a message names the whole token.
struct refused_sign {
    std::string_view sign, what;
};
constexpr refused_sign refused_signs[] = {{"//", "a comment"},
                                          {"/*", "a comment"},
                                          {"*/", "a comment"},
                                          {"??", "a trigraph"},
                                          {"<%", "a digraph"},
                                          {"%>", "a digraph"},
                                          {"<:", "a digraph"},
                                          {":>", "a digraph"},
                                          {"%:", "a digraph"},
                                          {"\\", "a line splice"},
                                          {"#", "a directive"},
                                          {";", ""},
                                          {"{", ""},
                                          {"}", ""},
                                          {"\"", "a literal"},
                                          {"'", "a literal"},
                                          {"`", ""},
                                          {"@", ""},
                                          {"$", ""}};

bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n'; }

/// What is wrong with the characters; empty if nothing is.
std::string refused_sign_of(const std::string& text) {
    for (const char c : text)
        if (!is_plain(c)) return fmt::format("leave out the character 0x{:02x}", static_cast<unsigned char>(c));
    for (const auto& [sign, what] : refused_signs)
        if (text.find(sign) != std::string::npos)
            return fmt::format("leave out {}{}", sign, what.empty() ? "" : fmt::format(", {}", what));
    return {};
}

/// What is wrong with the brackets, or with commas outside of them.
std::string nesting_of(const std::string& text) {
    std::string open;
    for (const char c : text) {
        if (c == '(' || c == '[') open += c == '(' ? ')' : ']';
        if (c == ')' || c == ']') {
            if (open.empty() || open.back() != c) return fmt::format("{} closes a bracket that is not open", c);
            open.pop_back();
        }
        if (c == ',' && open.empty()) return "put an expression with a comma into parentheses";
    }
    return open.empty() ? "" : fmt::format("a {} is missing", open.back());
}

}  // namespace

void require_expression(const char* function, const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos)
        throw error(fmt::format("{}: the text is empty; give an expression such as \"x * x\"", function));
    std::string wrong = refused_sign_of(text);
    if (wrong.empty()) wrong = nesting_of(text);
    if (!wrong.empty())
        throw error(fmt::format("{}: \"{}\" is not one expression: {}", function, printable(text, 80), wrong));
}

}  // namespace sinter::codegen
