// Builds expressions of device programs.
#include <codegen/device/builder.hpp>

namespace sinter::codegen::device_ir {
namespace {

/// The common type of index arithmetic, as in C++: the wider one; of equal width, the unsigned one.
dtype common(dtype a, dtype b) {
    const auto rank = [](dtype t) { return 2 * size_of(t) + (kind_of(t) == dtype_kind::unsigned_integer ? 1 : 0); };
    if (a == dtype::bool_) a = dtype::int32;
    if (b == dtype::bool_) b = dtype::int32;
    return rank(a) >= rank(b) ? a : b;
}

bool is_condition(arithmetic_kind how) { return how >= arithmetic_kind::less && how <= arithmetic_kind::both; }

}  // namespace

scalar builder::make(expression e) {
    made.expressions.push_back(std::move(e));
    return {this, static_cast<id>(made.expressions.size()) - 1};
}

scalar builder::index(expression_kind kind, dtype type) {
    expression e;
    e.kind = kind;
    e.type = type;
    e.is_index = true;
    return make(e);
}

scalar builder::integer(std::int64_t value, dtype type) {
    expression e;
    e.kind = expression_kind::integer;
    e.type = type;
    e.is_index = true;
    e.value = static_cast<std::uint64_t>(value);
    return make(e);
}

scalar builder::literal(dtype type, std::uint64_t bits, std::uint64_t more) {
    expression e;
    e.kind = expression_kind::literal;
    e.type = type;
    e.value = bits;
    e.more = more;
    return make(e);
}

scalar builder::identity(const op_row& reduction, dtype type) {
    expression e;
    e.kind = expression_kind::identity;
    e.type = type;
    e.op = &reduction;
    return make(e);
}

scalar builder::arithmetic(arithmetic_kind how, const scalar& a, const scalar& b) {
    expression e;
    e.kind = expression_kind::arithmetic;
    e.how = how;
    e.is_index = true;
    e.type = is_condition(how) ? dtype::bool_ : common((*this)[a].type, (*this)[b].type);
    e.in = {a.at, b.at, none};
    return make(e);
}

scalar builder::negation(const scalar& condition) {
    expression e;
    e.kind = expression_kind::arithmetic;
    e.how = arithmetic_kind::negation;
    e.is_index = true;
    e.type = dtype::bool_;
    e.in[0] = condition.at;
    return make(e);
}

scalar builder::shift_right(const scalar& x, int bits) {
    return arithmetic(arithmetic_kind::shift_right, x, integer(bits));
}

scalar builder::select(const scalar& condition, const scalar& yes, const scalar& no) {
    expression e;
    e.kind = expression_kind::arithmetic;
    e.how = arithmetic_kind::select;
    e.is_index = (*this)[yes].is_index;
    e.type = e.is_index ? common((*this)[yes].type, (*this)[no].type) : (*this)[yes].type;
    e.in = {condition.at, yes.at, no.at};
    return make(e);
}

scalar builder::quotient(const scalar& position, const scalar& multiplier, const scalar& shift) {
    expression e;
    e.kind = expression_kind::quotient;
    e.type = (*this)[multiplier].type;
    e.is_index = true;
    e.in = {position.at, multiplier.at, shift.at};
    return make(e);
}

scalar builder::operation(const op_row& op, dtype type, dtype computes, const std::array<scalar, 3>& operands) {
    expression e;
    e.kind = expression_kind::operation;
    e.op = &op;
    e.type = type;
    e.computes = computes;
    for (std::size_t i = 0; i < 3; ++i) e.in[i] = operands[i].at;
    return make(e);
}

scalar builder::cast(dtype type, const scalar& x) {
    expression e;
    e.kind = expression_kind::cast;
    e.type = type;
    e.in[0] = x.at;
    return make(e);
}

scalar builder::index_cast(dtype type, const scalar& x) {
    const scalar made_cast = cast(type, x);
    made.expressions.back().is_index = true;
    return made_cast;
}

scalar builder::call(id function, const std::vector<scalar>& arguments) {
    expression e;
    e.kind = expression_kind::call;
    e.type = at_function(function).type;
    e.of = function;
    for (const scalar& a : arguments) e.arguments.push_back(a.at);
    return make(e);
}

scalar builder::exchange(exchange_pattern pattern, const scalar& x, const scalar& lane, int width) {
    expression e;
    e.kind = expression_kind::exchange;
    e.type = (*this)[x].type;
    e.pattern = pattern;
    e.in = {x.at, lane.at, none};
    e.width = width;
    return make(e);
}

scalar builder::peer(const scalar& element, const scalar& block) {
    expression e;
    e.kind = expression_kind::peer;
    e.type = (*this)[element].type;
    e.in = {block.at, element.at, none};
    return make(e);
}

scalar builder::element(id array, const std::vector<scalar>& indices) {
    const device_ir::array& a = at_array(array);
    expression e;
    e.kind = expression_kind::element;
    e.type = a.type;
    e.of = array;
    e.count = indices.size() == a.extents.size() ? a.packed : 1;
    for (const scalar& i : indices) e.indices.push_back(i.at);
    return make(e);
}

scalar builder::neighbours(id array, const std::vector<scalar>& indices, int count) {
    const scalar first = element(array, indices);
    made.expressions.back().count = count;
    return first;
}

scalar builder::memory(id array, std::vector<term> terms, std::int64_t shift, int count, cache_hint hint) {
    expression e;
    e.kind = expression_kind::element;
    e.type = at_array(array).type;
    e.of = array;
    e.terms = std::move(terms);
    e.shift = shift;
    e.count = count;
    e.hint = hint;
    return make(e);
}

scalar operator+(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::add, a, b); }
scalar operator-(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::subtract, a, b); }
scalar operator*(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::multiply, a, b); }
scalar operator/(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::divide, a, b); }
scalar operator%(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::remainder, a, b); }
scalar operator<(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::less, a, b); }
scalar operator<=(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::less_equal, a, b); }
scalar operator>=(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::greater_equal, a, b); }
scalar operator==(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::equal, a, b); }
scalar operator&&(const scalar& a, const scalar& b) { return a.of->arithmetic(arithmetic_kind::both, a, b); }

}  // namespace sinter::codegen::device_ir
