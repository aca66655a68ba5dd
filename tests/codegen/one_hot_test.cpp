// Which reductions become gathers: what a comparison picks, whatever the expression looks like, and nothing else.
#include <codegen/driver/pipeline.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::codegen {
namespace {

template <class Tree>
std::vector<loop_nest> kernels_of(const expr<Tree>& e) {
    return make_kernels(sinter::detail::program_of<Tree>, e.arguments());
}

template <class Tree>
int reductions_of(const expr<Tree>& e) {
    int n = 0;
    for (const loop_nest& k : kernels_of(e))
        for (const value& v : k.values) n += v.what == value_kind::reduce;
    return n;
}

class OneHot : public testing::Test {
protected:
    device_scope on_host_{host()};
    array<float, 2> x_ = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}};
    array<int, 2> n_ = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}};
    array<std::int64_t, 1> l_ = {4, -1, 2};
    array<bool, 2> m_ = {
        {true, true, false, true, true}, {true, true, true, true, true}, {true, false, true, true, true}};
};

TEST_F(OneHot, ASumBecomesAGather) {
    const std::vector<loop_nest> all = kernels_of(sum(where(arange(5) == l_(sinter::all, newaxis), x_, 0.f), axis=1));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_TRUE(all[0].loops.empty());
    const auto gathers = [](const value& v) { return v.what == value_kind::load && v.in[0] >= 0; };
    EXPECT_EQ(std::count_if(all[0].values.begin(), all[0].values.end(), gathers), 1);
}

TEST_F(OneHot, WhateverFormItHas) {
    const auto l = l_(sinter::all, newaxis);
    const auto i = arange(5);
    EXPECT_EQ(reductions_of(sum(where(l == i, x_, 0), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(l != i, 0.f, x_ * 2.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(!(l == i), 0.f, x_), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where((l == i) && m_, x_, 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(l == i, where(m_, x_, 0.f), 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(l == i, x_, 0.f) + where(l == i, x_, 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(abs(where(l == i, x_, 0.f)), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum((l == i) * n_, axis=1)), 0);
    EXPECT_EQ(reductions_of(any((l == i) && m_, axis=1)), 0);
    EXPECT_EQ(reductions_of(all((l != i) || m_, axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(l == i, axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(astype<std::uint8_t>(i) == l, x_, 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(3 - 2 * i + i == l, x_, 0.f), axis=1)), 1);  // no view of an index
    EXPECT_EQ(reductions_of(sum(where(flip(i, axis=0) == l, x_, 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(arange(10)(range(1, end, 2)) == l, x_, 0.f), axis=1)), 0);
    EXPECT_EQ(reductions_of(sum(where(reshape(i, {1, 5}) == l, x_, 0.f), axis=1)), 0);
}

TEST_F(OneHot, OtherAxesAreStillReduced) {
    const auto picked = where(arange(5) == l_(sinter::all, newaxis), x_, 0.f);
    EXPECT_EQ(reductions_of(sum(picked)), 1);
    EXPECT_EQ(kernels_of(sum(picked)).at(0).loops.at(0).axes.size(), 1u);
    EXPECT_EQ(reductions_of(sum(picked, axis=0)), 1);
    EXPECT_EQ(kernels_of(sum(picked, axis=0)).at(0).extents.size(), 2u);
}

TEST_F(OneHot, NothingElseIsAGather) {
    const auto l = l_(sinter::all, newaxis);
    const auto i = arange(5);
    EXPECT_EQ(reductions_of(sum(where(l == i, x_, 1.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(where(l != i, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(where(l < i, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(where((l == i) || m_, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(astype<float>(l == i) * x_, axis=1)), 1);  // 0 * NaN is NaN
    EXPECT_EQ(reductions_of(sum(exp(where(l == i, x_, 0.f)), axis=1)), 1);
    EXPECT_EQ(reductions_of(prod(where(l == i, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(where(n_ == i, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(reductions_of(sum(where(i == i, x_, 0.f), axis=1)), 1);
    EXPECT_EQ(
        reductions_of(sum(
            where(arange(300) == astype<int>(l), broadcast_to(x_(sinter::all, range(0, 1)), {3, 300}), 0.f), axis=1)),
        0);
    EXPECT_EQ(reductions_of(sum(where(astype<std::uint8_t>(arange(300)) == astype<std::uint8_t>(l),
                                      broadcast_to(x_(sinter::all, range(0, 1)), {3, 300}), 0.f),
                                axis=1)),
              1);
}

TEST_F(OneHot, AnotherScalarIsAnotherPlan) {
    array<float, 1> r;
    for (const float rest : {0.f, 1.f, 0.f, -0.f, 2.f}) {
        r = sum(where(arange(5) == l_(sinter::all, newaxis), x_, rest), axis=1);
        EXPECT_EQ(to_host(r), (std::vector<float>{5 + 4 * rest, 5 * rest, 13 + 4 * rest}));
    }
}

TEST_F(OneHot, LabelsBeyondTheAxisGiveTheIdentity) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
    l_ = {most, least, 5};
    const auto l = l_(sinter::all, newaxis);
    EXPECT_EQ(to_host(sum(where(arange(5) == l, x_, 0.f), axis=1)), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(to_host(sum(where(flip(arange(5), axis=0) == l, x_, 0.f), axis=1)), (std::vector<float>{0, 0, 0}));
    const array<std::int64_t, 2> odd = {{1}, {2}, {9}};
    EXPECT_EQ(to_host(sum(where(arange(10)(range(1, end, 2)) == odd, x_, 0.f), axis=1)),
              (std::vector<float>{1, 0, 15}));
    EXPECT_EQ(to_host(sum(where(arange(10)(range(9, 0, -2)) == odd, x_, 0.f), axis=1)),
              (std::vector<float>{5, 0, 11}));
    EXPECT_EQ(to_host(all((arange(5) != l) || m_, axis=1)), (std::vector<bool>{true, true, true}));
}

}  // namespace
}  // namespace sinter::codegen
