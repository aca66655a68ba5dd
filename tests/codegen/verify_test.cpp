// The verifier of device programs: what lowering makes is accepted, and what a small change makes wrong is refused with
// a message that says so.
#include <codegen/device/verify.hpp>
#include <codegen/lower/lower.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/lower/workspace.hpp>
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

/// A program and what its launch promises.
struct lowered_kernel : program {
    launch_promises promises;
};

lowered_kernel lowered(const kernel_class& c) {
    const program p = lower::lower(c);
    return {p, lower::promises_of(c, p)};
}
lowered_kernel lowered(const kernel& k) { return lowered(class_chosen(k)); }

/// What the verifier refuses a program for; "" where it does not.
std::string fault_of(const lowered_kernel& k) {
    try {
        verify(k, k.promises);
        return "";
    } catch (const error& e) {
        return e.what();
    }
}

/// The indices without a proof.
std::string unproved_of(const lowered_kernel& k) {
    std::string all;
    for (const std::string& one : verify(k, k.promises)) all += one + "\n";
    return all;
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

lowered_kernel exponentials() { return lowered(testing::exp_of(1 << 25)); }
lowered_kernel transposition() { return lowered(testing::plus_transposed(8192, 8192)); }

TEST(Verify, LoweredProgramsAreAccepted) {
    for (const testing::sample& s : testing::samples()) {
        const kernel_class c = class_chosen(s.small);
        if (c.how.form == schedule_form::product) continue;
        const lowered_kernel k = lowered(c);
        EXPECT_EQ(fault_of(k), "") << s.name;
        // what blocks leave for each other is in a workspace, which has no axes
        for (const std::string& one : verify(k, k.promises))
            EXPECT_THAT(one, HasSubstr("that no axis describes")) << s.name;
        EXPECT_EQ(unproved_of(k).empty(), workspace_bytes(s.small, c.how) == 0) << s.name;
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

// ---- indices ----

/// Elementwise kernels of several axes: without divisions, by single elements, by vectors.
std::vector<kernel_class> elementwise_classes() {
    std::vector<kernel_class> all;
    for (const auto& [rows, columns] : {std::pair{8192, 8192}, {8191, 8191}, {100, 100}, {7, 1}}) {
        all.push_back(class_chosen(testing::axpy_with_row(rows, columns)));
        all.push_back(class_chosen(testing::exp_of(static_cast<std::int64_t>(rows) * columns)));
        for (dtype type : {dtype::float32, dtype::float64, dtype::int16})
            all.push_back(class_chosen(testing::transposed_planes(type, 20, rows, columns)));
        all.push_back(class_chosen(testing::plus_transposed(rows, columns)));
        all.push_back(class_chosen(testing::second_difference(rows, columns)));
    }
    const std::size_t narrow = all.size();
    for (std::size_t i = 0; i < narrow; ++i) {
        kernel_class wide = all[i];
        wide.how.wide_index = true;
        all.push_back(wide);
    }
    return all;
}

TEST(Verify, EveryIndexOfKernelsWithoutLoopsHasAProof) {
    for (const kernel_class& c : elementwise_classes()) EXPECT_EQ(unproved_of(lowered(c)), "") << describe(c.how);
}

TEST(Verify, AnIndexWithoutItsGuardHasNoProof) {
    lowered_kernel p = exponentials();
    statement& guard = nth(p, statement_kind::branch);
    guard.kind = statement_kind::scope;
    guard.otherwise.clear();
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of out0"));
}

TEST(Verify, AnIndexPastItsGuardHasNoProof) {
    lowered_kernel p = exponentials();
    const id sum = p.at(nth(p, statement_kind::branch).value).in[0];
    ASSERT_EQ(p.at(sum).how, arithmetic_kind::add);
    --at(p, p.at(sum).in[1]).value;
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Verify, ExtentsThatAreNoMultiplesOfTheWidthNeedSingleAccesses) {
    lowered_kernel p = transposition();
    EXPECT_EQ(unproved_of(p), "");
    p.promises.multiples.assign(2, 1);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis"));
}

TEST(Verify, SwappedAxesHaveNoProof) {
    lowered_kernel p = transposition();
    expression& load = at(p, nth(p, statement_kind::assign).value);
    std::swap(load.terms.front().axis, load.terms.back().axis);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x1"));
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 1 of x1"));
}

TEST(Verify, NeighboursLieAlongAnAxis) {
    lowered_kernel p = transposition();
    expression& load = at(p, nth(p, statement_kind::assign).value);
    load.terms.back().stride = load.terms.front().stride;
    EXPECT_THAT(unproved_of(p), HasSubstr("neighbours along no axis"));
}

TEST(Verify, AGatherIsTheProgramsOwn) {
    testing::kernel_builder b;
    const int i = b.outer(1000);
    const int at = b.load(b.input(dtype::int64), {{i, 1}});
    const int gathered = b.load(b.input(dtype::float32), {});
    b.k.values[static_cast<std::size_t>(gathered)].in[0] = at;
    b.k.values[static_cast<std::size_t>(gathered)].varies = 1;
    b.store(gathered, {{i, 1}});
    EXPECT_EQ(unproved_of(lowered(b.k)), "");
}

/// sums of rows of few elements, of which a block has several.
TEST(Verify, RowsPastTheLastRepeatIt) {
    lowered_kernel p = lowered(testing::norm_of_rows(100000, 50));
    EXPECT_EQ(unproved_of(p), "");
    const auto select = std::find_if(p.expressions.begin(), p.expressions.end(), [](const expression& e) {
        return e.kind == expression_kind::arithmetic && e.how == arithmetic_kind::select;
    });
    ASSERT_NE(select, p.expressions.end());
    std::swap(select->in[1], select->in[2]);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Verify, AxesOfResidentElementsAreAlike) {
    lowered_kernel p = lowered(testing::softmax_of_rows(8192, 4096));
    EXPECT_EQ(unproved_of(p), "");
    for (std::size_t axis = 0; axis < p.promises.like.size(); ++axis) p.promises.like[axis] = static_cast<int>(axis);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 3 of out0"));
}

TEST(Verify, AStencilReadsNoMoreThanItsWindow) {
    lowered_kernel p = lowered(testing::second_difference(8190, 8190));
    ASSERT_FALSE(p.promises.margins.empty());
    --p.promises.margins.front().behind;
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Verify, AxesBesideTilesRelyOnTheGrid) {
    lowered_kernel p = lowered(testing::transposed_planes(dtype::uint8, 20, 4096, 4096));
    EXPECT_EQ(unproved_of(p), "");
    p.promises.tiles.clear();
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Verify, SharedMemoryIsIndexedWithinItsExtents) {
    lowered_kernel p = transposition();
    for (array& a : p.arrays)
        if (a.where == space::shared) --a.extents[0];
    EXPECT_THAT(unproved_of(p), HasSubstr("of x1_tile"));
}

TEST(Verify, RegistersHaveConstantIndicesWithinTheirExtents) {
    lowered_kernel p = transposition();
    for (array& a : p.arrays)
        if (a.where == space::registers && !a.extents.empty()) --a.extents[0];
    EXPECT_THAT(fault_of(p), HasSubstr("is beyond the registers"));

    p = transposition();
    nth(p, statement_kind::loop).unroll = 1;
    EXPECT_THAT(fault_of(p), HasSubstr("is not constant when loops are unrolled"));
}

}  // namespace
}  // namespace sinter::codegen
