// The structure of an expression's text, by C++'s grammar.
#pragma once

#include <tools/explain/problem.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sinter::spoken {

/// A piece of syntax and the pieces it is made of.
struct syntax {
    enum class kind : unsigned char {
        name,    ///< `text`
        number,  ///< `text`
        prefix,  ///< the operator `text` before parts[0]
        infix,   ///< the operator `text` between parts[0] and parts[1]
        call,    ///< parts[0], called with the other parts and the options
        member,  ///< the function `text` of the object parts[0], called with the other parts
        lambda,  ///< parts[0], a function of the names in `names`
        string,  ///< `text`
        braces   ///< a list in braces
    };
    struct option;

    kind what{};
    std::string text;
    place at;           ///< all of it
    place operator_at;  ///< prefix, infix: the operator
    std::vector<syntax> parts;
    std::vector<option> options;
    std::string type;  ///< a call's template argument: int of astype<int>(x), ij,jk->ik of einsum<"ij,jk->ik">(x, y)
    std::vector<std::string> names;  ///< lambda
    int depth = 1;                   ///< of parts within parts

    // Make a piece one of the parts, or an option. They throw problem where pieces are nested more deeply than
    // recursive functions can follow: all that read or destroy syntax are.
    void add(syntax part);
    void add(option o);
};

/// A named argument: axis=1; keepdims has no value.
struct syntax::option {
    std::string name;
    place at;
    std::vector<syntax> value;  ///< one or none
};

/// The expression; of an assignment, such as tie(m, v) = pack(mean(x), var(x)), what stands on the right. Throws
/// problem, which says what was expected.
syntax parse(const std::string& text);

}  // namespace sinter::spoken
