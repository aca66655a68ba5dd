// The syntax tree of an expression, by C++'s grammar.
#pragma once

#include <tools/explain/problem.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sinter::spoken {

/// A syntax node and its parts.
struct syntax {
    enum class kind : unsigned char {
        name,    ///< `text`
        number,  ///< `text`
        prefix,  ///< the operator `text` before parts[0]
        infix,   ///< the operator `text` between parts[0] and parts[1]
        call,    ///< parts[0] called with the other parts and the options
        member,  ///< member function `text` of the object parts[0], called with the other parts
        lambda,  ///< a lambda with parameters `names` and body parts[0]
        string,  ///< `text`
        braces   ///< a braced list
    };
    struct option;

    kind what{};
    std::string text;
    place at;           ///< the whole node
    place operator_at;  ///< prefix, infix: the operator
    std::vector<syntax> parts;
    std::vector<option> options;
    std::string type;  ///< a call's template argument: int of astype<int>(x), ij,jk->ik of einsum<"ij,jk->ik">(x, y)
    std::vector<std::string> names;  ///< lambda
    int depth = 1;                   ///< nesting depth

    // Append a part or an option. They throw problem if nodes are nested too deeply for recursive functions, which all
    // readers and the destructor are.
    void add(syntax part);
    void add(option o);
};

/// A named argument: axis=1; keepdims has no value.
struct syntax::option {
    std::string name;
    place at;
    std::vector<syntax> value;  ///< zero or one element
};

/// Parses an expression, or of an assignment such as tie(m, v) = pack(mean(x), var(x)) the right side. Throws problem,
/// which says what was expected.
syntax parse(const std::string& text);

/// `auto name = value;` before an expression.
struct named_syntax {
    std::string name;
    place at;  ///< the name
    syntax value;
};

struct program_syntax {
    std::vector<named_syntax> names;
    syntax result;
};

/// Parses an expression that may have names for its parts before it: auto d = x - mean(x); return d * d;
/// `return` and the last semicolon may be left out. Throws problem.
program_syntax parse_program(const std::string& text);

}  // namespace sinter::spoken
