// Access to a call's arguments.
#include <sinter/reduce.hpp>
#include <tools/explain/dtypes.hpp>
#include <tools/explain/reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::spoken {

void call::takes(std::size_t least, std::size_t most, std::initializer_list<const char*> options,
                 const char* usage) const {
    if (count() < least || count() > most)
        throw problem(text_.at, fmt::format("{} does not take these arguments: write {}", name(), usage));
    for (const syntax::option& o : text_.options)
        if (std::none_of(options.begin(), options.end(), [&](const char* known) { return o.name == known; }))
            throw problem(o.at, fmt::format("{} takes no {}: write {}", name(), o.name, usage));
}

dtype call::type(dtype otherwise) const {
    if (text_.type.empty()) return otherwise;
    if (const auto found = dtype_named(text_.type)) return *found;
    throw problem(
        text_.at,
        fmt::format("'{}' is not an element type: use one such as float, double, int or std::int64_t", text_.type));
}

const std::string& call::string(std::size_t i) const {
    const syntax& s = written(i);
    if (s.what != syntax::kind::string) throw problem(s.at, name() + " takes a string here: \"x * x\"");
    return s.text;
}

node_ref call::result_of(std::size_t i, const std::vector<node_ref>& operands) const {
    const syntax& f = written(i);
    if (f.what != syntax::kind::lambda)
        throw problem(f.at, name() + " takes a function here: [](auto x) { return x * x; }");
    if (f.names.size() != operands.size())
        throw problem(f.at, fmt::format("{} calls this function with {} operands", name(), operands.size()));
    operand_table known = operands_;
    for (std::size_t k = 0; k < operands.size(); ++k) known[f.names[k]] = operands[k];
    const argument result = read(f.parts[0], known);
    if (const node_ref* n = std::get_if<node_ref>(&result)) return *n;
    throw problem(f.parts[0].at, "this is a number: the function must return an expression");
}

argument call::value(std::size_t i) const {
    std::optional<argument>& known = known_.at(i + 1);
    if (!known) known = read(text_.parts[i + 1], operands_);
    return *known;
}

std::vector<argument> call::values() const {
    std::vector<argument> all;
    for (std::size_t i = 0; i < count(); ++i) all.push_back(value(i));
    return all;
}

node_ref call::array(std::size_t i) const {
    const argument a = value(i);
    if (const node_ref* n = std::get_if<node_ref>(&a)) return *n;
    throw problem(text_.parts[i + 1].at, name() + " takes an array or an expression here, not a number");
}

number call::a_number(std::size_t i) const {
    number n;
    if (!read_number(text_.parts.at(i + 1), n)) throw problem(text_.parts[i + 1].at, name() + " takes a number here");
    return n;
}

double call::real(std::size_t i, double otherwise) const { return i < count() ? a_number(i).as_double() : otherwise; }

std::int64_t call::integer(std::size_t i) const { return read_integer(text_.parts.at(i + 1)); }
std::int64_t call::integer(std::size_t i, std::int64_t otherwise) const { return i < count() ? integer(i) : otherwise; }

std::vector<std::int64_t> call::list(const syntax& s) const {
    if (s.what != syntax::kind::braces) throw problem(s.at, "expected a list such as {0, 2}");
    std::vector<std::int64_t> all;
    for (const syntax& part : s.parts) all.push_back(read_integer(part));
    return all;
}

std::vector<std::int64_t> call::integers(std::size_t i) const { return list(text_.parts.at(i + 1)); }

std::vector<std::pair<std::int64_t, std::int64_t>> call::pairs(std::size_t i) const {
    const syntax& s = text_.parts.at(i + 1);
    if (s.what != syntax::kind::braces) throw problem(s.at, "expected pairs such as {{1, 1}, {0, 2}}");
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const syntax& part : s.parts) {
        const std::vector<std::int64_t> two = list(part);
        if (two.size() != 2) throw problem(part.at, "expected a pair such as {1, 1}");
        all.emplace_back(two[0], two[1]);
    }
    return all;
}

const syntax::option* call::find(const char* option) const {
    const auto found = std::find_if(text_.options.begin(), text_.options.end(),
                                    [&](const syntax::option& o) { return o.name == option; });
    return found == text_.options.end() ? nullptr : &*found;
}

const syntax* call::option(const char* name) const {
    const syntax::option* const o = find(name);
    return o == nullptr || o->value.empty() ? nullptr : o->value.data();
}

number call::number_option(const char* name) const {
    number n;
    const syntax* const s = option(name);
    if (s == nullptr || !read_number(*s, n))
        throw problem(s ? s->at : text_.at, std::string(name) + "= takes a number");
    return n;
}

double call::real_option(const char* name, double otherwise) const {
    return has(name) ? number_option(name).as_double() : otherwise;
}

node_ref call::array_option(const char* name) const {
    const syntax* const s = option(name);
    const argument a = s ? read(*s, operands_) : argument{};
    const node_ref* const n = std::get_if<node_ref>(&a);
    if (n == nullptr || !*n)
        throw problem(s ? s->at : text_.at, std::string(name) + "= takes an array or an expression");
    return *n;
}

std::vector<int> call::axes_in_order(int rank) const {
    const syntax* const s = option("axis");
    if (s == nullptr) throw problem(text_.at, "axis takes a value: axis=1, axis={0, 2}");
    const std::vector<std::int64_t> wanted =
        s->what == syntax::kind::braces ? list(*s) : std::vector<std::int64_t>{read_integer(*s)};
    std::vector<int> all;
    for (const std::int64_t a : wanted) {
        const int named = detail::axis_number(a), axis=named < 0 ? named + rank : named;
        if (named < -rank || named >= rank) detail::throw_bad_axis(name().c_str(), named, rank);
        if (std::find(all.begin(), all.end(), axis) != all.end()) detail::throw_repeated_axis(name().c_str(), named);
        all.push_back(axis);
    }
    return all;
}

std::uint32_t call::axes(int rank) const {
    if (!has("axis")) return (1u << rank) - 1;
    std::uint32_t mask = 0;
    for (const int axis : axes_in_order(rank)) mask |= 1u << axis;
    return mask;
}

int call::axis(int rank) const {
    if (!has("axis")) throw problem(text_.at, name() + " needs an axis: axis=0");
    const std::uint32_t mask = axes(rank);
    if (__builtin_popcount(mask) != 1) throw problem(option("axis")->at, name() + " works along one axis: axis=0");
    return __builtin_ctz(mask);
}

}  // namespace sinter::spoken
