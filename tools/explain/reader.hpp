// Reads an expression's text as nodes.
#pragma once

#include <tools/explain/node.hpp>
#include <tools/explain/parser.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

namespace sinter::spoken {

/// The operands by name: arrays, and C++ numbers, whose values are irrelevant.
using operand_table = std::map<std::string, argument>;

/// Parses an operand of the command line: "x:f32[1000,100]"; "s:f64" is a C++ number. Throws problem.
std::pair<std::string, argument> read_operand(const std::string& text, std::uintptr_t place);

/// The results of an expression: one, or those of pack(...). Throws problem.
std::vector<node_ref> read_expression(const std::string& text, const operand_table& operands);

/// A function call, as seen by its implementation. Missing or invalid arguments throw problem.
class call {
public:
    call(const syntax& text, const operand_table& operands)
        : text_(text), operands_(operands), known_(text.parts.size()) {}

    /// Must be called first: checks the argument count and the options. `usage` is shown in the message.
    void takes(std::size_t least, std::size_t most, std::initializer_list<const char*> options,
               const char* usage) const;

    std::size_t count() const { return text_.parts.size() - 1; }
    const std::string& name() const { return text_.parts[0].text; }
    /// The type in angle brackets, or `otherwise`.
    dtype type(dtype otherwise) const;
    /// The text in angle brackets: a type or a string.
    const std::string& type_text() const { return text_.type; }

    /// An argument's syntax, for uses other than those below.
    const syntax& written(std::size_t i) const { return text_.parts.at(i + 1); }
    const std::string& string(std::size_t i) const;
    /// Calls the function that is argument i with these operands.
    node_ref result_of(std::size_t i, const std::vector<node_ref>& operands) const;
    argument value(std::size_t i) const;
    std::vector<argument> values() const;
    node_ref array(std::size_t i) const;
    number a_number(std::size_t i) const;
    double real(std::size_t i, double otherwise) const;
    std::int64_t integer(std::size_t i) const;
    std::int64_t integer(std::size_t i, std::int64_t otherwise) const;
    /// A braced list.
    std::vector<std::int64_t> integers(std::size_t i) const;
    /// A braced list of pairs.
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs(std::size_t i) const;

    bool has(const char* option) const { return find(option) != nullptr; }
    const syntax* option(const char* name) const;
    double real_option(const char* name, double otherwise) const;
    number number_option(const char* name) const;
    node_ref array_option(const char* name) const;
    /// axis= for an operand of rank `rank`; all axes by default.
    std::uint32_t axes(int rank) const;
    /// axis= for an operand of rank `rank`, as they are written.
    std::vector<int> axes_in_order(int rank) const;
    /// axis=, which must name a single axis.
    int axis(int rank) const;

private:
    const syntax::option* find(const char* option) const;
    std::vector<std::int64_t> list(const syntax& s) const;

    const syntax& text_;
    const operand_table& operands_;
    mutable std::vector<std::optional<argument>> known_;  ///< arguments read so far; each is read once
};

using function = std::function<node_ref(const call&)>;
using function_table = std::map<std::string, function>;

// Registers functions. The first registration of a name wins.
void add_elementwise_composites(function_table& all);
void add_reducing_composites(function_table& all);
void add_norms(function_table& all);
void add_views(function_table& all);
void add_windows(function_table& all);
void add_generators(function_table& all);
void add_products(function_table& all);
void add_writing(function_table& all);
void add_bodies(function_table& all);
void add_derivatives(function_table& all);
void add_rows(function_table& all);
const function_table& functions();

/// The results of value_and_grad(loss, x), and of grad(loss, x) with several operands.
std::vector<node_ref> gradients_of(const call& c);

/// x(all, range(1, -1), newaxis, 3)
node_ref index_of(const node_ref& operand, const syntax& call);

argument read(const syntax& s, const operand_table& operands);
/// Suggests the name closest to an unknown one: "; did you mean 'sqrt'?", or "".
std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names);
/// Reads a C++ number. False if the syntax is not a number.
bool read_number(const syntax& s, number& into);
std::int64_t read_integer(const syntax& s);

}  // namespace sinter::spoken
