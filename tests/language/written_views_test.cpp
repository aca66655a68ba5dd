// Assignment to views other than indexing: transposes, diagonals, reshapes and views of views write through.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class written_views : public on_devices {};

/// What a view of the numbers 0, 1, 2 ... reads says which elements it writes: writes 100, 101, ... through the view,
/// and expects them there, and the other elements as they were.
template <int Rank, class View>
void expect_written(const index& extents, View view) {
    naive x(extents);
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<double>(i);
    auto a = to_array<double, Rank>(x);
    const std::vector<double> places = to_host(view(std::as_const(a)));
    const auto shape_of_view = view(std::as_const(a)).shape();
    for (std::size_t i = 0; i < places.size(); ++i)
        x.values[static_cast<std::size_t>(places[i])] = 100 + static_cast<double>(i);
    const auto copy = a;
    view(a) = reshape(arange(static_cast<double>(places.size())) + 100.0, shape_of_view);
    expect_equal(a, x);
    view(a) += 1;
    for (double place : places) ++x.values[static_cast<std::size_t>(place)];
    expect_equal(a, x);
    for (std::size_t i = 0; i < x.values.size(); ++i) EXPECT_EQ(to_host(copy)[i], static_cast<double>(i));
}

TEST_F(written_views, of_arrays) {
    expect_written<2>({4, 5}, [](auto& a) { return transpose(a); });
    expect_written<2>({4, 5}, [](auto& a) { return diagonal(a); });
    expect_written<2>({4, 5}, [](auto& a) { return diagonal(a, -1); });
    expect_written<2>({4, 6}, [](auto& a) { return reshape(a, {3, 8}); });
    expect_written<2>({4, 6}, [](auto& a) { return ravel(a); });
    expect_written<2>({4, 5}, [](auto& a) { return flip(a); });
    expect_written<3>({2, 3, 4}, [](auto& a) { return flip(a, axis={0, 2}); });
    expect_written<3>({2, 3, 4}, [](auto& a) { return permute(a, {2, 0, 1}); });
    expect_written<3>({2, 3, 4}, [](auto& a) { return transpose(a, {1, 2, 0}); });
    expect_written<3>({2, 3, 4}, [](auto& a) { return swapaxes(a, 0, -1); });
    expect_written<3>({2, 3, 4}, [](auto& a) { return moveaxis(a, 0, -1); });
    expect_written<2>({4, 5}, [](auto& a) { return expand_dims(a, axis={0, 2}); });
    expect_written<3>({4, 1, 5}, [](auto& a) { return squeeze(a, axis=1); });
    expect_written<2>({4, 5}, [](auto& a) { return a(ellipsis, end - 2); });
    expect_written<2>({4, 5}, [](auto& a) { return a(range(end - 3, end - 1), range(3)); });
}

// A constant's views are expressions, so the lambdas must not name the intermediate views.
TEST_F(written_views, of_views) {
    expect_written<2>({4, 5}, [](auto& a) { return a(1)(3); });
    expect_written<3>({3, 4, 5}, [](auto& a) { return a(all, 1)(range(0, end, 2), range(-1, end, -2)); });
    expect_written<2>({4, 5}, [](auto& a) { return transpose(a)(2); });
    expect_written<2>({4, 5}, [](auto& a) { return flip(transpose(a(range(1, 3))), axis=0); });
    expect_written<3>({3, 5, 5}, [](auto& a) { return diagonal(transpose(a(1)(all, range(1, end)))); });
    expect_written<2>({6, 4}, [](auto& a) { return reshape(a(range(2, 5)), {2, 6}); });
    expect_written<2>({6, 4}, [](auto& a) { return reshape(transpose(a), {2, 2, 2, 3}); });
    expect_written<3>({2, 6, 4}, [](auto& a) { return reshape(a(all, range(0, end, 3)), {2, 1, 2, 1, 2, 2})(1, 0); });
    expect_written<2>({1, 6}, [](auto& a) { return reshape(transpose(a), {3, 2}); });
    expect_written<2>({1, 1}, [](auto& a) { return reshape(transpose(a), {1, 1, 1}); });
    expect_written<3>({3, 4, 5}, [](auto& a) { return transpose(reshape(a, {12, 5}))(range(1, 3)); });
}

TEST_F(written_views, read_what_was_there_before) {
    const naive x = random({6, 6}, 1);
    auto a = to_array<double, 2>(x);
    transpose(a) = a;
    expect_equal(a, transposed(x));
    a = to_array<double, 2>(x);
    transpose(a) += a;
    expect_equal(a, map(std::plus<>(), x, transposed(x)));
    a = to_array<double, 2>(x);
    flip(a) = a;
    expect_equal(ravel(a), naive({36}, std::vector<double>(x.values.rbegin(), x.values.rend())));
    a = to_array<double, 2>(x);
    diagonal(a) = a(0);
    naive want = x;
    for (std::int64_t i = 0; i < 6; ++i) want[{i, i}] = x[{0, i}];
    expect_equal(a, want);
}

TEST_F(written_views, that_spoil_the_alignment) {
    const std::int64_t n = emulated() ? 3000 : 300000;
    const naive b = random({n - 8}, 2);
    const auto y = to_array<float, 1>(b);
    for (std::int64_t from : {0, 1, 2, 3, 4}) {
        SCOPED_TRACE(from);
        auto x = to_array<float, 1>(random({n}, 3));
        const auto before = copy(x);
        x(range(from, from + n - 8)) = y + y;
        expect_equal(x(range(from, from + n - 8)), map(std::plus<>(), b, b), 1e-6);
        EXPECT_TRUE(item(all(x(range(0, from)) == before(range(0, from)))));
        EXPECT_TRUE(item(all(x(range(from + n - 8, end)) == before(range(from + n - 8, end)))));
    }
}

// Row by row neither's columns are the other's, but what is written to one row is read in the next.
TEST_F(written_views, whose_steps_meet_in_another_row) {
    const std::int64_t rows = emulated() ? 100 : 5000;
    const naive x = random({rows, 10}, 4);
    auto a = to_array<double, 2>(x);
    a(range(1, end), range(0, 7, 3)) = a(range(0, -1), range(3, 10, 3)) + 1;
    naive want = x;
    for (std::int64_t i = 1; i < rows; ++i)
        for (std::int64_t j = 0; j < 7; j += 3) want[{i, j}] = x[{i - 1, j + 3}] + 1;
    expect_equal(a, want);
}

TEST_F(written_views, take_values_as_indexing_does) {
    array<int, 2> a = {{1, 2, 3}, {4, 5, 6}};
    transpose(a) = array<int, 1>{7, 8};  // broadcasts
    EXPECT_EQ(to_host(a), (std::vector<int>{7, 7, 7, 8, 8, 8}));
    EXPECT_THROW(transpose(a) = (array<int, 1>{7, 8, 9}), error);
    diagonal(a) <<= 1;
    transpose(a)(0) %= 5;
    a(1)(range(1, end)) |= 1;
    a(0)(0) &= 6;
    ravel(a)(end - 1) ^= 3;
    transpose(a)(1) >>= 1;
    transpose(a)(2) -= 1;
    flip(a, axis=1) *= 2;
    EXPECT_EQ(to_host(a), (std::vector<int>{8, 6, 12, 6, 16, 18}));
    array<float, 2> b = {{2, 4}};
    transpose(b) /= 4;
    EXPECT_EQ(to_host(b), (std::vector<float>{0.5, 1}));
    array<float, 2> none({0, 3});
    transpose(none) = 1;
    reshape(none, {3, 0})(1) = 1;
}

TEST_F(written_views, a_reshape_that_no_strides_make_is_refused) {
    array<float, 2> a = {{1, 2, 3}, {4, 5, 6}};
    try {
        ravel(transpose(a)) = 1;
        FAIL();
    } catch (const error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("shape (6,); reshape the values to (3, 2) instead"));
    }
    EXPECT_THROW(reshape(a(all, range(0, 2)), {4}) = 1, error);
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(written_views, a_view_outlives_what_it_was_made_of) {
    array<float, 1> a = {1, 2, 3};
    auto part = a(range(0, 2));
    a = array<float, 1>{4};
    EXPECT_EQ(to_host(part), (std::vector<float>{1, 2}));
    EXPECT_THROW(std::move(part) = 5, error);
    EXPECT_EQ(to_host(a), (std::vector<float>{4}));
}

TEST_F(written_views, memory_from_outside) {
    if (test_device_name() != "host") return;
    std::vector<float> memory(12, 0);
    auto a = wrap(memory.data(), shape<2>(2, 3), shape<2>(6, 2));  // every other element
    transpose(a) = array<float, 1>{1, 2};
    EXPECT_EQ(memory, (std::vector<float>{1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 2, 0}));
    ravel(a) = arange(6.0F);
    EXPECT_EQ(memory, (std::vector<float>{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
}

TEST_F(written_views, by_values_in_braces) {
    array<int, 2> m = {{1, 2, 3}, {4, 5, 6}};
    const array<int, 2> before = m;
    m(1) = {7, 8, 9};
    m(all, range(0, 2)) += {{10, 20}, {30, 40}};
    m(0) *= {1, 2, 3};
    EXPECT_THAT(to_host(m), testing::ElementsAre(11, 44, 9, 37, 48, 9));
    EXPECT_THAT(to_host(before), testing::ElementsAre(1, 2, 3, 4, 5, 6));
    m(all) = {{1}};
    EXPECT_THAT(to_host(m), testing::Each(1));
    EXPECT_THROW((m(0) = {1, 2}), error);
    EXPECT_THAT(to_host(m), testing::Each(1));

    array<std::complex<float>, 1> z = {1, 2};
    z += {1, {0, 3}};
    EXPECT_THAT(to_host(z), testing::ElementsAre(std::complex<float>(2, 0), std::complex<float>(2, 3)));
    array<std::uint8_t, 1> bytes = {1, 2};
    bytes <<= {1, 2};
    EXPECT_THAT(to_host(bytes), testing::ElementsAre(2, 8));
    EXPECT_THROW((bytes += {1, 2, 3}), error);
}

}  // namespace
}  // namespace sinter::test
