// Recursive descent; infix operators by precedence climbing.
#include <tools/explain/lexer.hpp>
#include <tools/explain/parser.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace sinter::spoken {
namespace {

/// C++'s operator precedences, https://eel.is/c++draft/expr.compound. The operators are left-associative.
int precedence_of(const word& w) {
    struct level {
        const char* symbol;
        int precedence;
    };
    constexpr std::array levels = {
        level{"||", 1}, level{"&&", 2}, level{"|", 3},  level{"^", 4},  level{"&", 5},  level{"==", 6},
        level{"!=", 6}, level{"<", 7},  level{"<=", 7}, level{">", 7},  level{">=", 7}, level{"<<", 8},
        level{">>", 8}, level{"+", 9},  level{"-", 9},  level{"*", 10}, level{"/", 10}, level{"%", 10},
    };
    if (w.kind != word_kind::symbol) return 0;
    const auto found = std::find_if(levels.begin(), levels.end(), [&](const level& l) { return w.text == l.symbol; });
    return found == levels.end() ? 0 : found->precedence;
}

/// Functions with a type or a string in angle brackets; after other names `<` compares.
bool takes_type(const std::string& name) {
    static const std::set<std::string> names = {"astype",   "arange", "linspace",   "logspace", "geomspace",
                                                "eye",      "tri",    "uniform",    "normal",   "integers",
                                                "bit_cast", "einsum", "map_slices", "custom",   "custom_reduce"};
    return names.contains(name);
}

/// Options without a value.
bool is_flag(const std::string& name) { return name == "keepdims" || name == "exclusive" || name == "reverse"; }

constexpr int deepest = 200;         // maximum nesting of parentheses and prefixes, which recurse
constexpr int longest_chain = 1100;  // of consecutive operators and calls: more than an expression has nodes

[[noreturn]] void too_deep(place at) { throw problem(at, "this is nested too deeply"); }

class parser {
public:
    explicit parser(const std::string& text) : words_(words_of(text)) {}

    syntax whole() {
        syntax s = right_side();
        if (next().kind != word_kind::end) fail("an operator or the end");
        return s;
    }

    program_syntax program() {
        program_syntax p;
        while (next().text == "auto") {
            take();
            if (next().kind != word_kind::name) fail("a name after 'auto'");
            const word name = take();
            expect("=", "after the name");
            p.names.push_back({name.text, name.at, infix(1)});
            expect(";", "after the value");
        }
        if (next().text == "return") take();
        p.result = right_side();
        if (is(";")) take();
        if (next().kind != word_kind::end) fail("an operator or the end");
        return p;
    }

private:
    syntax right_side() {
        if (next().kind == word_kind::end) fail("an expression");
        syntax s = infix(1);
        const bool has_name = s.what == syntax::kind::name || s.what == syntax::kind::call;
        if (has_name && is("=")) {
            take();
            s = infix(1);
        }
        return s;
    }

    const word& next(std::size_t ahead = 0) const { return words_[std::min(at_ + ahead, words_.size() - 1)]; }
    bool is(const char* symbol, std::size_t ahead = 0) const {
        return next(ahead).kind == word_kind::symbol && next(ahead).text == symbol;
    }
    word take() { return words_[at_++]; }
    [[noreturn]] void fail(const std::string& expected) const {
        const word& w = next();
        const std::string found = w.kind == word_kind::end ? w.text : "'" + w.text + "'";
        throw problem(w.at, "expected " + expected + ", found " + found);
    }
    word expect(const char* symbol, const char* after) {
        if (!is(symbol)) fail(std::string("'") + symbol + "' " + after);
        return take();
    }

    syntax infix(int lowest) {
        syntax left = prefix();
        for (int precedence; (precedence = precedence_of(next())) >= lowest;) {
            const word symbol = take();
            syntax right = infix(precedence + 1);
            const place all{left.at.begin, right.at.end};
            syntax both{syntax::kind::infix, symbol.text, all, symbol.at, {}, {}, {}, {}};
            both.add(std::move(left));
            both.add(std::move(right));
            left = std::move(both);
        }
        return left;
    }

    syntax prefix() {
        if (++depth_ > deepest) too_deep(next().at);
        syntax s = is("-") || is("!") || is("~") || is("+") ? prefixed() : postfix();
        --depth_;
        return s;
    }

    syntax prefixed() {
        const word symbol = take();
        syntax operand = prefix();
        const place all{symbol.at.begin, operand.at.end};
        syntax s{syntax::kind::prefix, symbol.text, all, symbol.at, {}, {}, {}, {}};
        s.add(std::move(operand));
        return s;
    }

    syntax postfix() {
        syntax s = primary();
        std::string type = s.what == syntax::kind::name && takes_type(s.text) && is("<") ? type_argument() : "";
        while (is("(") || is(".")) {
            s = is(".") ? member(std::move(s)) : call(std::move(s), std::move(type));
            type.clear();
        }
        return s;
    }

    syntax member(syntax object) {
        take();
        if (next().kind != word_kind::name) fail("a name after '.'");
        const word name = take();
        if (!is("(")) fail("'(' after '" + name.text + "'");
        syntax s = call(std::move(object), "");
        s.what = syntax::kind::member;
        s.text = name.text;
        return s;
    }

    std::string type_argument() {
        expect("<", "");
        std::string type;
        while (next().kind == word_kind::name || next().kind == word_kind::string || is("::")) type += take().text;
        expect(">", "after the type");
        if (!is("(")) fail("'(' after the type");
        return type;
    }

    syntax primary() {
        const word_kind kind = next().kind;
        if (kind == word_kind::name || kind == word_kind::number || kind == word_kind::string) {
            const word w = take();
            const auto what = kind == word_kind::name     ? syntax::kind::name
                              : kind == word_kind::number ? syntax::kind::number
                                                          : syntax::kind::string;
            return {what, w.text, w.at, w.at, {}, {}, {}, {}};
        }
        if (is("{")) return braces();
        if (is("[")) return lambda();
        if (!is("(")) fail("an operand");
        const word open = take();
        syntax inside = infix(1);
        inside.at = {open.at.begin, expect(")", "to close this").at.end};
        return inside;
    }

    syntax braces() {
        const word open = take();
        syntax list{syntax::kind::braces, "{", open.at, open.at, {}, {}, {}, {}};
        while (!is("}")) {
            list.add(infix(1));
            if (!is(",")) break;
            take();
        }
        list.at.end = expect("}", "or ',' in the list").at.end;
        return list;
    }

    /// [](const auto& x, auto y) { return x + y; }
    syntax lambda() {
        syntax s{syntax::kind::lambda, "[", take().at, {}, {}, {}, {}, {}};
        if (is("&") || is("=")) take();
        expect("]", "after '['");
        expect("(", "and the operands of the function");
        while (true) {
            std::string name;  // the last word; those before it are the type
            while (next().kind == word_kind::name || is("&") || is("&&")) name = take().text;
            if (name.empty() || name[0] == '&' || name == "auto") fail("the name of an operand, as in auto x");
            s.names.push_back(std::move(name));
            if (!is(",")) break;
            take();
        }
        expect(")", "after the operands of the function");
        expect("{", "and what the function gives");
        if (next().text != "return") fail("'return'");
        take();
        s.add(infix(1));
        expect(";", "after what the function gives");
        s.at.end = expect("}", "after the function").at.end;
        return s;
    }

    syntax call(syntax callee, std::string type) {
        syntax s{syntax::kind::call, "(", callee.at, take().at, {}, {}, std::move(type), {}};
        s.add(std::move(callee));
        while (!is(")")) {
            if (next().kind == word_kind::name && is("=", 1))
                s.add(option());
            else if (next().kind == word_kind::name && is_flag(next().text) && (is(",", 1) || is(")", 1)))
                s.add(flag());
            else
                s.add(infix(1));
            if (!is(",")) break;
            take();
            if (is(")")) fail("an argument");
        }
        s.at.end = expect(")", "or ',' after the argument").at.end;
        return s;
    }

    syntax::option option() {
        const word name = take();
        take();
        syntax value = infix(1);
        syntax::option o{name.text, {name.at.begin, value.at.end}, {}};
        o.value.push_back(std::move(value));
        return o;
    }
    syntax::option flag() {
        const word name = take();
        return {name.text, name.at, {}};
    }

    std::vector<word> words_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

void syntax::add(syntax part) {
    depth = std::max(depth, part.depth + 1);
    if (depth > longest_chain) too_deep(part.at);
    parts.push_back(std::move(part));
}

void syntax::add(option o) {
    for (const syntax& value : o.value) depth = std::max(depth, value.depth + 1);
    if (depth > longest_chain) too_deep(o.at);
    options.push_back(std::move(o));
}

syntax parse(const std::string& text) { return parser(text).whole(); }

program_syntax parse_program(const std::string& text) { return parser(text).program(); }

}  // namespace sinter::spoken
