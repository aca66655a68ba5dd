// Expressions and statements of device programs.
#include <codegen/device/builder.hpp>

#include <algorithm>

namespace sinter::codegen::device {
namespace {

/// The type of index arithmetic of two types, as in C++: the wider one, of equal width the unsigned one.
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

scalar builder::integer(std::int64_t value) {
    expression e;
    e.kind = expression_kind::integer;
    e.type = dtype::int32;
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
    const device::array& a = at_array(array);
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

id builder::add(array a) {
    made.arrays.push_back(std::move(a));
    return static_cast<id>(made.arrays.size()) - 1;
}

id builder::add(variable v) {
    made.variables.push_back(std::move(v));
    return static_cast<id>(made.variables.size()) - 1;
}

id builder::add(function f) {
    made.functions.push_back(std::move(f));
    return static_cast<id>(made.functions.size()) - 1;
}

scalar builder::parameter(std::string name, dtype type, bool is_index) {
    expression e;
    e.kind = expression_kind::variable;
    e.type = type;
    e.is_index = is_index;
    e.of = add(variable{std::move(name), type, is_index, true});
    return make(e);
}

id builder::begin_function(std::string name, std::string comment) {
    function f;
    f.name = std::move(name);
    f.comment = std::move(comment);
    made.functions.push_back(std::move(f));
    return function_ = static_cast<id>(made.functions.size()) - 1;
}

void builder::end_function(const scalar& value) {
    if (value) {
        at_function(function_).has_value = true;
        at_function(function_).type = (*this)[value].type;
        at_function(function_).value = value.at;
    }
    function_ = none;
}

std::vector<statement>& builder::here() {
    if (!open_.empty()) return open_.back().in_otherwise ? open_.back().outer.otherwise : open_.back().outer.body;
    return function_ != none ? at_function(function_).body : made.body;
}

statement& builder::append(statement_kind kind) {
    statement& s = here().emplace_back();
    s.kind = kind;
    return s;
}

void builder::comment(std::string text) { append(statement_kind::comment).text = std::move(text); }

scalar builder::declare_variable(variable v, const scalar& value, std::string note) {
    expression e;
    e.kind = expression_kind::variable;
    e.type = v.type;
    e.is_index = v.is_index;
    e.of = add(std::move(v));
    statement& s = append(statement_kind::let);
    s.of = e.of;
    s.value = value.at;
    s.text = std::move(note);
    return make(e);
}

scalar builder::let(std::string name, dtype type, const scalar& value, std::string note) {
    return declare_variable({std::move(name), type, false, true}, value, std::move(note));
}
scalar builder::let_index(std::string name, dtype type, const scalar& value, std::string note) {
    return declare_variable({std::move(name), type, true, true}, value, std::move(note));
}
scalar builder::variable_of(std::string name, dtype type, const scalar& value) {
    return declare_variable({std::move(name), type, false, false}, value, "");
}
scalar builder::index_variable(std::string name, dtype type, const scalar& value, std::string note) {
    return declare_variable({std::move(name), type, true, false}, value, std::move(note));
}

id builder::declare(array a, bool cleared) {
    const id of = add(std::move(a));
    statement& s = append(statement_kind::declare);
    s.of = of;
    s.cleared = cleared;
    return of;
}

id builder::view(std::string name, const scalar& element) {
    array part = at_array((*this)[element].of);
    part.name = std::move(name);
    const id of = add(std::move(part));
    statement& s = append(statement_kind::view);
    s.of = of;
    s.target = element.at;
    return of;
}

id builder::carve(std::string name, dtype type, id bytes, const scalar& first_byte, const scalar& offset) {
    const id of = add(array{std::move(name), space::global, type, {}, 1, 0, false});
    statement& s = append(statement_kind::carve);
    s.of = of;
    s.target = bytes;
    s.value = first_byte.at;
    s.limit = offset.at;
    return of;
}

void builder::assign(const scalar& target, const scalar& value, std::string note) {
    statement& s = append(statement_kind::assign);
    s.target = target.at;
    s.value = value.at;
    s.text = std::move(note);
}

void builder::call_statement(id function, const std::vector<scalar>& arguments) {
    const scalar called = call(function, arguments);
    append(statement_kind::call).value = called.at;
}

void builder::barrier(barrier_scope scope, std::string note) {
    statement& s = append(statement_kind::barrier);
    s.scope = scope;
    s.text = std::move(note);
}

void builder::barrier_of_blocks(const scalar& counter, const scalar& part, const scalar& parts) {
    statement& s = append(statement_kind::barrier);
    s.scope = barrier_scope::blocks;
    s.target = counter.at;
    s.value = part.at;
    s.limit = parts.at;
}

void builder::fence(std::string note) { append(statement_kind::fence).text = std::move(note); }

void builder::leave_if(const scalar& condition) { append(statement_kind::leave).value = condition.at; }

void builder::opaque(const scalar& variable, std::string note) {
    statement& s = append(statement_kind::opaque);
    s.of = (*this)[variable].of;
    s.text = std::move(note);
}

void builder::open_branch(const scalar& condition) {
    statement s;
    s.kind = statement_kind::branch;
    s.value = condition.at;
    open_.push_back({std::move(s), false});
}

void builder::otherwise() { open_.back().in_otherwise = true; }

scalar builder::open_loop(std::string name, dtype type, const scalar& first, const scalar& limit, const scalar& step,
                          int unroll) {
    expression counter;
    counter.kind = expression_kind::variable;
    counter.type = type;
    counter.is_index = true;
    counter.of = add(variable{std::move(name), type, true, false});
    const scalar made_counter = make(counter);
    statement s;
    s.kind = statement_kind::loop;
    s.of = counter.of;
    s.value = first.at;
    s.limit = (made_counter < limit).at;
    s.step = step.at;
    s.unroll = unroll;
    open_.push_back({std::move(s), false});
    return made_counter;
}

scalar builder::open_halving(std::string name, int first, int unroll) {
    const scalar counter = open_loop(std::move(name), dtype::int32, integer(first), integer(0), integer(1), unroll);
    statement& s = open_.back().outer;
    s.limit = arithmetic(arithmetic_kind::greater, counter, integer(0)).at;
    s.step = none;
    s.factor = 2;
    return counter;
}

void builder::open_scope() {
    statement s;
    s.kind = statement_kind::scope;
    open_.push_back({std::move(s), false});
}

void builder::close() {
    statement done = std::move(open_.back().outer);
    open_.pop_back();
    here().push_back(std::move(done));
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

}  // namespace sinter::codegen::device
