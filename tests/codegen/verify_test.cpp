// The verifier of device programs: what lowering makes is accepted, and what a small change makes wrong is refused with
// a message that says so.
#include <codegen/lower/workspace.hpp>
#include <tests/codegen/device_programs.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::codegen {
namespace {

using namespace testing;
using ::testing::HasSubstr;

TEST(Verify, LoweredProgramsAreAccepted) {
    for (const testing::sample& s : testing::samples()) {
        const kernel_class c = class_chosen(s.small);
        const lowered_kernel k = lowered(c);
        EXPECT_EQ(fault_of(k), "") << s.name;
        // what blocks leave for each other is in a workspace, which has no axes; tensor maps there are read by boxes
        for (const std::string& one : verify(k, k.promises))
            EXPECT_THAT(one, HasSubstr("that no axis describes")) << s.name;
        EXPECT_EQ(unproved_of(k).empty(), workspace_bytes(s.small, c.how) == 0 || c.how.tensor.persistent_blocks > 0)
            << s.name;
    }
}

// ---- types and scopes ----

TEST(Verify, AnOperandOfAnotherDtypeIsRefused) {
    lowered_kernel p = exponentials();
    at(p, at(p, first(p, expression_kind::operation)).in[0]).type = dtype::float64;
    EXPECT_THAT(fault_of(p), HasSubstr("another dtype"));
}

TEST(Verify, AnOperandThatStandsBehindItsUserIsRefused) {
    lowered_kernel p = exponentials();
    const id sum = first(p, expression_kind::arithmetic);
    at(p, sum).in[0] = sum;
    EXPECT_THAT(fault_of(p), HasSubstr("does not stand before it"));
}

TEST(Verify, AnAssignmentOfAnotherDtypeOrCountIsRefused) {
    lowered_kernel p = transposition();
    p.arrays[static_cast<std::size_t>(p.at(nth(p, statement_kind::assign).target).of)].type = dtype::float64;
    for (expression& e : p.expressions)
        if (e.kind == expression_kind::element) e.type = p.arrays[static_cast<std::size_t>(e.of)].type;
    EXPECT_THAT(fault_of(p), HasSubstr("the two sides have different dtypes"));

    p = transposition();
    at(p, nth(p, statement_kind::assign).value).count = 2;
    EXPECT_THAT(fault_of(p), HasSubstr("the two sides have different counts of elements"));
}

TEST(Verify, WhatIsNotInScopeIsRefused) {
    lowered_kernel p = exponentials();
    nth(p, statement_kind::branch).otherwise = nth(p, statement_kind::branch).body;
    EXPECT_THAT(fault_of(p), HasSubstr("it is declared twice"));

    p = exponentials();
    const statement inside = nth(p, statement_kind::branch).body.back();
    p.body.push_back(inside);
    nth(p, statement_kind::branch).body.pop_back();
    EXPECT_THAT(fault_of(p), HasSubstr("is not in scope"));
}

TEST(Verify, ANameThatIsTakenInItsScopeIsRefused) {
    lowered_kernel p = exponentials();
    const auto declared =
        std::find_if(p.body.begin(), p.body.end(), [](const statement& s) { return s.kind == statement_kind::let; });
    ASSERT_NE(declared, p.body.end());
    p.variables[static_cast<std::size_t>(declared->of)].name = p.array_at(p.parameters[0].of).name;
    EXPECT_THAT(fault_of(p), HasSubstr("is taken in its scope"));
}

TEST(Verify, AHiddenNameThatIsUsedIsRefused) {
    lowered_kernel p = exponentials();
    std::vector<statement>& inner = nth(p, statement_kind::branch).body;
    const auto declared =
        std::find_if(inner.begin(), inner.end(), [](const statement& s) { return s.kind == statement_kind::let; });
    ASSERT_NE(declared, inner.end());
    p.variables[static_cast<std::size_t>(declared->of)].name = p.array_at(p.parameters[0].of).name;
    EXPECT_THAT(fault_of(p), HasSubstr("hides the one that it uses"));
}

TEST(Verify, ConstantsAndOperandsAreNotAssigned) {
    lowered_kernel p = exponentials();
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
    lowered_kernel p = exponentials();
    at(p, first(p, expression_kind::call)).arguments.clear();
    EXPECT_THAT(fault_of(p), HasSubstr("wrong number of arguments"));

    p = exponentials();
    p.functions[0].parameters[0].how = function_parameter::passed::pointer;
    p.functions[0].parameters[0].of = 0;
    EXPECT_THAT(fault_of(p), HasSubstr("a pointer to"));
}

// ---- what is read ----

TEST(Verify, RegistersAreWrittenBeforeTheyAreRead) {
    lowered_kernel p = exponentials();
    std::vector<statement>& body = nth(p, statement_kind::branch).body;
    const auto load =
        std::find_if(body.begin(), body.end(), [](const statement& s) { return s.kind == statement_kind::assign; });
    ASSERT_NE(load, body.end());
    body.erase(load);
    EXPECT_THAT(fault_of(p), HasSubstr("is read before it is written"));
}

// ---- uniform control flow ----

TEST(Verify, ABarrierInABranchOnTheThreadIsRefused) {
    lowered_kernel p = transposition();
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
    lowered_kernel p = transposition();
    statement leave;
    leave.kind = statement_kind::leave;
    leave.value = thread_is_first(p);
    p.body.insert(p.body.begin(), leave);
    EXPECT_THAT(fault_of(p), HasSubstr("a barrier to which not all threads of the block come"));
}

/// A kernel's program that exchanges a value in a branch on thread / divisor == 0.
lowered_kernel exchange_by_groups(int divisor, int width) {
    lowered_kernel p = exponentials();
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
