// Value semantics: copies, snapshots, when a result is written in place, and the state after failures.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class values : public on_devices {};

TEST_F(values, copies_are_independent) {
    array<float, 1> a = {1, 2, 3};
    array<float, 1> b = a;
    EXPECT_EQ(address(a), address(b));  // a copy shares until one of them is written
    b += 1;
    EXPECT_NE(address(a), address(b));
    EXPECT_EQ(to_host(a), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(to_host(b), (std::vector<float>{2, 3, 4}));
    array<float, 1> c = b;
    b = a * 10;
    EXPECT_EQ(to_host(c), (std::vector<float>{2, 3, 4}));
    EXPECT_EQ(to_host(b), (std::vector<float>{10, 20, 30}));
}

TEST_F(values, expressions_mean_the_values_of_when_they_were_written) {
    array<double, 1> x = {1, 2, 3};
    auto e = 2 * x;
    auto s = sum(x);
    x += 1;
    EXPECT_EQ(to_host(e), (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(item(s), 6);
    x = e;
    EXPECT_EQ(to_host(x), (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(to_host(e), (std::vector<double>{2, 4, 6}));  // and still does
    x = e;
    EXPECT_EQ(to_host(x), (std::vector<double>{2, 4, 6}));
    double factor = 3;
    auto f = factor * x;
    factor = 4;
    EXPECT_EQ(to_host(f), (std::vector<double>{6, 12, 18}));
}

TEST_F(values, expressions_outlive_their_operands) {
    const auto make = [] {
        array<float, 2> x = {{1, 2}, {3, 4}};
        array<float, 1> y = {10, 20};
        return x * y + sum(x, axis=0);
    };
    auto e = make();
    const array<float, 2> noise = {{-1, -1}, {-1, -1}};
    EXPECT_EQ(to_host(e), (std::vector<float>{14, 46, 34, 86}));
    auto copy = e;
    e = make();
    EXPECT_EQ(to_host(copy + noise), (std::vector<float>{13, 45, 33, 85}));
}

TEST_F(values, in_place_when_nobody_can_tell) {
    const naive a = random({300}, 80);
    auto x = to_array<double, 1>(a);
    const void* before = address(x);
    x += 1;
    EXPECT_EQ(address(x), before);
    x = 2 * x + x * x;
    EXPECT_EQ(address(x), before);
    x = where(x > 0, sqrt(abs(x)), x);
    EXPECT_EQ(address(x), before);
    expect_equal(x, map(
                        [](double p) {
                            const double q = 2 * (p + 1) + (p + 1) * (p + 1);
                            return q > 0 ? std::sqrt(q) : q;
                        },
                        a));
    const auto y = to_array<double, 1>(a);
    auto e = y * 3;  // a named expression that does not read x
    x = e;
    EXPECT_EQ(address(x), before);
    expect_equal(x, map([](double p) { return p * 3; }, a));
}

TEST_F(values, in_place_with_broadcast_operands) {
    const naive a = random({17, 9}, 81), b = random({9}, 82), c = random({}, 83);
    auto x = to_array<float, 2>(a);
    const void* before = address(x);
    x = x * to_array<float, 1>(b) + to_array<float, 0>(c);
    EXPECT_EQ(address(x), before);
    expect_equal(x, map([](double p, double q, double r) { return p * q + r; }, a, b, c));
}

TEST_F(values, not_in_place_when_other_elements_are_read) {
    const std::int64_t n = emulated() ? 40 : 300;  // more than the host evaluates at once
    const naive a = random({n, n}, 84);
    auto x = to_array<double, 2>(a);
    const void* before = address(x);
    const auto expect_moved_to = [&](const naive& expected) {
        EXPECT_NE(address(x), before);
        expect_equal(x, expected, 1e-11);
        before = address(x);
    };
    x = x + transpose(x);
    naive expected = map(std::plus<>(), a, transposed(a));
    expect_moved_to(expected);
    x = transpose(x);
    expected = transposed(expected);
    expect_moved_to(expected);
    x = x - max(x, axis=0, keepdims);
    expected = map(std::minus<>(), expected, max_of(expected, 1, true));
    expect_moved_to(expected);
    x = x / sum(abs(x));
    expected = map(std::divides<>(), expected, sum_of(map([](double p) { return std::abs(p); }, expected), 3));
    expect_moved_to(expected);
    x -= mean(x, axis=1, keepdims);
    expected = map(std::minus<>(), expected, mean_of(expected, 2, true));
    expect_moved_to(expected);
    x = x - mean(x, axis=0, keepdims) - mean(x, axis=1, keepdims);  // two launches
    expect_moved_to(map([](double p, double q, double r) { return p - q - r; }, expected, mean_of(expected, 1, true),
                        mean_of(expected, 2, true)));
}

TEST_F(values, not_in_place_while_somebody_else_looks) {
    const naive a = random({100}, 85);
    auto x = to_array<double, 1>(a);
    const auto kept = x;
    auto e = x + 1;  // holds x too
    x = x * 2;
    expect_equal(kept, a);
    expect_equal(e, map([](double p) { return p + 1; }, a));
    expect_equal(x, map([](double p) { return 2 * p; }, a));
    auto y = to_array<double, 1>(a);
    auto named = y * 2;
    y = named;
    y = named;
    expect_equal(y, map([](double p) { return 2 * p; }, a));
}

TEST_F(values, an_assignment_may_change_shape) {
    array<float, 1> x = {1, 2, 3};
    x = broadcast_to(7.f, {5});
    EXPECT_EQ(to_host(x), std::vector<float>(5, 7));
    x = sum(broadcast_to(x, {2, 5}), axis=0);
    EXPECT_EQ(to_host(x), std::vector<float>(5, 14));
    array<float, 2> y = {{1}, {2}};
    y = y + array<float, 2>{{10, 20}};
    EXPECT_EQ(to_host(y), (std::vector<float>{11, 21, 12, 22}));
    x = broadcast_to(1.f, {0});
    EXPECT_EQ(x.size(), 0);
}

TEST_F(values, updates_in_place) {
    const naive a = random({40}, 86), b = random({40}, 87, 1, 2);
    auto x = to_array<double, 1>(a);
    const auto y = to_array<double, 1>(b);
    x += y;
    x *= y + 1;
    x -= 3;
    x /= 2 * y;
    expect_equal(x, map([](double p, double q) { return ((p + q) * (q + 1) - 3) / (2 * q); }, a, b));
    const auto& same = x;
    x += same;
    x -= same;
    expect_equal(x, naive(index{40}));
    array<int, 1> i = {1, 2, 3};
    i += 10;
    i *= i;
    EXPECT_EQ(to_host(i), (std::vector<int>{121, 144, 169}));
    auto f = to_array<float, 1>(a);
    f += y;  // the sum is float64, the array stays float32
    expect_equal(f, map(std::plus<>(), a, b), 1e-6);
}

TEST_F(values, every_operator_updates_in_place) {
    array<int, 1> x = {7, -7, 5};
    const void* before = address(x);
    x %= 4;
    EXPECT_EQ(to_host(x), (std::vector<int>{3, 1, 1}));
    x <<= array<int, 1>{1, 2, 3};
    EXPECT_EQ(to_host(x), (std::vector<int>{6, 4, 8}));
    x |= 1;
    EXPECT_EQ(to_host(x), (std::vector<int>{7, 5, 9}));
    x &= x - 2;
    EXPECT_EQ(to_host(x), (std::vector<int>{5, 1, 1}));
    x ^= 7;
    EXPECT_EQ(to_host(x), (std::vector<int>{2, 6, 6}));
    x >>= 1;
    EXPECT_EQ(to_host(x), (std::vector<int>{1, 3, 3}));
    const stream q;
    x.on(q) %= 2;
    EXPECT_EQ(to_host(x), (std::vector<int>{1, 1, 1}));
    EXPECT_EQ(address(x), before);
    array<bool, 1> m = {true, false, true};
    m &= x == 1;
    m |= array<bool, 1>{false, true, false};
    m ^= true;
    EXPECT_EQ(to_host(m), (std::vector<bool>{false, false, false}));
    array<float, 1> f = {5.5f, -1};
    f %= 2;
    EXPECT_EQ(to_host(f), (std::vector<float>{1.5f, 1}));
    EXPECT_EQ(to_host(+f), (std::vector<float>{1.5f, 1}));
    EXPECT_EQ(to_host(positive(-f)), (std::vector<float>{-1.5f, -1}));
}

TEST_F(values, assignment_to_itself) {
    array<float, 1> x = {1, 2, 3};
    const auto& same = x;
    x = same;
    EXPECT_EQ(to_host(x), (std::vector<float>{1, 2, 3}));
    x = x.as_expr();
    EXPECT_EQ(to_host(x), (std::vector<float>{1, 2, 3}));
}

/// The ways of writing an array of one axis, of which one element is 50.
template <class T>
void expect_one_axis() {
    const array<T, 1> one{T(50)}, two{T(50), T(3)}, same = {T(50)}, five(shape<1>(5)), six(6);
    const auto is_fifty = [](const array<T, 1>& a) { return a.size() == 1 && item(a(0) == T(50)); };
    EXPECT_TRUE(is_fifty(one));
    EXPECT_TRUE(is_fifty(same));
    EXPECT_EQ(two.size(), 2);
    EXPECT_EQ(five.size(), 5);
    EXPECT_EQ(six.size(), 6);
    const array<T, 1> of_int = {50};  // an element, not an extent
    EXPECT_TRUE(is_fifty(of_int));
}

TEST_F(values, braces_of_one_axis_hold_elements) {
    expect_one_axis<std::int8_t>();
    expect_one_axis<std::uint16_t>();
    expect_one_axis<int>();
    expect_one_axis<std::uint64_t>();
    expect_one_axis<float16>();
    expect_one_axis<bfloat16>();
    expect_one_axis<float>();
    expect_one_axis<double>();
    expect_one_axis<std::complex<float>>();
    expect_one_axis<std::complex<double>>();
}

/// Sizes come from containers, extents from shapes, and what is written out is an int.
TEST_F(values, braces_mix_integers) {
    const std::size_t n = 3;
    const std::int64_t m = 4;
    const int k = 1;
    const unsigned char u = 2;
    EXPECT_EQ((array<float, 2>({n, 4})).shape(), shape<2>(3, 4));
    EXPECT_EQ((array<float, 3>({m, n, 2})).shape(), shape<3>(4, 3, 2));
    EXPECT_EQ((empty<float>({u, n})).shape(), shape<2>(2, 3));
    EXPECT_EQ(to_host(zeros<float>({n, k})), (std::vector<float>{0, 0, 0}));
    EXPECT_EQ(to_host(ones<float>({k, u})), (std::vector<float>{1, 1}));
    EXPECT_EQ(to_host(full({u, k}, 5)), (std::vector<int>{5, 5}));
    EXPECT_EQ(uniform(random_key(1), {n, m}).shape(), shape<2>(3, 4));

    std::vector<float> v = {1, 2, 3, 4, 5, 6};
    const auto x = from_host(v, {n, 2});
    EXPECT_EQ(x.shape(), shape<2>(3, 2));
    EXPECT_EQ(to_host(from_host(std::span<const float>(v), {u, n})), v);
    EXPECT_EQ(to_host(wrap(v.data(), {n, u}, {k, n})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(wrap(v, {u, n}).shape(), shape<2>(2, 3));
    EXPECT_EQ(reshape(x, {-1, n}).shape(), shape<2>(2, 3));
    EXPECT_EQ(to_host(tile(x, {k, u})), (std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6}));
    EXPECT_EQ(broadcast_to(x, {m, n, 2}).shape(), shape<3>(4, 3, 2));
    EXPECT_EQ(to_host(pad(x, {{k, n - 3}, {0, u}})),
              (std::vector<float>{0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0}));
}

TEST_F(values, moved_from_and_default_arrays_are_empty) {
    array<float, 1> x = {1, 2, 3};
    const void* data = address(x);
    array<float, 1> y = std::move(x);
    EXPECT_EQ(address(y), data);
    EXPECT_EQ(x.size(), 0);  // NOLINT: that is what this test is about
    EXPECT_TRUE(to_host(x).empty());
    x = y + 1;
    EXPECT_EQ(to_host(x), (std::vector<float>{2, 3, 4}));
    array<double, 2> none;
    EXPECT_EQ(none.shape(), shape<2>(0, 0));
    EXPECT_TRUE(to_host(none * 2).empty());
    EXPECT_EQ(item(sum(none)), 0);
}

TEST_F(values, temporaries_give_their_storage_away) {
    array<float, 1> x = broadcast_to(1.f, {100});
    const void* before = address(x);
    x = std::move(x) + 1;
    EXPECT_EQ(to_host(x), std::vector<float>(100, 2));
    (void)before;  // whether it is reused is the library's business; the values are not
    const auto e = std::move(x) * 3;
    EXPECT_EQ(to_host(e), std::vector<float>(100, 6));
}

TEST_F(values, aliases_are_one_operand) {
    const naive a = random({64, 3}, 88);
    const auto x = to_array<double, 2>(a);
    const auto y = x;
    expect_equal(x * y - y * x, naive(index{64, 3}));
    expect_equal(sum(x * y, axis=1), sum_of(map([](double p) { return p * p; }, a), 2));
}

TEST_F(values, copies_of_a_scalar_and_equal_scalars_in_turn) {
    const naive a = random({64, 3}, 90);
    const auto x = to_array<double, 2>(a);
    for (const double c : {2.0, 3.0, 2.0}) {  // one type, so one slot of plans: what is the same differs each time
        const auto scaled = c * x, other = 2.0 * x;
        expect_equal(scaled + exp(scaled), map([c](double v) { return c * v + std::exp(c * v); }, a));
        expect_equal(scaled + exp(other), map([c](double v) { return c * v + std::exp(2 * v); }, a));
    }
}

TEST_F(values, a_failed_assignment_changes_nothing) {
    array<float, 1> x = {1, 2, 3};
    const array<float, 1> y = {1, 2};
    const void* before = address(x);
    EXPECT_THROW(x = x + y, error);
    EXPECT_THROW(x += y, error);
    EXPECT_THROW(x = max(broadcast_to(x, {0, 3}), axis=0), error);
    EXPECT_THROW((x += broadcast_to(1.f, {1})) += y, error);
    EXPECT_EQ(address(x), before);
    EXPECT_EQ(to_host(x), (std::vector<float>{2, 3, 4}));
}

TEST_F(values, the_same_expression_gives_the_same_bits) {
    const naive a = random({7, 5003}, 89);
    const auto x = to_array<float, 2>(a);
    const auto once = to_host(sum(x, axis=1) / sum(x * x));
    for (int again = 0; again < 3; ++again) EXPECT_EQ(to_host(sum(x, axis=1) / sum(x * x)), once);
}

TEST_F(values, host_data_comes_back) {
    std::vector<std::int16_t> v(35);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int16_t>(i * 7 - 50);
    const auto x = from_host(std::span(v), {5, 7});
    v[0] = 1234;  // a copy was made
    EXPECT_EQ(x.shape(), shape<2>(5, 7));
    EXPECT_EQ(to_host(x)[0], -50);
    EXPECT_EQ(to_host(x)[34], 34 * 7 - 50);
    const array<bool, 1> flags = {true, false, true};
    EXPECT_EQ(to_host(!flags), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(item(max(x)), 34 * 7 - 50);
    EXPECT_EQ(to_host(x.to(host())), to_host(x));
}

}  // namespace
}  // namespace sinter::test
