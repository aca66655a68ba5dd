// The verifier of device programs: what lowering makes is accepted, and what a small change makes wrong is refused with
// a message that says so.
#include <codegen/device/verify.hpp>
#include <codegen/lower/lower.hpp>
#include <sinter/error.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen {
namespace {

using namespace device;
using ::testing::HasSubstr;

kernel_class class_chosen(const kernel& k) {
    return class_of(k, choose_schedule(k, machine{}, std::vector<int>(8, 16)));
}

program lowered(const kernel& k) { return lower::lower(class_chosen(k)); }

/// What the verifier says of a program; "" where it is right.
std::string fault_of(const program& p) {
    try {
        verify(p);
        return "";
    } catch (const error& e) {
        return e.what();
    }
}

void visit(std::vector<statement>& all, const std::function<void(statement&)>& use) {
    for (statement& s : all) {
        use(s);
        visit(s.body, use);
        visit(s.otherwise, use);
    }
}

/// The n-th statement of a kind, the outer ones first.
statement& nth(program& p, statement_kind kind, int n = 0) {
    statement* found = nullptr;
    visit(p.body, [&](statement& s) {
        if (s.kind == kind && n-- == 0) found = &s;
    });
    if (found == nullptr) throw std::out_of_range("no such statement");
    return *found;
}

expression& at(program& p, id e) { return p.expressions[static_cast<std::size_t>(e)]; }

/// The expression of a kind that a program has first.
id first(const program& p, expression_kind kind) {
    for (id e = 0; e < static_cast<id>(p.expressions.size()); ++e)
        if (p.at(e).kind == kind) return e;
    throw std::out_of_range("no such expression");
}

id add(program& p, const expression& e) {
    p.expressions.push_back(e);
    return static_cast<id>(p.expressions.size()) - 1;
}

id integer(program& p, std::int64_t value) {
    expression e;
    e.kind = expression_kind::integer;
    e.type = dtype::int32;
    e.is_index = true;
    e.value = static_cast<std::uint64_t>(value);
    return add(p, e);
}

id arithmetic_of(program& p, arithmetic_kind how, id a, id b, dtype type) {
    expression e;
    e.kind = expression_kind::arithmetic;
    e.how = how;
    e.type = type;
    e.is_index = true;
    e.in = {a, b, none};
    return add(p, e);
}

id thread_is_first(program& p) {
    expression e;
    e.kind = expression_kind::thread;
    e.type = dtype::uint32;
    e.is_index = true;
    const id thread = add(p, e);
    return arithmetic_of(p, arithmetic_kind::equal, thread, integer(p, 0), dtype::bool_);
}

program exponentials() { return lowered(testing::exp_of(1 << 25)); }
program transposition() { return lowered(testing::plus_transposed(8192, 8192)); }

TEST(Verify, LoweredProgramsAreAccepted) {
    for (const testing::sample& s : testing::samples())
        if (s.small.loops.empty()) {
            EXPECT_EQ(fault_of(lowered(s.small)), "") << s.name;
        }
}

// ---- types and scopes ----

TEST(Verify, AnOperandOfAnotherDtypeIsRefused) {
    program p = exponentials();
    at(p, at(p, first(p, expression_kind::operation)).in[0]).type = dtype::float64;
    EXPECT_THAT(fault_of(p), HasSubstr("another dtype"));
}

TEST(Verify, AnOperandThatStandsBehindItsUserIsRefused) {
    program p = exponentials();
    const id sum = first(p, expression_kind::arithmetic);
    at(p, sum).in[0] = sum;
    EXPECT_THAT(fault_of(p), HasSubstr("does not stand before it"));
}

TEST(Verify, AnAssignmentOfAnotherDtypeOrCountIsRefused) {
    program p = transposition();
    p.arrays[static_cast<std::size_t>(p.at(nth(p, statement_kind::assign).target).of)].type = dtype::float64;
    for (expression& e : p.expressions)
        if (e.kind == expression_kind::element) e.type = p.arrays[static_cast<std::size_t>(e.of)].type;
    EXPECT_THAT(fault_of(p), HasSubstr("the two sides have different dtypes"));

    p = transposition();
    at(p, nth(p, statement_kind::assign).value).count = 2;
    EXPECT_THAT(fault_of(p), HasSubstr("the two sides have different counts of elements"));
}

TEST(Verify, WhatIsNotInScopeIsRefused) {
    program p = exponentials();
    nth(p, statement_kind::branch).otherwise = nth(p, statement_kind::branch).body;
    EXPECT_THAT(fault_of(p), HasSubstr("it is declared twice"));

    p = exponentials();
    const statement inside = nth(p, statement_kind::branch).body.back();
    p.body.push_back(inside);
    nth(p, statement_kind::branch).body.pop_back();
    EXPECT_THAT(fault_of(p), HasSubstr("is not in scope"));
}

TEST(Verify, ConstantsAndOperandsAreNotAssigned) {
    program p = exponentials();
    statement& s = nth(p, statement_kind::branch).body.back();
    statement again;
    again.kind = statement_kind::assign;
    again.value = integer(p, 0);
    expression first_element;
    first_element.kind = expression_kind::variable;
    first_element.type = dtype::int32;
    first_element.is_index = true;
    first_element.of = nth(p, statement_kind::let).of;
    again.target = add(p, first_element);
    s = again;
    EXPECT_THAT(fault_of(p), HasSubstr("it changes a constant"));

    p = exponentials();
    for (array& a : p.arrays) a.read_only = true;
    EXPECT_THAT(fault_of(p), HasSubstr("it stores to what is only read"));
}

TEST(Verify, CallsHaveTheirParameters) {
    program p = exponentials();
    at(p, first(p, expression_kind::call)).arguments.clear();
    EXPECT_THAT(fault_of(p), HasSubstr("wrong number of arguments"));

    p = exponentials();
    p.functions[0].parameters[0].how = function_parameter::passed::pointer;
    p.functions[0].parameters[0].of = 0;
    EXPECT_THAT(fault_of(p), HasSubstr("a pointer to"));
}

TEST(Verify, NeighboursLieAlongTheLastTerm) {
    program p = transposition();
    expression& load = at(p, nth(p, statement_kind::assign).value);
    std::swap(load.terms.front(), load.terms.back());
    EXPECT_THAT(fault_of(p), HasSubstr("its elements are no neighbours"));
}

// ---- what is read ----

TEST(Verify, RegistersAreWrittenBeforeTheyAreRead) {
    program p = exponentials();
    std::vector<statement>& body = nth(p, statement_kind::branch).body;
    const auto load =
        std::find_if(body.begin(), body.end(), [](const statement& s) { return s.kind == statement_kind::assign; });
    ASSERT_NE(load, body.end());
    body.erase(load);
    EXPECT_THAT(fault_of(p), HasSubstr("is read before it is written"));
}

// ---- uniform control flow ----

TEST(Verify, ABarrierInABranchOnTheThreadIsRefused) {
    program p = transposition();
    const id condition = thread_is_first(p);
    statement& barrier = nth(p, statement_kind::barrier);
    statement branch;
    branch.kind = statement_kind::branch;
    branch.value = condition;
    branch.body = {barrier};
    barrier = branch;
    EXPECT_THAT(fault_of(p), HasSubstr("a barrier to which not all threads of the block come"));
}

TEST(Verify, ABarrierBehindTheEndOfSomeThreadsIsRefused) {
    program p = transposition();
    statement leave;
    leave.kind = statement_kind::leave;
    leave.value = thread_is_first(p);
    p.body.insert(p.body.begin(), leave);
    EXPECT_THAT(fault_of(p), HasSubstr("a barrier to which not all threads of the block come"));
}

/// A kernel's program that exchanges a value in a branch on thread / divisor == 0.
program exchange_by_groups(int divisor, int width) {
    program p = exponentials();
    expression thread;
    thread.kind = expression_kind::thread;
    thread.type = dtype::uint32;
    thread.is_index = true;
    const id number = add(p, thread);
    const id group = arithmetic_of(p, arithmetic_kind::divide, number, integer(p, divisor), dtype::uint32);
    expression exchange;
    exchange.kind = expression_kind::exchange;
    exchange.type = dtype::uint32;
    exchange.in = {number, integer(p, 1), none};
    exchange.width = width;
    statement let;
    let.kind = statement_kind::let;
    let.value = add(p, exchange);
    p.variables.push_back({"exchanged", dtype::uint32, true, true});
    let.of = static_cast<id>(p.variables.size()) - 1;
    statement branch;
    branch.kind = statement_kind::branch;
    branch.value = arithmetic_of(p, arithmetic_kind::equal, group, integer(p, 0), dtype::bool_);
    branch.body = {let};
    p.body.push_back(branch);
    return p;
}

TEST(Verify, AnExchangeNeedsTheLanesOfItsWidth) {
    EXPECT_EQ(fault_of(exchange_by_groups(32, 32)), "");
    EXPECT_EQ(fault_of(exchange_by_groups(8, 8)), "");
    EXPECT_THAT(fault_of(exchange_by_groups(8, 16)), HasSubstr("an exchange to which not all lanes come"));
    EXPECT_THAT(fault_of(exchange_by_groups(24, 32)), HasSubstr("an exchange to which not all lanes come"));
}

}  // namespace
}  // namespace sinter::codegen
