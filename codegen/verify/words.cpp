// Prints infix text with all parentheses, for error messages only.
#include <codegen/verify/words.hpp>

#include <sinter/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sinter::codegen::device_ir {
namespace {

bool has(std::size_t size, id of) { return of >= 0 && static_cast<std::size_t>(of) < size; }

std::string variable_name(const program& p, id v) {
    return has(p.variables.size(), v) ? p.variable_at(v).name : "no variable";
}

std::string array_name(const program& p, id a) { return has(p.arrays.size(), a) ? p.array_at(a).name : "no array"; }

const char* sign_of(arithmetic_kind how) {
    constexpr const char* signs[] = {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "and", "?", "not", ">>"};
    return signs[static_cast<int>(how)];
}

std::vector<std::string> all_words(const program& p, const std::vector<id>& expressions) {
    std::vector<std::string> all;
    for (id e : expressions) all.push_back(words(p, e));
    return all;
}

std::string element_words(const program& p, const expression& e) {
    std::vector<std::string> at = all_words(p, e.indices);
    for (const term& t : e.terms)
        at.push_back(t.stride == none ? words(p, t.index)
                                      : fmt::format("{} * {}", words(p, t.index), words(p, t.stride)));
    if (e.shift != 0) at.push_back(std::to_string(e.shift));
    const std::string count = e.count > 1 ? fmt::format("{} neighbours of ", e.count) : "";
    return fmt::format("{}{} at ({})", count, array_name(p, e.of), fmt::join(at, ", "));
}

std::string infix(const program& p, const expression& e) {
    if (e.how == arithmetic_kind::select)
        return fmt::format("({} ? {} : {})", words(p, e.in[0]), words(p, e.in[1]), words(p, e.in[2]));
    if (e.how == arithmetic_kind::negation) return fmt::format("not {}", words(p, e.in[0]));
    return fmt::format("({} {} {})", words(p, e.in[0]), sign_of(e.how), words(p, e.in[1]));
}

const char* scope_name(barrier_scope scope) {
    switch (scope) {
        case barrier_scope::block: return "block";
        case barrier_scope::threads: return "first threads";
        case barrier_scope::cluster: return "cluster";
        case barrier_scope::blocks: return "blocks";
    }
    return "nothing";
}

}  // namespace

std::string words(const program& p, id at) {
    if (!has(p.expressions.size(), at)) return "nothing";
    const expression& e = p.at(at);
    switch (e.kind) {
        case expression_kind::integer: return std::to_string(static_cast<std::int64_t>(e.value));
        case expression_kind::literal: return fmt::format("a {}", name(e.type));
        case expression_kind::identity: return "an identity";
        case expression_kind::variable: return variable_name(p, e.of);
        case expression_kind::thread: return "thread";
        case expression_kind::block: return "block";
        case expression_kind::grid: return "blocks";
        case expression_kind::arithmetic: return infix(p, e);
        case expression_kind::quotient:
            return fmt::format("quotient({}, {}, {})", words(p, e.in[0]), words(p, e.in[1]), words(p, e.in[2]));
        case expression_kind::operation: return fmt::format("{}(...)", e.op == nullptr ? "no operation" : e.op->name);
        case expression_kind::cast: return fmt::format("{}({})", name(e.type), words(p, e.in[0]));
        case expression_kind::element: return element_words(p, e);
        case expression_kind::peer: return fmt::format("{} of block {}", words(p, e.in[1]), words(p, e.in[0]));
        case expression_kind::call:
            return fmt::format("{}({})", has(p.functions.size(), e.of) ? p.function_at(e.of).name : "no function",
                               fmt::join(all_words(p, e.arguments), ", "));
        case expression_kind::exchange: return fmt::format("{} of lane {}", words(p, e.in[0]), words(p, e.in[1]));
    }
    return "nothing";
}

std::string words(const program& p, const statement& s) {
    switch (s.kind) {
        case statement_kind::comment:
        case statement_kind::blank: return "a comment";
        case statement_kind::let: return fmt::format("let {} = {}", variable_name(p, s.of), words(p, s.value));
        case statement_kind::declare: return fmt::format("declare {}", array_name(p, s.of));
        case statement_kind::view: return fmt::format("view {} from {}", array_name(p, s.of), words(p, s.target));
        case statement_kind::carve: return fmt::format("carve {} of {}", array_name(p, s.of), array_name(p, s.target));
        case statement_kind::assign: return fmt::format("{} = {}", words(p, s.target), words(p, s.value));
        case statement_kind::call: return words(p, s.value);
        case statement_kind::branch: return fmt::format("branch on {}", words(p, s.value));
        case statement_kind::loop:
            return fmt::format("loop of {} from {} while {}", variable_name(p, s.of), words(p, s.value),
                               words(p, s.limit));
        case statement_kind::scope: return "a scope";
        case statement_kind::barrier: return fmt::format("barrier of the {}", scope_name(s.scope));
        case statement_kind::fence: return "fence";
        case statement_kind::leave: return fmt::format("leave where {}", words(p, s.value));
        case statement_kind::ticket: return fmt::format("ticket {}", variable_name(p, s.of));
        case statement_kind::opaque: return fmt::format("opaque {}", variable_name(p, s.of));
        case statement_kind::publish: return fmt::format("publish at {}", words(p, s.target));
        case statement_kind::await: return fmt::format("await at {}", words(p, s.target));
        case statement_kind::multiply_accumulate:
            return fmt::format("{} += {} * transpose({})", words(p, s.target), words(p, s.value), words(p, s.limit));
        case statement_kind::widen:
            return fmt::format("{} = floats of {}{}", words(p, s.target), words(p, s.value),
                               s.limit == none ? "" : " times " + words(p, s.limit));
        case statement_kind::realign:
            return fmt::format("{} = neighbours from number {} on of {} and the next", words(p, s.target),
                               words(p, s.limit), words(p, s.value));
        case statement_kind::load_matrix:
            return fmt::format("load matrix {} from {}", words(p, s.target), words(p, s.value));
        case statement_kind::async_copy:
            return fmt::format("copy {} to {} where {}", words(p, s.value), words(p, s.target), words(p, s.limit));
        case statement_kind::commit_copies: return "commit copies";
        case statement_kind::fence_shared: return "fence of shared memory";
        case statement_kind::set_registers: return fmt::format("set registers to {}", s.count);
        case statement_kind::init_barriers: return fmt::format("init barriers from {} on", words(p, s.target));
        case statement_kind::arrive: return fmt::format("arrive at {}", words(p, s.target));
        case statement_kind::wait_phase: return fmt::format("wait for a phase of {}", words(p, s.target));
        case statement_kind::tensor_map: return fmt::format("map boxes from {} on", words(p, s.value));
        case statement_kind::copy_box: return fmt::format("copy box {} to {}", words(p, s.value), words(p, s.target));
        case statement_kind::begin_products: return "begin products";
        case statement_kind::multiply_warpgroup:
            return fmt::format("{} and the next {} += {} * transpose({})", words(p, s.target), s.count - 1,
                               words(p, s.value), words(p, s.limit));
        case statement_kind::commit_products: return "commit products";
        case statement_kind::wait_products: return fmt::format("wait for products of {}", words(p, s.target));
        case statement_kind::wait_copies: return fmt::format("wait for all but {} groups of copies", s.count);
    }
    return "a statement";
}

void refuse(const program& p, const statement& s, const std::string& what) {
    throw error(fmt::format("internal error, please report it: the device program's '{}': {}", words(p, s), what));
}

}  // namespace sinter::codegen::device_ir
