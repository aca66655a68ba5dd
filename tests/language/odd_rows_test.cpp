// Rows of odd length and interleaved channels, whose wide accesses span rows: contiguous arrays combined with operands
// that are broadcast, sliced, concatenated, repeated, flipped or gathered.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::test {
namespace {

class odd_rows : public on_devices {
protected:
    // more elements than the emulated device has threads, so that a thread computes several
    static constexpr std::int64_t rows = 301, columns = 37;
    const naive x_ = test::random({rows, columns}, 1), y_ = test::random({rows, columns}, 2),
                w_ = test::random({columns}, 3);
    array<float, 2> x, y;
    array<float, 1> w;

    void SetUp() override {
        on_devices::SetUp();
        if (IsSkipped()) return;
        x = to_array<float, 2>(x_);
        y = to_array<float, 2>(y_);
        w = to_array<float, 1>(w_);
    }

    template <class F>
    static naive by_place(const index& shape, F f) {
        naive result(shape);
        for_each_index(shape, [&](const index& at) { result[at] = f(at); });
        return result;
    }
};

TEST_F(odd_rows, beside_a_row_and_a_column) {
    const naive c = test::random({rows, 1}, 4);
    const array<float, 2> of_rows = to_array<float, 2>(c);
    expect_equal(x * w + of_rows, by_place({rows, columns}, [&](const index& at) {
                     return static_cast<float>(static_cast<float>(x_[at] * w_[{at[1]}]) + c[{at[0], 0}]);
                 }));
    array<float, 2> z = copy(x);
    z += w;
    expect_equal(z, by_place({rows, columns}, [&](const index& at) { return x_[at] + w_[{at[1]}]; }));
}

TEST_F(odd_rows, slices_and_reversals) {
    expect_equal(x(all, range(1, end)) - x(all, range(0, -1)), by_place({rows, columns - 1}, [&](const index& at) {
                     return x_[{at[0], at[1] + 1}] - x_[at];
                 }));
    expect_equal(flip(x, axis=1) + y, by_place({rows, columns}, [&](const index& at) {
                     return x_[{at[0], columns - 1 - at[1]}] + y_[at];
                 }));
    expect_equal(x(range(0, end, 2), all) * 2.f, by_place({(rows + 1) / 2, columns}, [&](const index& at) {
                     return 2 * x_[{2 * at[0], at[1]}];
                 }));
}

TEST_F(odd_rows, joined_rolled_and_repeated) {
    expect_equal(concat(x, y, x(all, range(0, 3)), axis=1) * 2.f,
                 by_place({rows, 2 * columns + 3}, [&](const index& at) {
                     const std::int64_t c = at[1];
                     return 2 * (c < columns       ? x_[at]
                                 : c < 2 * columns ? y_[{at[0], c - columns}]
                                                   : x_[{at[0], c - 2 * columns}]);
                 }));
    expect_equal(roll(x, 5, axis=1) + y, by_place({rows, columns}, [&](const index& at) {
                     return x_[{at[0], (at[1] + columns - 5) % columns}] + y_[at];
                 }));
    expect_equal(repeat(x, 3, axis=1) + 1.f, by_place({rows, 3 * columns}, [&](const index& at) {
                     return x_[{at[0], at[1] / 3}] + 1;
                 }));
    expect_equal(pad(x, {{1, 2}, {3, 0}}, 7.f), by_place({rows + 3, columns + 3}, [&](const index& at) {
                     const bool inside = at[0] >= 1 && at[0] <= rows && at[1] >= 3;
                     return inside ? x_[{at[0] - 1, at[1] - 3}] : 7;
                 }));
}

// One long row, whose loops go over rows of odd length.
TEST_F(odd_rows, reductions_of_all_elements) {
    const naive scaled =
        by_place({rows, columns}, [&](const index& at) { return static_cast<float>(x_[at] * w_[{at[1]}]); });
    const double most = max_of(scaled, 3)[{}];
    expect_equal((x * w - max(x * w, axis={0, 1}, keepdims)) + y, by_place({rows, columns}, [&](const index& at) {
                     return static_cast<float>(scaled[at] - most) + y_[at];
                 }));
    const naive c = test::random({rows, 1}, 4);
    expect_equal(min(x * w + to_array<float, 2>(c)), min_of(by_place({rows, columns},
                                                                     [&](const index& at) {
                                                                         return scaled[at] + c[{at[0], 0}];
                                                                     }),
                                                            3));
}

// Rows of two axes, both odd.
TEST_F(odd_rows, reductions_of_planes) {
    constexpr std::int64_t planes = 150, down = 7, along = 11;
    const naive p_ = test::random({planes, down, along}, 5), q_ = test::random({down, 1}, 6),
                r_ = test::random({along}, 7);
    const array<float, 3> p = to_array<float, 3>(p_);
    const array<float, 2> q = to_array<float, 2>(q_);
    const array<float, 1> r = to_array<float, 1>(r_);
    const naive moved = by_place({planes, down, along}, [&](const index& at) {
        return p_[at] * r_[{at[2]}] + q_[{at[1], 0}];
    });
    const naive most = max_of(moved, 6, true);
    expect_equal(tanh(p * r + q) - tanh(max(p * r + q, axis={1, 2}, keepdims)),
                 by_place({planes, down, along}, [&](const index& at) {
                     return std::tanh(moved[at]) - std::tanh(most[{at[0], 0, 0}]);
                 }));
    expect_equal(tanh(p + r) - max(tanh(p + r), axis={1, 2}, keepdims),
                 by_place({planes, down, along}, [&](const index& at) {
                     double largest = -1;
                     for (std::int64_t i = 0; i < down * along; ++i)
                         largest = std::max(largest, std::tanh(p_[{at[0], i / along, i % along}] + r_[{i % along}]));
                     return std::tanh(p_[at] + r_[{at[2]}]) - largest;
                 }));
}

TEST_F(odd_rows, indices_and_gathers) {
    std::vector<int> from(static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i * 11 % 37);
    const array<int, 1> places = from_host(from);
    expect_equal(take(x, places, axis=1) + y, by_place({rows, columns}, [&](const index& at) {
                     return x_[{at[0], from[static_cast<std::size_t>(at[1])]}] + y_[at];
                 }));
    expect_equal(where(arange(columns) <= arange(rows)(all, newaxis), x, 0.f),
                 by_place({rows, columns}, [&](const index& at) { return at[1] <= at[0] ? x_[at] : 0; }));
}

TEST_F(odd_rows, bytes_in_channels) {
    std::vector<std::uint8_t> bytes(3 * 4001);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 31 % 251);
    const array<std::uint8_t, 2> image = from_host(bytes, {4001, 3});
    const array<float, 1> mean = {100, 120, 90}, scale = {0.5f, 0.25f, 2};
    const std::vector<float> normal = to_host((astype<float>(image) - mean) * scale);
    const float means[] = {100, 120, 90}, scales[] = {0.5f, 0.25f, 2};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        ASSERT_EQ(normal[i], (static_cast<float>(bytes[i]) - means[i % 3]) * scales[i % 3]) << i;
    const std::vector<std::uint8_t> padded = to_host(pad(image, {{0, 0}, {0, 1}}, 255));
    for (std::size_t i = 0; i < padded.size(); ++i)
        ASSERT_EQ(padded[i], i % 4 == 3 ? 255 : bytes[i / 4 * 3 + i % 4]) << i;
}

TEST_F(odd_rows, several_results) {
    array<float, 2> sums;
    array<bool, 2> larger;
    tie(sums, larger) = pack(x + w, x > w);
    const naive expected = by_place({rows, columns}, [&](const index& at) { return x_[at] + w_[{at[1]}]; });
    expect_equal(sums, expected);
    const std::vector<bool> found = to_host(larger);
    for (std::int64_t i = 0; i < rows * columns; ++i)
        ASSERT_EQ(found[static_cast<std::size_t>(i)], x_.values[static_cast<std::size_t>(i)] > w_[{i % columns}]);
}

}  // namespace
}  // namespace sinter::test
