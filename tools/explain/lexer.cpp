// Tokenizes names, C++ numbers, strings, and operators (longest match).
#include <tools/explain/lexer.hpp>

#include <array>
#include <cctype>
#include <string_view>

namespace sinter::spoken {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }

/// The end of the number that begins at `at`: digits, point, exponent, and a suffix such as f, L or _c.
std::size_t end_of_number(const std::string& text, std::size_t at) {
    while (at < text.size()) {
        const bool sign_of_exponent =
            (text[at] == '+' || text[at] == '-') && (text[at - 1] == 'e' || text[at - 1] == 'E');
        if (!in_name(text[at]) && text[at] != '.' && !sign_of_exponent) break;
        ++at;
    }
    return at;
}

std::size_t length_of_symbol(const std::string& text, std::size_t at) {
    using namespace std::string_view_literals;
    constexpr std::array two = {"<<"sv, ">>"sv, "<="sv, ">="sv, "=="sv, "!="sv, "&&"sv, "||"sv, "::"sv};
    constexpr std::string_view one = "+-*/%<>=!&|^~()[]{},.;";
    for (const std::string_view symbol : two)
        if (std::string_view(text).substr(at, 2) == symbol) return 2;
    return one.find(text[at]) != std::string_view::npos ? 1 : 0;
}

}  // namespace

std::vector<word> words_of(const std::string& text) {
    std::vector<word> all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        word w;
        if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
            ++at;
            continue;
        }
        if (starts_name(text[at])) {
            w.kind = word_kind::name;
            while (at < text.size() && in_name(text[at])) ++at;
        } else if (is_digit(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
            w.kind = word_kind::number;
            at = end_of_number(text, at + 1);
        } else if (text[at] == '"') {
            w.kind = word_kind::string;
            at = text.find('"', at + 1);
            if (at == std::string::npos) throw problem({begin, text.size()}, "this string has no second '\"'");
            ++at;
        } else if (const std::size_t length = length_of_symbol(text, at); length > 0) {
            w.kind = word_kind::symbol;
            at += length;
        } else {
            throw problem({at, at + 1}, std::string("an expression contains no '") + text[at] + "'");
        }
        w.text = text.substr(begin, at - begin);
        if (w.kind == word_kind::string) w.text = w.text.substr(1, w.text.size() - 2);
        w.at = {begin, at};
        all.push_back(w);
    }
    all.push_back({word_kind::end, "the end", {text.size(), text.size()}});
    return all;
}

}  // namespace sinter::spoken
