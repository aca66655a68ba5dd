// Functions of whole arrays as steps of expressions: number of launches, fusion around them, destinations, graphs,
// gradients, checks. Sorting represents all of them.
#include <sinter/debug.hpp>
#include <sinter/sharded.hpp>
#include <sinter/sort.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <numeric>

namespace sinter::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class calls : public on_devices {};

std::vector<double> sorted(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v;
}

TEST_F(calls, are_a_step_each_and_elementwise_work_fuses_around_them) {
    array<float, 2> x({3, 5});
    x = reshape(arange<float>(15), {3, 5});
    static_assert(launches<decltype(sort(x))> == 1);
    static_assert(launches<decltype(sort(exp(-x) + 1))> == 2);
    static_assert(launches<decltype(2 * sort(exp(-x)) - 1)> == 3);
    static_assert(launches<decltype(sum(sort(x), axis=1_c))> == 2);
    static_assert(launches<decltype(sort(sort(x)))> == 2);
    EXPECT_EQ(explain(sort(x)).launches, 1);
    EXPECT_EQ(explain(2 * sort(exp(-x)) - 1).launches, 2) << "the sort computes what it sorts";
    EXPECT_EQ(explain(sort(x, axis=1)).launches, 1) << "an axis that is the last one needs no view";
    EXPECT_EQ(explain(sort(x, axis=0)).launches, 2) << "its axis goes back";
}

TEST_F(calls, of_one_function_and_its_operands_are_one) {
    const array<double, 1> x = {3, 1, 2};
    EXPECT_EQ(explain(take(x, argsort(x)) - sort(x)).launches, 2);
    array<double, 1> values;
    array<std::int64_t, 1> order;
    tie(values, order) = pack(sort(x), argsort(x));
    EXPECT_THAT(to_host(values), ElementsAre(1, 2, 3));
    EXPECT_THAT(to_host(order), ElementsAre(1, 2, 0));
    array<double, 1> again;
    tie(values, again) = pack(sort(x), sort(x));
    EXPECT_EQ(to_host(values), to_host(again));
    array<double, 1> squares;
    tie(values, squares) = pack(sort(x * x), x * x);
    EXPECT_THAT(to_host(values), ElementsAre(1, 4, 9));
    EXPECT_THAT(to_host(squares), ElementsAre(9, 1, 4));
    {
        const fusion_scope apart(fusion::off);
        tie(values, order) = pack(sort(x + 1) * 2, argsort(x));
        EXPECT_THAT(to_host(values), ElementsAre(4, 6, 8));
        EXPECT_THAT(to_host(order), ElementsAre(1, 2, 0));
    }
}

TEST_F(calls, read_expressions_views_and_other_calls) {
    const naive a = random({6, 7}, 3);
    const auto x = to_array<double, 2>(a);
    const std::vector<double> all = sorted(a.values);
    EXPECT_EQ(to_host(sort(reshape(x, {42}))), all);
    EXPECT_EQ(to_host(sort(-sort(-reshape(x, {42})))), all);
    EXPECT_EQ(item(sum(sort(x, axis=0)(2))), item(sum(sort(transpose(x), axis=1)(sinter::all, 2))));
    EXPECT_EQ(to_host(sort(sum(x, axis=1))), sorted(to_host(sum(x, axis=1))));
    EXPECT_EQ(to_host(sort(x(3))), sorted(to_host(x(3))));
    EXPECT_EQ(to_host(sort(cumsum(x, axis=1), axis=0)(0)), to_host(min(cumsum(x, axis=1), axis=0)));
    const auto spread = let(sort(x), [](const auto& s) { return s(sinter::all, -1) - s(sinter::all, 0); });
    EXPECT_EQ(to_host(spread), to_host(max(x, axis=1) - min(x, axis=1)));
}

TEST_F(calls, write_where_they_are_told_to) {
    array<int, 1> x = {5, 3, 4, 1};
    const array<int, 1> before = x;
    x = sort(x);
    EXPECT_THAT(to_host(x), ElementsAre(1, 3, 4, 5));
    EXPECT_THAT(to_host(before), ElementsAre(5, 3, 4, 1));
    array<int, 2> y = zeros<int>({3, 4});
    y(1) = sort(before);
    y(2, range(0, end, 2)) = sort(before(range(0, 2)));
    EXPECT_THAT(to_host(reshape(y, {12})), ElementsAre(0, 0, 0, 0, 1, 3, 4, 5, 3, 0, 5, 0));
    y(1) = sort(y(1), descending);
    EXPECT_THAT(to_host(y(1)), ElementsAre(5, 4, 3, 1));
}

TEST_F(calls, do_not_write_over_operands_that_they_still_read) {
    array<std::int64_t, 1> counted = {3, 1, 1, 0};
    counted = bincount(counted, 4);
    EXPECT_EQ(to_host(counted), (std::vector<std::int64_t>{1, 2, 0, 1}));
}

TEST_F(calls, of_memory_from_outside_with_strides) {
    const array<int, 2> y = {{4, 9, 3}, {1, 8, 2}};
    auto* const p = const_cast<int*>(static_cast<const int*>(y.storage()->data));
    EXPECT_THAT(to_host(sort(wrap(p, shape<1>(3), shape<1>(2), current_device()))), ElementsAre(3, 4, 8));
    const auto across = wrap(p, {3, 2}, {1, 3}, current_device());
    EXPECT_THAT(to_host(reshape(sort(across), {6})), ElementsAre(1, 4, 8, 9, 2, 3));
}

TEST_F(calls, are_recorded_in_graphs) {
    array<double, 1> x = {3, 1, 2}, y;
    const graph g = capture([&] { y = 10 * sort(x); });
    g.launch();
    EXPECT_THAT(to_host(y), ElementsAre(10, 20, 30));
    x *= -1;
    g.launch();
    EXPECT_THAT(to_host(y), ElementsAre(-30, -20, -10));
}

TEST_F(calls, go_to_the_stream_that_is_chosen) {
    const array<double, 1> x = {3, 1, 2};
    stream q;
    array<double, 1> y;
    y.on(q) = sort(x + 1);
    EXPECT_THAT(to_host(y), ElementsAre(2, 3, 4));
}

TEST_F(calls, have_gradients) {
    const array<double, 2> x = {{3, 1, 2}, {0, 5, 4}};
    const array<double, 1> w = {1, 10, 100};
    EXPECT_THAT(to_host(reshape(grad(sum(sort(x) * w), x), {6})), ElementsAre(100, 1, 10, 1, 100, 10));
    EXPECT_THAT(to_host(reshape(grad(sum(sort(x, axis=0)(1)), x), {6})), ElementsAre(1, 0, 0, 0, 1, 1));
    EXPECT_THAT(to_host(reshape(grad(sum(x * argsort(x)), x), {6})), ElementsAre(1, 2, 0, 0, 2, 1));
}

TEST_F(calls, are_explained) {
    const array<float, 1> x = {3, 1, 2};
    const explanation e = explain(sort(sort(exp(x))) + 1);
    ASSERT_EQ(e.kernels.size(), 3u);
    EXPECT_EQ(e.kernels[0].expression, "sort(x0) with exp(x0)");
    EXPECT_EQ(e.kernels[1].expression, "sort(x0)");
    EXPECT_THAT(e.kernels[1].schedule, HasSubstr("function of whole arrays"));
    EXPECT_THAT(e.kernels[1].source, HasSubstr("sort_short_rows"));
    EXPECT_THAT(e.reasons, testing::Contains(HasSubstr("is a function of whole arrays")));
    EXPECT_THAT(e.reasons, testing::Not(testing::Contains(HasSubstr("exp"))));
    EXPECT_THAT(explain(sort(sum(x, axis=0, keepdims))).reasons,
                testing::Contains(HasSubstr("is an operand of a function of whole arrays")));
    EXPECT_THAT(e.page(), HasSubstr("sort(x0)"));
    EXPECT_THAT(source(sort(x)), HasSubstr("sort_short_rows"));
}

TEST_F(calls, tell_where_a_nan_came_from) {
    const array<double, 1> x = {1, -1, 4};
    const debug_scope checked({.nan = true, .sync = true});
    EXPECT_THAT(to_host(sort(x)), ElementsAre(-1, 1, 4));
    try {
        const array<double, 1> y = sort(log(x)) * 2;
        FAIL() << "no check";
    } catch (const error& e) {
        EXPECT_THAT(e.what(), HasSubstr("log(-1)"));
    }
}

TEST_F(calls, of_sharded_arrays_are_refused) {
    const mesh two({current_device(), current_device()});
    const auto x = scatter(two, array<double, 1>{3, 1, 2, 4});
    try {
        const array<double, 1> y = sort(x);
        FAIL() << "it was sorted";
    } catch (const error& e) {
        EXPECT_THAT(e.what(), HasSubstr("sort is a function of whole arrays"));
        EXPECT_THAT(e.what(), HasSubstr("gather(x)"));
    }
    EXPECT_THAT(to_host(sort(gather(x))), ElementsAre(1, 2, 3, 4));
}

TEST_F(calls, of_nothing_launch_nothing) {
    const array<double, 2> x = zeros<double>({0, 3});
    EXPECT_EQ((array<double, 2>(sort(x)).shape()), (shape<2>(0, 3)));
    EXPECT_EQ((array<double, 2>(sort(x, axis=0)).shape()), (shape<2>(0, 3)));
    EXPECT_EQ((array<std::int64_t, 2>(argsort(transpose(x + 1))).shape()), (shape<2>(3, 0)));
}

}  // namespace
}  // namespace sinter::test
