// at(x, indices) += values on machines with much, little and no shared memory: every arrangement of the sums gives the
// same bits, those of the exact sum but for what its unit does not have.
#include <tests/emulate/emulated_device.hpp>
#include <tests/language/places.hpp>

#include <gtest/gtest.h>
#include <sinter.hpp>

#include <complex>
#include <cstring>
#include <limits>
#include <random>

namespace sinter::emulate {
namespace {

using test::naive;

/// The emulated device with this much shared memory, current until the end of the scope.
class on_machine {
public:
    on_machine(std::size_t shared_bytes, run_order order, std::size_t l2_bytes = 1u << 20) : scope_(one()) {
        codegen::device_properties m = small_machine();
        m.dynamic_shared_per_block = shared_bytes;
        m.l2_bytes = l2_bytes;
        emulated().set_machine(m);
        emulated().set_order(order);
    }

private:
    static emulated_device& emulated() {
        static auto* const kept = new emulated_device;
        return *kept;
    }
    static device one() { return device(emulated()); }
    device_scope scope_;
};

constexpr std::size_t plenty = 227 * 1024;
struct arrangement {
    std::size_t shared_bytes;
    run_order order;
    std::size_t l2_bytes = 1u << 20;
};
/// One block has all sums; two to six parts, the last one smaller; all in global memory, by one launch or several.
const std::vector<arrangement> arrangements = {{plenty, run_order::forward}, {plenty, run_order::shuffled},
                                               {4100, run_order::reverse},   {1300, run_order::forward},
                                               {0, run_order::shuffled},     {0, run_order::reverse, 4500}};

template <class T>
std::vector<T> added(const std::vector<T>& to, const std::vector<int>& keys, const std::vector<T>& values,
                     std::int64_t rows, std::int64_t lanes) {
    const auto n = static_cast<std::int64_t>(keys.size());
    std::vector<T> first;
    for (const arrangement& a : arrangements) {
        const on_machine scope(a.shared_bytes, a.order, a.l2_bytes);
        array<T, 2> x = from_host(std::span(to), {rows, lanes});
        at(x, from_host(std::span(keys), {n}), axis=0) += from_host(std::span(values), {n, lanes});
        const std::vector<T> got = to_host(x);
        if (first.empty()) first = got;
        EXPECT_EQ(std::memcmp(first.data(), got.data(), got.size() * sizeof(T)), 0) << a.shared_bytes;
    }
    return first;
}

/// Against sums in long double. The unit of a sum is less than `unit` of its largest value.
template <class T>
void expect_sums(std::int64_t rows, std::int64_t lanes, std::size_t count, long double unit) {
    const naive start = test::random({rows * lanes}, 1),
                drawn = test::random({static_cast<std::int64_t>(count) * lanes}, 2);
    std::mt19937 engine(3);
    std::uniform_int_distribution<int> place(-3, static_cast<int>(rows) + 1), exponent(-40, 0);
    std::vector<int> keys(count);
    for (int& k : keys) k = place(engine);
    std::vector<T> to(start.values.begin(), start.values.end()), values(drawn.values.size());
    std::vector<long double> want(to.begin(), to.end()), largest(to.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(std::ldexp(drawn.values[i], exponent(engine)));
        const int key = keys[i / static_cast<std::size_t>(lanes)];
        const auto row = static_cast<std::size_t>(key < 0 ? key + rows : key);
        if (row >= static_cast<std::size_t>(rows)) continue;
        const std::size_t at = row * static_cast<std::size_t>(lanes) + i % static_cast<std::size_t>(lanes);
        want[at] += values[i];
        largest[at] = std::max(largest[at], std::abs(static_cast<long double>(values[i])));
    }
    const std::vector<T> got = added(to, keys, values, rows, lanes);
    const long double epsilon = std::numeric_limits<T>::epsilon();
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_LE(std::abs(got[i] - want[i]), epsilon * (std::abs(want[i]) + std::abs(want[i] - to[i])) +
                                                  static_cast<long double>(count) * unit * largest[i])
            << i;
}

TEST(sums_at_indices, of_floats) { expect_sums<float>(701, 1, 31001, 0x1p-40L); }
TEST(sums_at_indices, of_rows_of_floats) { expect_sums<float>(301, 3, 20011, 0x1p-40L); }
TEST(sums_at_indices, of_doubles) { expect_sums<double>(357, 1, 48001, 0x1p-75L); }
TEST(sums_at_indices, of_rows_of_doubles) { expect_sums<double>(119, 2, 72001, 0x1p-75L); }

/// Integers wrap.
template <class T>
void expect_integers() {
    const std::int64_t rows = 501, n = 35001;
    std::vector<T> to(rows, T(7)), values(n);
    std::vector<int> keys(n);
    std::mt19937_64 engine(4);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(engine());
        keys[i] = static_cast<int>(engine() % static_cast<std::uint64_t>(rows));
    }
    std::vector<T> want = to;
    for (std::size_t i = 0; i < values.size(); ++i) {
        T& here = want[static_cast<std::size_t>(keys[i])];
        here = static_cast<T>(static_cast<std::uint64_t>(here) + static_cast<std::uint64_t>(values[i]));
    }
    EXPECT_EQ(added(to, keys, values, rows, 1), want);
}
TEST(sums_at_indices, of_integers) {
    expect_integers<std::int8_t>();
    expect_integers<std::uint16_t>();
    expect_integers<int>();
    expect_integers<std::uint64_t>();
}

template <class T>
struct special_sum {
    T start;
    std::vector<T> received;
    T want;  ///< with its sign, if 0
};

/// Each of the first places has a case, the others receive ones.
template <class T>
void expect_special_sums() {
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), zero = T(0);
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
    const std::vector<special_sum<T>> cases = {
        {1, {inf, 3, inf}, inf},
        {1, {-inf, most, -1}, -inf},
        {1, {inf, -inf}, nan},
        {1, {nan, 1}, nan},
        {1, {nan, inf, 1}, nan},
        {inf, {-inf}, nan},
        {inf, {most}, inf},
        {-zero, {-zero, -zero}, -zero},
        {-zero, {-zero, zero}, zero},
        {-zero, {T(1), T(-1)}, zero},
        {-zero, {}, -zero},
        {0, {least, least, least}, 3 * least},
        {least, {-least}, zero},
        {0, {most, most}, inf},
        {0, {most, most, -most}, most},  // no sum overflows on the way
        {0, {most, least}, most},
        {0, {std::numeric_limits<T>::min(), -least}, std::numeric_limits<T>::min() - least},
    };
    const std::int64_t rows = 600, n = 30000;
    std::vector<T> to(rows, T(1)), values(n, T(1));
    std::vector<int> keys(n);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(cases.size() + i % 500);
    std::size_t used = 0;
    for (std::size_t c = 0; c < cases.size(); ++c) {
        to[c] = cases[c].start;
        for (const T value : cases[c].received) {
            const std::size_t at = used++ * 997 % keys.size();
            keys[at] = static_cast<int>(c);
            values[at] = value;
        }
    }
    const std::vector<T> got = added(to, keys, values, rows, 1);
    for (std::size_t c = 0; c < cases.size(); ++c) {
        EXPECT_TRUE(std::isnan(cases[c].want) ? std::isnan(got[c]) : got[c] == cases[c].want) << c << ": " << got[c];
        EXPECT_TRUE(std::isnan(cases[c].want) || std::signbit(got[c]) == std::signbit(cases[c].want)) << c;
    }
}
TEST(sums_at_indices, of_special_floats) { expect_special_sums<float>(); }
TEST(sums_at_indices, of_special_doubles) { expect_special_sums<double>(); }

TEST(sums_at_indices, of_complex_numbers) {
    using C = std::complex<float>;
    std::vector<C> to(400, C(1, -1)), values(50000, C(0.5f, 2));
    std::vector<int> keys(values.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(i % 400);
    EXPECT_EQ(added(to, keys, values, 400, 1), std::vector<C>(400, C(1 + 125 * 0.5f, -1 + 125 * 2)));
}

/// The axis of the indices is the last one: neighbouring values have different keys, and rows of places are apart.
TEST(sums_at_indices, along_the_last_axis) {
    const on_machine scope(plenty, run_order::shuffled);
    const std::int64_t columns = 301, n = 20011;
    const naive x = test::random({3, columns}, 5), v = test::random({3, n}, 6);
    const auto places = test::random_places(columns, static_cast<std::size_t>(n), 7);
    auto a = test::to_array<double, 2>(x);
    at(a, test::to_indices<int>(places), axis=1) += test::to_array<double, 2>(v);
    test::expect_equal(a, test::with_added(x, places, 1, v), 1e-12);
}

}  // namespace
}  // namespace sinter::emulate
