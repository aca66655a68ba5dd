// From an expression's text to its nodes.
#pragma once

#include <tools/explain/node.hpp>
#include <tools/explain/parser.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>

namespace sinter::spoken {

/// The operands by name: arrays, and C++ numbers, whose values do not matter.
using operand_table = std::map<std::string, argument>;

/// An operand as the command line gives it: "x:f32[1000,100]"; "s:f64" is a C++ number. Throws problem.
std::pair<std::string, argument> read_operand(const std::string& text, std::uintptr_t place);

/// The results of an expression: one, or as many as pack(...) has. Throws problem.
std::vector<node_ref> read_expression(const std::string& text, const operand_table& operands);

/// A function's call, as those who carry it out see it. All that it asks for and does not find is a problem.
class call {
public:
    call(const syntax& text, const operand_table& operands)
        : text_(text), operands_(operands), known_(text.parts.size()) {}

    /// The first thing to say: how many arguments, and which options. `usage` is what the message shows.
    void takes(std::size_t least, std::size_t most, std::initializer_list<const char*> options,
               const char* usage) const;

    std::size_t count() const { return text_.parts.size() - 1; }
    const std::string& name() const { return text_.parts[0].text; }
    /// The type in angle brackets; `otherwise` where there is none.
    dtype type(dtype otherwise) const;
    /// What stands there, be it a type or a string.
    const std::string& type_text() const { return text_.type; }

    /// The text of an argument, to whoever has no other use for it.
    const syntax& written(std::size_t i) const { return text_.parts.at(i + 1); }
    const std::string& string(std::size_t i) const;
    /// What the function that is an argument gives of these operands.
    node_ref result_of(std::size_t i, const std::vector<node_ref>& operands) const;
    argument value(std::size_t i) const;
    std::vector<argument> values() const;
    node_ref array(std::size_t i) const;
    number a_number(std::size_t i) const;
    double real(std::size_t i, double otherwise) const;
    std::int64_t integer(std::size_t i) const;
    std::int64_t integer(std::size_t i, std::int64_t otherwise) const;
    /// A list in braces.
    std::vector<std::int64_t> integers(std::size_t i) const;
    /// A list of pairs.
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs(std::size_t i) const;

    bool has(const char* option) const { return find(option) != nullptr; }
    const syntax* option(const char* name) const;
    double real_option(const char* name, double otherwise) const;
    number number_option(const char* name) const;
    node_ref array_option(const char* name) const;
    /// axis=, for an operand of rank `rank`: all axes where it is not given.
    std::uint32_t axes(int rank) const;
    /// axis=, which must name one axis.
    int axis(int rank) const;

private:
    const syntax::option* find(const char* option) const;
    std::vector<std::int64_t> list(const syntax& s) const;

    const syntax& text_;
    const operand_table& operands_;
    mutable std::vector<std::optional<argument>> known_;  ///< arguments that were asked for: each is read once
};

using function = std::function<node_ref(const call&)>;
using function_table = std::map<std::string, function>;

// What there is to call. Who adds a name first, defines it.
void add_elementwise_composites(function_table& all);
void add_reducing_composites(function_table& all);
void add_norms(function_table& all);
void add_views(function_table& all);
void add_generators(function_table& all);
void add_products(function_table& all);
void add_writing(function_table& all);
void add_bodies(function_table& all);
void add_derivatives(function_table& all);
void add_rows(function_table& all);
const function_table& functions();

/// The results of value_and_grad(loss, x), and of grad(loss, x) by several.
std::vector<node_ref> gradients_of(const call& c);

/// x(all, range(1, -1), newaxis, 3)
node_ref index_of(const node_ref& operand, const syntax& call);

argument read(const syntax& s, const operand_table& operands);
/// The name among those given that is nearest to one that is not there: "; did you mean 'sqrt'?", or "".
std::string nearest_name(const std::string& wrong, const std::vector<std::string>& names);
/// A number as C++ spells it. None where the syntax is none.
bool read_number(const syntax& s, number& into);
std::int64_t read_integer(const syntax& s);

}  // namespace sinter::spoken
