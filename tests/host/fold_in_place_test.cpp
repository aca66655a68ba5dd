// Folds that read an array where it lies, against plain loops: wide and narrow columns, several runs per row, folds
// beside others, tiles and leaves that are not full, rows that several tasks share.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>
#include <sinter/number/moments.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace sinter::codegen::testing {
namespace {

/// An array of `planes` x `length` x `columns` elements, whose rows have `gap` elements behind them.
struct cuboid {
    std::int64_t planes, length, columns, gap = 0;

    std::int64_t pitch() const { return columns + gap; }
    std::int64_t size() const { return planes * length * pitch(); }
    std::int64_t at(std::int64_t p, std::int64_t i, std::int64_t c) const { return (p * length + i) * pitch() + c; }
};

template <class T>
std::vector<T> elements(std::int64_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> all(static_cast<std::size_t>(n));
    for (T& e : all) {
        const auto drawn = static_cast<int>(random() % 2001) - 1000;
        e = std::is_floating_point_v<T> ? static_cast<T>(drawn) / 8 : static_cast<T>(drawn);
    }
    return all;
}

/// max, sum and the square sum of the distances from the mean; with `beside`, also the sum of the elements' squares,
/// which are computed in blocks.
template <class T>
loop_nest fold_nest(kernel_builder& b, int x, int loop, const kernel_builder::strides& to, bool beside) {
    std::vector<int> folded = {b.reduce("max", x, loop), b.reduce("sum", x, loop)};
    if constexpr (std::is_floating_point_v<T>) {
        const int moments = b.reduce("moments", x, loop);
        folded.push_back(b.op("squares_of_moments", {moments}));
        b.k.values[static_cast<std::size_t>(folded.back())].type = dtype_of<T>;
    }
    if (beside) folded.push_back(b.reduce("sum", b.op("square", {x}, loop), loop));
    for (const int f : folded) b.store(f, to);
    return b.k;
}

struct expected_folds {
    double max, sum, squares, sum_of_squares;
};
template <class T>
expected_folds folds_of(const std::vector<T>& group) {
    expected_folds e{-1e300, 0, 0, 0};
    for (const T x : group) {
        e.max = std::max(e.max, static_cast<double>(x));
        e.sum += static_cast<double>(x);
        e.sum_of_squares += static_cast<double>(x) * static_cast<double>(x);
    }
    const double mean = e.sum / static_cast<double>(group.size());
    for (const T x : group) e.squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    return e;
}

template <class T>
void compare(const loop_nest& k, const std::vector<T>& x, const std::vector<std::vector<T>>& groups, bool beside) {
    const std::size_t results = k.stores.size();
    std::vector<std::vector<T>> found(results, std::vector<T>(groups.size(), T(77)));
    const void* in[] = {x.data()};
    std::vector<void*> out;
    for (auto& f : found) out.push_back(f.data());
    evaluate_on_host(k, in, out.data(), nullptr);
    const auto near = [](T is, double expected) {
        const double allowed = std::is_same_v<T, float> ? 1e-5 : 1e-12;
        return std::abs(static_cast<double>(is) - expected) <= allowed * std::max(1e4, std::abs(expected));
    };
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const expected_folds e = folds_of(groups[g]);
        ASSERT_EQ(static_cast<double>(found[0][g]), e.max) << g;
        ASSERT_PRED2(near, found[1][g], e.sum) << g;
        if (std::is_floating_point_v<T>) {
            ASSERT_PRED2(near, found[2][g], e.squares) << g;
        }
        if (beside) {
            ASSERT_PRED2(near, found[results - 1][g], e.sum_of_squares) << g;
        }
    }
}

bool folds_in_place(const loop_nest& k) {
    const blocked::plan p = blocked::make_plan(k, instruction_set::baseline);
    const auto& folds = p.loops[0].folds;
    return folds[0].in_place >= 0 && folds[1].in_place >= 0 &&
           p.loops[0].computes == (k.loops[0].reductions.size() > 3);
}

/// Along the middle axis.
template <class T>
void check_columns(const cuboid& c, bool in_place) {
    SCOPED_TRACE(::testing::Message() << c.planes << " x " << c.length << " x " << c.columns << " + " << c.gap);
    const std::vector<T> x = elements<T>(c.size());
    std::vector<std::vector<T>> groups;
    for (std::int64_t p = 0; p < c.planes; ++p)
        for (std::int64_t i = 0; i < c.columns; ++i) {
            groups.emplace_back();
            for (std::int64_t r = 0; r < c.length; ++r)
                groups.back().push_back(x[static_cast<std::size_t>(c.at(p, r, i))]);
        }
    for (const bool beside : {false, true}) {
        if (beside && !std::is_floating_point_v<T>) continue;
        kernel_builder b;
        const int p = b.outer(c.planes), i = b.outer(c.columns), l = b.loop({c.length}), r = b.inner(l);
        const int from = b.load(b.input(dtype_of<T>), {{p, c.length * c.pitch()}, {i, 1}, {r, c.pitch()}}, l);
        const loop_nest k = fold_nest<T>(b, from, l, {{p, c.columns}, {i, 1}}, beside);
        EXPECT_EQ(folds_in_place(k), in_place);
        compare(k, x, groups, beside);
    }
}

/// Along the first axis and the last one: runs of `columns` elements.
template <class T>
void check_runs(const cuboid& c) {
    SCOPED_TRACE(::testing::Message() << "runs of " << c.planes << " x " << c.length << " x " << c.columns);
    const std::vector<T> x = elements<T>(c.size());
    std::vector<std::vector<T>> groups(static_cast<std::size_t>(c.length));
    for (std::int64_t p = 0; p < c.planes; ++p)
        for (std::int64_t r = 0; r < c.length; ++r)
            for (std::int64_t i = 0; i < c.columns; ++i)
                groups[static_cast<std::size_t>(r)].push_back(x[static_cast<std::size_t>(c.at(p, r, i))]);
    kernel_builder b;
    const int r = b.outer(c.length), l = b.loop({c.planes, c.columns});
    const int from =
        b.load(b.input(dtype_of<T>), {{r, c.pitch()}, {b.inner(l, 0), c.length * c.pitch()}, {b.inner(l, 1), 1}}, l);
    const loop_nest k = fold_nest<T>(b, from, l, {{r, 1}}, false);
    EXPECT_TRUE(folds_in_place(k));
    compare(k, x, groups, false);
}

TEST(fold_in_place, reads_wide_columns) {
    check_columns<float>({1, 1000, 515}, true);
    check_columns<double>({3, 129, 67}, true);
    check_columns<double>({40, 33, 17, 5}, true);
    check_columns<float>({2, 70001, 33}, true);
    check_columns<std::int64_t>({5, 257, 40}, true);
}

TEST(fold_in_place, reads_rows_side_by_side_if_columns_are_few) {
    for (const std::int64_t columns : {2, 3, 7, 15})
        for (const std::int64_t length : {17, 31, 127, 128, 131, 1000}) {
            check_columns<float>({50, length, columns}, true);
            check_columns<double>({20, length, columns}, true);
            check_columns<std::int64_t>({20, length, columns}, true);
        }
    check_columns<float>({50, 131, 7, 1}, false);
}

/// Moments that are merged, as those of the parts of a sharded array, are elements themselves.
TEST(fold_in_place, leaves_columns_of_moments) {
    using moments = detail::number::moments<double>;
    constexpr std::int64_t columns = 40, length = 33;
    const std::vector<double> x = elements<double>(columns * length);
    const std::vector<moments> single(x.begin(), x.end());
    kernel_builder b;
    const int o = b.outer(columns), l = b.loop({length});
    const int from = b.load(b.input(dtype::moments64), {{o, 1}, {b.inner(l), columns}}, l);
    const int all = b.reduce("moments", from, l);
    b.k.values[static_cast<std::size_t>(all)].type = dtype::moments64;
    const int squares = b.op("squares_of_moments", {all});
    b.k.values[static_cast<std::size_t>(squares)].type = dtype::float64;
    b.store(squares, {{o, 1}});
    std::vector<double> found(columns);
    const void* in[] = {single.data()};
    void* out[] = {found.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    for (std::int64_t c = 0; c < columns; ++c) {
        std::vector<double> column;
        for (std::int64_t r = 0; r < length; ++r) column.push_back(x[static_cast<std::size_t>(r * columns + c)]);
        const double expected = folds_of(column).squares;
        ASSERT_NEAR(found[static_cast<std::size_t>(c)], expected, 1e-12 * expected) << c;
    }
}

TEST(fold_in_place, reads_rows_of_several_runs) {
    check_runs<float>({100, 70, 100});
    check_runs<double>({3, 1, 64});
    check_runs<double>({700, 5, 65, 3});
    check_runs<std::int64_t>({17, 300, 129});
}

}  // namespace
}  // namespace sinter::codegen::testing
