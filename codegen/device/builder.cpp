// Builds declarations and statements of device programs.
#include <codegen/device/builder.hpp>

#include <utility>

namespace sinter::codegen::device_ir {

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
    open_.swap(open_outside_);
    return function_ = static_cast<id>(made.functions.size()) - 1;
}

void builder::end_function(const scalar& value) {
    if (value) {
        at_function(function_).has_value = true;
        at_function(function_).type = (*this)[value].type;
        at_function(function_).value = value.at;
    }
    function_ = none;
    open_.swap(open_outside_);
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

id builder::carve(array part, id bytes, const scalar& first_byte, const scalar& offset) {
    const id of = add(std::move(part));
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

void builder::barrier_of_threads(int count, std::string note) {
    statement& s = append(statement_kind::barrier);
    s.scope = barrier_scope::threads;
    s.count = count;
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

scalar builder::ticket(std::string name, const scalar& counter, const scalar& value) {
    const variable drawn{std::move(name), (*this)[counter].type, true, true};
    statement& s = append(statement_kind::ticket);
    s.target = counter.at;
    s.value = value.at;
    expression e;
    e.kind = expression_kind::variable;
    e.type = drawn.type;
    e.is_index = true;
    e.of = s.of = add(drawn);
    return make(e);
}

void builder::realign(const scalar& target, const scalar& window, const scalar& first) {
    statement& s = append(statement_kind::realign);
    s.target = target.at;
    s.value = window.at;
    s.limit = first.at;
}

void builder::widen(const scalar& target, const scalar& value, const scalar& factor) {
    statement& s = append(statement_kind::widen);
    s.target = target.at;
    s.value = value.at;
    s.limit = factor.at;
}

void builder::add_atomically(const scalar& counter, const scalar& value) {
    statement& s = append(statement_kind::ticket);
    s.target = counter.at;
    s.value = value.at;
}

void builder::publish(const scalar& place, const scalar& launch, const scalar& value) {
    statement& s = append(statement_kind::publish);
    s.target = place.at;
    s.limit = launch.at;
    s.value = value.at;
}

void builder::await(const scalar& first, const scalar& distance, const scalar& launch, int count, const scalar& into) {
    statement& s = append(statement_kind::await);
    s.target = first.at;
    s.step = distance.at;
    s.limit = launch.at;
    s.count = count;
    s.value = into.at;
}

void builder::multiply_accumulate(const scalar& sum, const scalar& left, const scalar& right) {
    statement& s = append(statement_kind::multiply_accumulate);
    s.target = sum.at;
    s.value = left.at;
    s.limit = right.at;
}

void builder::load_matrix(const scalar& fragment, const scalar& row, bool transposed) {
    statement& s = append(statement_kind::load_matrix);
    s.target = fragment.at;
    s.value = row.at;
    s.transposed = transposed;
}

void builder::async_copy(const scalar& to, const scalar& from, const scalar& where) {
    statement& s = append(statement_kind::async_copy);
    s.target = to.at;
    s.value = from.at;
    s.limit = where.at;
}

void builder::init_barriers(const scalar& first, int arrivals) {
    statement& s = append(statement_kind::init_barriers);
    s.target = first.at;
    s.count = arrivals;
}

void builder::arrive(const scalar& barrier, int expected_bytes) {
    statement& s = append(statement_kind::arrive);
    s.target = barrier.at;
    s.count = expected_bytes;
}

void builder::wait_phase(const scalar& barrier, const scalar& parity) {
    statement& s = append(statement_kind::wait_phase);
    s.target = barrier.at;
    s.value = parity.at;
}

namespace {

std::vector<term> terms_of(const std::vector<scalar>& indices) {
    std::vector<term> all;
    for (const scalar& index : indices) all.push_back({-1, index.at, none});
    return all;
}

}  // namespace

void builder::tensor_map(id map, const scalar& first, const std::vector<scalar>& extents, int lines) {
    const scalar described = memory(map, terms_of(extents));
    statement& s = append(statement_kind::tensor_map);
    s.target = described.at;
    s.value = first.at;
    s.count = lines;
}

void builder::copy_box(const scalar& panel, id map, const std::vector<scalar>& first, const scalar& barrier) {
    const scalar box = memory(map, terms_of(first));
    statement& s = append(statement_kind::copy_box);
    s.target = panel.at;
    s.value = box.at;
    s.limit = barrier.at;
}

void builder::begin_products(const scalar& sums, const scalar& left) {
    statement& s = append(statement_kind::begin_products);
    s.target = sums.at;
    s.value = left.at;
}

void builder::multiply_warpgroup(const scalar& sums, int fragments, const warpgroup_factor& left,
                                 const warpgroup_factor& right, const scalar& adds) {
    statement& s = append(statement_kind::multiply_warpgroup);
    s.target = sums.at;
    s.count = fragments;
    s.value = left.first.at;
    s.transposed_left = left.transposed;
    s.limit = right.first.at;
    s.transposed = right.transposed;
    s.step = adds.at;
}

void builder::wait_products(const scalar& sums, int under_way) {
    statement& s = append(statement_kind::wait_products);
    s.target = sums.at;
    s.count = under_way;
}

void builder::open_branch(const scalar& condition) {
    statement s;
    s.kind = statement_kind::branch;
    s.value = condition.at;
    open_.push_back({std::move(s), false});
}

void builder::otherwise() { open_.back().in_otherwise = true; }

/// Opens a loop that has no limit and step yet.
scalar builder::open_counter(std::string name, dtype type, const scalar& first, int unroll) {
    expression counter;
    counter.kind = expression_kind::variable;
    counter.type = type;
    counter.is_index = true;
    counter.of = add(variable{std::move(name), type, true, false});
    statement s;
    s.kind = statement_kind::loop;
    s.of = counter.of;
    s.value = first.at;
    s.unroll = unroll;
    open_.push_back({std::move(s), false});
    return make(counter);
}

scalar builder::open_loop(std::string name, dtype type, const scalar& first, const scalar& limit, const scalar& step,
                          int unroll) {
    const scalar counter = open_counter(std::move(name), type, first, unroll);
    open_.back().outer.limit = (counter < limit).at;
    open_.back().outer.step = step.at;
    return counter;
}

void builder::limit_loop(const scalar& condition) {
    statement& s = open_.back().outer;
    s.limit = (scalar{this, s.limit} && condition).at;
}

scalar builder::open_halving(std::string name, int first, int unroll) {
    const scalar counter = open_counter(std::move(name), dtype::int32, integer(first), unroll);
    open_.back().outer.limit = arithmetic(arithmetic_kind::greater, counter, integer(0)).at;
    open_.back().outer.factor = 2;
    return counter;
}

scalar builder::open_halving_to(std::string name, int first, int last, int unroll) {
    const scalar counter = open_counter(std::move(name), dtype::int32, integer(first), unroll);
    open_.back().outer.limit = (counter >= last).at;
    open_.back().outer.factor = 2;
    return counter;
}

scalar builder::open_doubling(std::string name, int first, int limit, int unroll) {
    const scalar counter = open_counter(std::move(name), dtype::int32, integer(first), unroll);
    open_.back().outer.limit = (counter < limit).at;
    open_.back().outer.factor = -2;
    return counter;
}

scalar builder::open_down(std::string name, int first, int unroll) {
    const scalar counter = open_counter(std::move(name), dtype::int32, integer(first), unroll);
    open_.back().outer.limit = arithmetic(arithmetic_kind::greater, counter, integer(0)).at;
    open_.back().outer.step = integer(-1).at;
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

}  // namespace sinter::codegen::device_ir
