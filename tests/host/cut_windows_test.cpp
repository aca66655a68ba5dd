// Reductions over windows that reach beyond an array, or wrap around it: the host cuts such kernels where the windows
// do so, and between. Random extents, margins and windows, against plain loops over whole numbers: exact sums.
#include <sinter.hpp>
#include <sinter/convolve.hpp>
#include <sinter/pad_modes.hpp>
#include <sinter/sliding_window.hpp>

#include <codegen/host/regions.hpp>
#include <codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using std::int64_t;

/// A matrix of small whole numbers.
struct matrix {
    int64_t rows, columns;
    std::vector<double> elements;

    matrix(int64_t n, int64_t m, std::mt19937& random) : rows(n), columns(m) {
        for (int64_t i = 0; i < n * m; ++i) elements.push_back(static_cast<double>(random() % 19) - 9);
    }
    double at(int64_t i, int64_t j) const { return elements[static_cast<std::size_t>(i * columns + j)]; }
    double at(int64_t i, int64_t j, double beyond) const {
        return i >= 0 && i < rows && j >= 0 && j < columns ? at(i, j) : beyond;
    }
    array<double, 2> to_array() const { return reshape(from_host(elements), shape{rows, columns}); }
};

void expect_elements(const array<double, 2>& found, const std::function<double(int64_t, int64_t)>& expected) {
    const std::vector<double> all = to_host(found);
    const auto [rows, columns] = found.shape().extent;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            ASSERT_EQ(all[static_cast<std::size_t>(i * columns + j)], expected(i, j))
                << i << ", " << j << " of " << rows << " x " << columns;
}

int64_t within(std::mt19937& random, int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<unsigned>(most - least + 1));
}

TEST(cut_windows, of_padded_matrices) {
    std::mt19937 random(3);
    for (int i = 0; i < 40; ++i) {
        const matrix x(within(random, 5, 60), within(random, 12, 90), random);
        const int64_t above = within(random, 0, 3), below = within(random, 0, 3), left = within(random, 0, 4),
                      right = within(random, 0, 4), h = within(random, 1, 4), w = within(random, 1, 5);
        const double margin = static_cast<double>(within(random, -2, 2));
        const array<double, 2> a = x.to_array();
        const auto windows = sliding_window(pad(a, {{above, below}, {left, right}}, margin), {h, w});
        const auto folded = [&](double first, auto combine) {
            return [=, &x](int64_t r, int64_t c) {
                double all = first;
                for (int64_t p = 0; p < h; ++p)
                    for (int64_t q = 0; q < w; ++q) all = combine(all, x.at(r + p - above, c + q - left, margin));
                return all;
            };
        };
        expect_elements(sum(windows, axis={2, 3}), folded(0, [](double s, double e) { return s + e; }));
        expect_elements(
            max(windows * 2.0, axis={2, 3}),
            folded(-std::numeric_limits<double>::infinity(), [](double s, double e) { return std::max(s, 2 * e); }));
        expect_elements(sum(windows, axis={2, 3}) - min(windows, axis={2, 3}), [&](int64_t r, int64_t c) {
            return folded(0, [](double s, double e) { return s + e; })(r, c) -
                   folded(1e9, [](double s, double e) { return std::min(s, e); })(r, c);
        });
    }
}

TEST(cut_windows, of_margins_that_repeat_the_matrix) {
    std::mt19937 random(5);
    for (int i = 0; i < 20; ++i) {
        const matrix x(within(random, 5, 40), within(random, 20, 90), random);
        const array<double, 2> a = x.to_array();
        const auto sums = [&](auto place) {
            return [&x, place](int64_t r, int64_t c) {
                double all = 0;
                for (int64_t p = -2; p <= 2; ++p)
                    for (int64_t q = -2; q <= 2; ++q) all += x.at(place(r + p, x.rows), place(c + q, x.columns));
                return all;
            };
        };
        const auto edge = [](int64_t n, int64_t extent) { return std::clamp<int64_t>(n, 0, extent - 1); };
        const auto wrap = [](int64_t n, int64_t extent) { return (n + extent) % extent; };
        const auto reflect = [](int64_t n, int64_t extent) { return n < 0 ? -n : n < extent ? n : 2 * extent - 2 - n; };
        expect_elements(sum(sliding_window(pad(a, {{2, 2}, {2, 2}}, pad_mode::edge), {5, 5}), axis={2, 3}),
                        sums(edge));
        expect_elements(sum(sliding_window(pad(a, {{2, 2}, {2, 2}}, pad_mode::wrap), {5, 5}), axis={2, 3}),
                        sums(wrap));
        expect_elements(sum(sliding_window(pad(a, {{2, 2}, {2, 2}}, pad_mode::reflect), {5, 5}), axis={2, 3}),
                        sums(reflect));
    }
}

TEST(cut_windows, of_filters) {
    std::mt19937 random(7);
    for (int i = 0; i < 40; ++i) {
        const matrix x(1, within(random, 512, 3000), random), f(1, within(random, 1, 12), random);
        const array<double, 1> a = from_host(x.elements), filter = from_host(f.elements);
        const int64_t n = x.columns, m = f.columns;
        const auto by_loops = [&](int64_t shift) {
            return [&, shift](int64_t, int64_t c) {
                double all = 0;
                for (int64_t k = 0; k < m; ++k) all += f.at(0, k) * x.at(0, c + shift - k, 0.0);
                return all;
            };
        };
        expect_elements(reshape(convolve(a, filter), shape{1, n + m - 1}), by_loops(0));
        expect_elements(reshape(convolve(a, filter, overlap::same), shape{1, n}), by_loops(m - 1 - m / 2));
    }
}

/// Rows that begin elsewhere, and rows that wrap inside the loop.
TEST(cut_windows, of_rolled_rows) {
    std::mt19937 random(9);
    for (int i = 0; i < 20; ++i) {
        const matrix x(within(random, 3, 70), within(random, 10, 300), random);
        const int64_t shift = within(random, -2, 2);
        const array<double, 2> a = x.to_array();
        const auto rolled = [&](int64_t down, int64_t across) {
            return [&x, down, across](int64_t r, int64_t) {
                double all = 0;
                for (int64_t c = 0; c < x.columns; ++c)
                    all += x.at(r, c) * x.at((r - down + x.rows) % x.rows, (c - across + x.columns) % x.columns);
                return all;
            };
        };
        expect_elements(sum(a * roll(a, shift, axis=0), axis=1, keepdims), rolled(shift, 0));
        expect_elements(sum(a * roll(a, shift, axis=1), axis=1, keepdims), rolled(0, shift));
    }
}

/// The first extreme of each window; elements beyond the array count, too.
TEST(cut_windows, whose_extremes_are_sought) {
    std::mt19937 random(13);
    for (int i = 0; i < 20; ++i) {
        const matrix x(1, within(random, 600, 2000), random);
        const array<double, 1> a = from_host(x.elements);
        const auto found = argmax(sliding_window(pad(a, {{3, 2}}), 6), axis=1);
        expect_elements(reshape(astype<double>(found), shape{1, x.columns}), [&](int64_t, int64_t c) {
            int64_t best = 0;
            for (int64_t k = 1; k < 6; ++k)
                if (x.at(0, c + k - 3, 0.0) > x.at(0, c + best - 3, 0.0)) best = k;
            return static_cast<double>(best);
        });
    }
}

TEST(cut_windows, lose_their_masks_in_the_middle) {
    kernel_builder b;
    const int i = b.outer(5000), l = b.loop({7}), k = b.inner(l);
    const int at = b.index({{i, 1}, {k, 1}}, l);
    const int inside = b.op("logical_and",
                            {b.op("greater_equal", {at, b.constant(std::int64_t{3})}, l),
                             b.op("less", {at, b.constant(std::int64_t{5003})}, l)},
                            l);
    const int from = b.op("clip",
                          {b.op("subtract", {at, b.constant(std::int64_t{3})}, l), b.constant(std::int64_t{0}),
                           b.constant(std::int64_t{4999})},
                          l);
    const int x = b.gather(b.input(dtype::float64), {}, from, l);
    b.store(b.reduce("sum", b.op("where", {inside, x, b.constant(0.0)}, l), l), {{i, 1}});
    const std::vector<blocked::region> regions = blocked::cut_into_regions(b.k, instruction_set::baseline);
    ASSERT_EQ(regions.size(), 3u);
    EXPECT_EQ(regions[1].body.extents, (std::vector<std::int64_t>{4994, 7}));
    ASSERT_EQ(regions[1].body.values.size(), 2u);
    EXPECT_EQ(regions[1].body.values[0].what, value_kind::load);
    EXPECT_LT(regions[1].body.values[0].in[0], 0);
    EXPECT_EQ(regions[1].value_starts[0], 0);
    EXPECT_EQ(regions[2].store_starts[0], 4997);
}

}  // namespace
}  // namespace sinter::codegen::testing
