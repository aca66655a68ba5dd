// Reading bodies of ops. A call is a name before a parenthesis that names no type: whether a name of the text's own
// does is told by how C++ is written here, where types that a body may name are built in, end in _t, or begin with a
// capital.
#include <codegen/analysis/body_text.hpp>

#include <codegen/analysis/device_snippets.hpp>
#include <codegen/ir/identifier.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace sinter::codegen {
namespace {

using std::string_view;

template <std::size_t N>
bool is_one_of(string_view word, const string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(string_view token) { return in_identifier(token[0]) && !is_digit(token[0]); }

std::size_t size_of_number(string_view text) {
    std::size_t n = 1;
    while (n < text.size() && (in_identifier(text[n]) || text[n] == '.' || text[n] == '\'' ||
                               ((text[n] == '+' || text[n] == '-') && (text[n - 1] == 'e' || text[n - 1] == 'p'))))
        ++n;
    return n;
}

std::size_t size_of_quoted(string_view text) {
    std::size_t n = 1;
    while (n < text.size() && text[n] != text[0]) n += text[n] == '\\' ? 2 : 1;
    return std::min(n + 1, text.size());
}

std::size_t size_of_token(string_view text) {
    if (is_digit(text[0])) return size_of_number(text);
    if (text[0] == '"' || text[0] == '\'') return size_of_quoted(text);
    std::size_t n = 0;
    while (n < text.size() && in_identifier(text[n])) ++n;
    if (n > 0) return n;
    constexpr string_view marks[] = {"<<=", ">>=", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                     "!=",  "&&",  "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (const string_view mark : marks)
        if (text.starts_with(mark)) return mark.size();
    return 1;
}

std::vector<string_view> tokens_of(string_view text) {
    std::vector<string_view> tokens;
    while (!text.empty()) {
        if (std::isspace(static_cast<unsigned char>(text[0])) != 0) {
            text.remove_prefix(1);
            continue;
        }
        if (text.starts_with("//")) {
            text.remove_prefix(std::min(text.find('\n'), text.size()));
            continue;
        }
        tokens.push_back(text.substr(0, size_of_token(text)));
        text.remove_prefix(tokens.back().size());
    }
    return tokens;
}

/// Whether a name before a parenthesis is a type: then it converts.
bool names_type(string_view word) {
    constexpr string_view types[] = {"void",     "bool",      "char",       "short",       "int",        "long",
                                     "auto",     "float",     "double",     "signed",      "unsigned",   "float16",
                                     "bfloat16", "complex64", "complex128", "float8_e4m3", "float8_e5m2"};
    if (is_one_of(word, types) || word.ends_with("_t") || std::isupper(static_cast<unsigned char>(word[0])) != 0)
        return true;
    const string_view piece = piece_named(word);
    return piece.substr(0, piece.find('{')).find("struct ") != piece.npos;
}

/// What the compiler knows: a keyword, a cast, an instruction.
bool is_known(string_view word) {
    constexpr string_view words[] = {"if",          "for",        "while",    "switch",           "return",
                                     "case",        "else",       "do",       "default",          "catch",
                                     "constexpr",   "noexcept",   "decltype", "sizeof",           "alignof",
                                     "static_cast", "const_cast", "bit_cast", "reinterpret_cast", "memcpy",
                                     "asm",         "volatile"};
    return is_one_of(word, words) || word.starts_with("__");
}

bool is_operator(string_view token) {
    constexpr string_view marks[] = {"+",  "-",  "*",  "%",  "&",  "|",  "^",  "~",   "<<", ">>", "<",
                                     ">",  "<=", ">=", "==", "!=", "&&", "||", "?",   "!",  "++", "--",
                                     "+=", "-=", "*=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    return is_one_of(token, marks);
}

std::optional<int> literal(string_view token) {
    int n = 0;
    const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), n);
    if (fault != std::errc() || end != token.data() + token.size()) return std::nullopt;
    return n;
}

bool is_power_of_two(string_view token) {
    const std::optional<int> n = literal(token);
    return n && *n > 0 && (*n & (*n - 1)) == 0;
}

class body_reader {
public:
    explicit body_reader(string_view text) : tokens_(tokens_of(text)) {}

    body_counts read() {
        const std::optional<std::size_t> body = find_statements();
        if (!body) {
            read(0, tokens_.size(), 1);
            counts_.written = std::exchange(counts_.operators, 0);
            return std::move(counts_);
        }
        const std::size_t end = after(*body);
        std::size_t last = end;
        for (std::size_t i = *body; i < end; ++i)
            if (tokens_[i] == "return") last = i;
        read(*body, last, 1);
        counts_.neighbours = neighbours(*body, last);
        counts_.shared = counts_.neighbours > 1 ? counts_.operators : 0;
        read(last, tokens_.size(), 1);
        counts_.written = counts_.operators;
        return std::move(counts_);
    }

private:
    string_view at(std::size_t i) const { return i < tokens_.size() ? tokens_[i] : string_view(";"); }
    static bool touch(string_view a, string_view b) { return a.data() + a.size() == b.data(); }

    /// Behind the bracket that closes the one at i.
    std::size_t after(std::size_t i) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            const string_view t = tokens_[i];
            depth += t == "(" || t == "[" || t == "{" ? 1 : t == ")" || t == "]" || t == "}" ? -1 : 0;
            if (depth == 0) return i + 1;
        }
        return i;
    }

    /// The brace of a function literal. Sets its first parameter.
    std::optional<std::size_t> find_statements() {
        const auto open = static_cast<std::size_t>(std::find(tokens_.begin(), tokens_.end(), "[") - tokens_.begin());
        const std::size_t list = after(open);
        if (at(list) != "(") return std::nullopt;
        for (std::size_t i = list + 1; at(i) != "," && at(i) != ")" && i < tokens_.size(); ++i) parameter_ = tokens_[i];
        const std::size_t body = after(list);
        return at(body) == "{" ? std::optional(body) : std::nullopt;
    }

    int neighbours(std::size_t begin, std::size_t end) const {
        int most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (tokens_[i] != parameter_) continue;
            const std::optional<int> shift = at(i + 1) == ">>" ? literal(at(i + 2)) : std::nullopt;
            if (!shift || *shift < 0) return 1;
            const int same = 1 << std::min(*shift, 30);
            most = most == 0 ? same : std::min(most, same);
        }
        return std::max(most, 1);
    }

    /// Behind the template arguments that begin at i; i where there are none.
    std::size_t behind_arguments(std::size_t i) const {
        if (at(i) != "<" || !touch(tokens_[i - 1], tokens_[i])) return i;
        int depth = 0;
        for (std::size_t j = i; j < tokens_.size(); ++j) {
            const string_view t = tokens_[j];
            depth += t == "<" ? 1 : t == ">" ? -1 : 0;
            if (depth == 0) return at(j + 1) == "(" && touch(t, at(j + 1)) ? j + 1 : i;
            const bool may_be = t == "<" || t == ">" || t == "::" || t == "," || t == "*" || in_identifier(t[0]);
            if (!may_be) return i;
        }
        return i;
    }

    /// How often a loop goes round whose header is between i and its closing parenthesis, as far as literals tell:
    /// for (T n = from; n < to; ++n), or n += by, or n *= by.
    std::optional<int> trips(std::size_t i, std::size_t end) const {
        while (i < end && at(i) != "=") ++i;
        const string_view name = at(i - 1);
        const std::optional<int> from = literal(at(i + 1)), to = literal(at(i + 5));
        if (!from || !to || at(i + 2) != ";" || at(i + 3) != name || at(i + 4) != "<" || at(i + 6) != ";")
            return std::nullopt;
        if (at(i + 7) == "++" || at(i + 8) == "++") return std::max(0, *to - *from);
        const std::optional<int> by = literal(at(i + 9));
        if (at(i + 7) != name || !by) return std::nullopt;
        if (at(i + 8) == "+=" && *by > 0) return std::max(0, (*to - *from + *by - 1) / *by);
        if (at(i + 8) != "*=" || *by < 2 || *from < 1) return std::nullopt;
        int count = 0;
        for (long long n = *from; n < *to; n *= *by) ++count;
        return count;
    }

    std::size_t end_of_statement(std::size_t i) const {
        if (at(i) == "{") return after(i);
        if ((at(i) == "for" || at(i) == "if" || at(i) == "while") && at(i + 1) == "(")
            return end_of_statement(after(i + 1));
        while (i < tokens_.size() && at(i) != ";") i = at(i) == "(" || at(i) == "{" ? after(i) : i + 1;
        return i + 1;
    }

    void read(std::size_t begin, std::size_t end, int times) {
        for (std::size_t i = begin; i < end;) {
            const std::size_t header = at(i) == "for" && at(i + 1) == "(" ? after(i + 1) : i;
            const std::optional<int> count = header == i ? std::nullopt : trips(i + 2, header - 1);
            if (!count) {
                i = read_token(i, times);
                continue;
            }
            i = std::min(end_of_statement(header), end);
            read(header, i, times * *count);
        }
    }

    std::size_t read_token(std::size_t i, int times) {
        const string_view token = tokens_[i];
        const bool divides = token == "/" || token == "/=", shifts = divides && is_power_of_two(at(i + 1));
        if (divides && !shifts) counts_.divisions += times;
        if (shifts || is_operator(token)) counts_.operators += times;
        if (is_one_of(token, {"<", ">", "<=", ">=", "==", "!="})) counts_.comparisons += times;
        if (!is_word(token)) return i + 1;
        const std::size_t next = behind_arguments(i + 1);
        const bool declares =
            i > 0 && is_word(tokens_[i - 1]) && !is_one_of(tokens_[i - 1], {"return", "else", "case", "do"});
        if (at(next) == "(" && !declares && !is_known(token) && !names_type(token))
            counts_.calls.push_back({token, next != i + 1, times});
        return next;
    }

    const std::vector<string_view> tokens_;
    string_view parameter_;
    body_counts counts_;
};

}  // namespace

body_counts read_body(string_view text) { return body_reader(text).read(); }

}  // namespace sinter::codegen
