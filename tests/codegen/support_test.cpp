// What conditions say of the indices at which scores count, read from kernels built by hand.
#include <codegen/analysis/support.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

namespace sinter::codegen {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A kernel with rows i, batches b, and a loop over j; `masked` makes the scores of it.
struct scores {
    testing::kernel_builder k;
    int i = k.outer(100), b = k.outer(4), l = k.loop({200}), axis=k.inner(l);
    int row = index(i, group_level), key = index(axis, l);
    int x = k.load(k.input(dtype::float32), {{i, 200}, {axis, 1}}, l);
    int none = k.constant(-infinity);

    int index(int along, int in_loop) {
        const int v = k.load(k.input(dtype::int32), {{along, 1}}, in_loop);
        k.k.values[static_cast<std::size_t>(v)].what = value_kind::index;
        return v;
    }
    int where(int condition, int yes, int no) { return k.op("where", {condition, yes, no}, l); }
    int op(const char* name, int a, int c) { return k.op(name, {a, c}, l); }
    support of(int v) { return support_of(k.k, v, 1u << axis, 1u << i); }

    /// The value of a bound at a row, with every value that is no index at 7.
    std::int64_t bound(const affine_form& f, std::int64_t at_row) const {
        std::int64_t sum = f.constant;
        for (const affine_form::summand& s : f.of) sum += s.sign * (s.value == row ? at_row : 7);
        return sum;
    }
    bool contains(const index_set& s, std::int64_t at_row, std::int64_t at_key) const {
        const auto inside = [&](const index_set& part) { return contains(part, at_row, at_key); };
        switch (s.what) {
            case index_set::kind::from: return at_key >= bound(s.bound, at_row);
            case index_set::kind::up_to: return at_key <= bound(s.bound, at_row);
            case index_set::kind::both: return std::all_of(s.parts.begin(), s.parts.end(), inside);
            case index_set::kind::either: return std::any_of(s.parts.begin(), s.parts.end(), inside);
            default: return true;
        }
    }
    void expect(int v, const std::function<bool(std::int64_t, std::int64_t)>& holds) {
        const support found = of(v);
        EXPECT_TRUE(is_limited(found.indices));
        EXPECT_FALSE(found.selections.empty());
        for (std::int64_t at_row = 0; at_row < 100; at_row += 3)
            for (std::int64_t at_key = 0; at_key < 200; ++at_key)
                ASSERT_EQ(contains(found.indices, at_row, at_key), holds(at_row, at_key)) << at_row << ", " << at_key;
    }
};

TEST(Support, IsReadFromComparisons) {
    const auto causal = [](auto row, auto key) { return key <= row; };
    scores s;
    s.expect(s.where(s.op("less_equal", s.key, s.row), s.x, s.none), causal);
    s.expect(s.where(s.op("greater_equal", s.row, s.key), s.x, s.none), causal);
    s.expect(s.where(s.op("greater", s.key, s.row), s.none, s.x), causal);
    s.expect(s.where(s.k.op("logical_not", {s.op("less", s.row, s.key)}, s.l), s.x, s.none), causal);
    s.expect(s.where(s.op("equal", s.key, s.row), s.x, s.none), [](auto row, auto key) { return key == row; });
    s.expect(s.where(s.op("not_equal", s.key, s.row), s.none, s.x), [](auto row, auto key) { return key == row; });
}

TEST(Support, TakesSumsAndDistances) {
    scores s;
    const int width = s.k.scalar(dtype::int32), distance = s.op("subtract", s.row, s.key);
    const auto near = [](auto row, auto key) { return std::abs(row - key) < 7; };
    s.expect(s.where(s.op("less", s.k.op("abs", {distance}, s.l), width), s.x, s.none), near);
    s.expect(s.where(s.op("greater", width, s.k.op("abs", {distance}, s.l)), s.x, s.none), near);
    s.expect(s.where(s.op("less_equal", s.k.op("abs", {distance}, s.l), width), s.none, s.x),
             [](auto row, auto key) { return std::abs(row - key) > 7; });
    s.expect(s.where(s.op("less", s.op("subtract", s.key, s.row), width), s.x, s.none),
             [](auto row, auto key) { return key - row < 7; });
    s.expect(s.where(s.op("less", s.key, s.k.load(s.k.input(dtype::int64), {{s.b, 1}})), s.x, s.none),
             [](auto, auto key) { return key < 7; });
}

TEST(Support, JoinsConditions) {
    scores s;
    const int below = s.op("less_equal", s.key, s.row), width = s.k.scalar(dtype::int32);
    const int first = s.op("less", s.key, width);
    s.expect(s.where(s.op("logical_and", below, first), s.x, s.none),
             [](auto row, auto key) { return key <= row && key < 7; });
    s.expect(s.where(s.op("logical_or", below, first), s.x, s.none),
             [](auto row, auto key) { return key <= row || key < 7; });
    s.expect(s.where(s.op("logical_or", below, first), s.none, s.x),
             [](auto row, auto key) { return !(key <= row || key < 7); });
    s.expect(s.where(below, s.where(first, s.x, s.none), s.none),
             [](auto row, auto key) { return key <= row && key < 7; });
    s.expect(s.op("add", s.x, s.where(below, s.k.constant(0.f), s.none)),
             [](auto row, auto key) { return key <= row; });
}

TEST(Support, KnowsWhatMustBeInfinite) {
    scores s;
    const int below = s.op("less_equal", s.key, s.row), masked = s.k.scalar(dtype::float32);
    EXPECT_FALSE(s.of(s.where(below, s.x, masked)).selections.at(0).must_be_infinite);
    EXPECT_TRUE(s.of(s.op("add", s.where(below, s.x, masked), s.x)).selections.at(0).must_be_infinite);
    EXPECT_EQ(s.of(s.where(below, s.x, masked)).selections.at(0).masked, masked);
    EXPECT_EQ(s.of(s.where(below, masked, s.x)).selections.at(0).masked, masked);
}

TEST(Support, IsUnknownOtherwise) {
    scores s;
    const int below = s.op("less_equal", s.key, s.row), limit = s.k.scalar(dtype::int32);
    const int of_rows = s.k.load(s.k.input(dtype::int32), {{s.i, 1}});
    const auto is_unknown = [&](int v) { return !is_limited(s.of(v).indices); };
    EXPECT_TRUE(is_unknown(s.x));
    EXPECT_TRUE(is_unknown(s.op("multiply", s.x, s.where(below, s.k.constant(1.f), s.k.constant(0.f)))));
    EXPECT_TRUE(is_unknown(s.where(s.op("less", s.key, of_rows), s.x, s.none)));
    EXPECT_TRUE(is_unknown(s.where(s.op("less", s.op("multiply", s.key, limit), s.row), s.x, s.none)));
    EXPECT_TRUE(is_unknown(s.where(s.op("not_equal", s.key, s.row), s.x, s.none)));
    EXPECT_TRUE(is_unknown(s.where(s.op("less", s.row, limit), s.x, s.none)));
    // two numbers of any magnitude may wrap around together
    EXPECT_TRUE(is_unknown(s.where(s.op("less", s.key, s.op("add", limit, s.k.scalar(dtype::int32))), s.x, s.none)));
    const int other = s.k.op("logical_or", {below, s.op("less", s.key, of_rows)}, s.l);
    EXPECT_TRUE(is_unknown(s.where(other, s.x, s.none)));
    EXPECT_FALSE(is_unknown(s.where(s.k.op("logical_and", {below, s.op("less", s.key, of_rows)}, s.l), s.x, s.none)));
}

}  // namespace
}  // namespace sinter::codegen
