// Sorting in every dtype, along every axis, of all lengths, against std::stable_sort.
#include <sinter/sort.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace sinter::test {
namespace {

class sorting : public on_devices {};

template <class T>
constexpr bool is_complex_type = false;
template <class F>
constexpr bool is_complex_type<std::complex<F>> = true;

/// Whether x stands before y in NumPy's order.
template <class T>
bool before(const T& x, const T& y) {
    if constexpr (is_complex_type<T>) {
        const auto rank = [](const T& z) { return 2 * std::isnan(z.real()) + std::isnan(z.imag()); };
        if (rank(x) != rank(y)) return rank(x) < rank(y);
        const bool same = x.real() == y.real() || std::isnan(x.real());
        return same ? x.imag() < y.imag() : x.real() < y.real();
    } else {
        const auto a = static_cast<double>(x), b = static_cast<double>(y);
        return a < b || (std::isnan(b) && !std::isnan(a));
    }
}

template <class T>
std::vector<T> elements(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    const auto real = [&]() -> double {
        switch (random() % 12) {
            case 0: return std::numeric_limits<double>::quiet_NaN();
            case 1: return -0.0;
            case 2: return 0.0;
            case 3: return std::numeric_limits<double>::infinity();
            case 4: return -std::numeric_limits<double>::infinity();
            default: return static_cast<double>(static_cast<int>(random() % 41) - 20) / 8;
        }
    };
    std::vector<T> all(n);
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (is_complex_type<T>)
            all[i] = T(static_cast<typename T::value_type>(real()), static_cast<typename T::value_type>(real()));
        else if constexpr (std::is_integral_v<T>)
            all[i] = static_cast<T>(random());
        else
            all[i] = static_cast<T>(static_cast<float>(real()));
    }
    return all;
}

template <class T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(std::memcmp(&a[i], &b[i], sizeof(T)), 0) << "element " << i << " of " << a.size();
}

template <class T>
void expect_sorted(const std::vector<T>& all, std::int64_t rows, std::int64_t length) {
    SCOPED_TRACE(testing::PrintToString(std::pair(rows, length)) + " " + name(dtype_of<T>));
    const auto x = from_host(std::span<const T>(all), {rows, length});
    for (const bool down : {false, true}) {
        std::vector<T> values;
        std::vector<std::int64_t> order;
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* const row = all.data() + r * length;
            std::vector<std::int64_t> at(static_cast<std::size_t>(length));
            std::iota(at.begin(), at.end(), 0);
            std::stable_sort(at.begin(), at.end(), [&](std::int64_t i, std::int64_t j) {
                return down ? before(row[j], row[i]) : before(row[i], row[j]);
            });
            for (const std::int64_t i : at) values.push_back(row[i]);
            order.insert(order.end(), at.begin(), at.end());
        }
        array<T, 2> s;
        array<std::int64_t, 2> i;
        if (down) {
            s = sort(x, descending);
            i = argsort(x, axis=1_c, descending);
        } else {
            tie(s, i) = pack(sort(x), argsort(x));
        }
        expect_same_bits(to_host(s), values);
        EXPECT_EQ(to_host(i), order);
    }
}

template <class T>
void expect_sorted_rows(std::int64_t rows, std::int64_t length, unsigned seed) {
    expect_sorted(elements<T>(static_cast<std::size_t>(rows * length), seed), rows, length);
}

TEST_F(sorting, of_every_dtype) {
    unsigned seed = 1;
    const auto expect = [&]<class... T>() {
        (expect_sorted_rows<T>(3, 37, seed++), ...);
        if (!emulated()) (expect_sorted_rows<T>(2, 5000, seed++), ...);
    };
    expect.operator()<float, float16, std::int8_t, std::uint64_t, std::complex<float>>();
    if (emulated()) return;
    expect.operator()<double, bfloat16, float8_e4m3, float8_e5m2, std::uint8_t, std::int16_t, std::uint16_t,
                      std::int32_t, std::uint32_t, std::int64_t, std::complex<double>>();
}

TEST_F(sorting, of_all_lengths) {
    unsigned seed = 100;
    const std::vector<std::int64_t> few = {33, 1024, 3000};
    const std::vector<std::int64_t> all = {1, 2, 3, 31, 32, 33, 64, 1000, 1023, 1024, 1025, 2047, 2049, 3000, 5000};
    for (const std::int64_t length : emulated() ? few : all)
        expect_sorted_rows<float>(length < 100 ? 41 : 2, length, seed++);
    expect_sorted_rows<std::uint8_t>(1, 40000, seed++);  // enough tiles to be summed up by a kernel
    if (emulated()) return;
    expect_sorted_rows<float>(1, 100001, seed++);
    expect_sorted_rows<std::int32_t>(3, 40000, seed++);
    expect_sorted_rows<std::uint8_t>(20000, 3, seed++);
}

/// Sorts without positions, which move keys rather than elements where equal keys have equal bits: of rows that have
/// only different elements, zeros of both signs, or several NaN as well.
template <class T>
void expect_sorted_values(std::int64_t rows, std::int64_t length) {
    SCOPED_TRACE(testing::PrintToString(std::pair(rows, length)) + " " + name(dtype_of<T>));
    std::mt19937 random(static_cast<unsigned>(length));
    std::vector<T> all(static_cast<std::size_t>(rows * length));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t row = static_cast<std::int64_t>(i) / length;
        all[i] = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000);
        if constexpr (std::is_floating_point_v<T>) {
            if (row % 3 == 1 && i % 3 == 0) all[i] = random() % 2 != 0 ? T(0) : T(-0.0f);
            if (row % 3 == 2 && i % 4 == 0)
                all[i] = std::copysign(std::numeric_limits<T>::quiet_NaN(), random() % 2 != 0 ? T(1) : T(-1));
        }
    }
    const auto x = from_host(std::span<const T>(all), {rows, length});
    for (const bool down : {false, true}) {
        std::vector<T> values = all;
        for (std::int64_t r = 0; r < rows; ++r)
            std::stable_sort(values.begin() + r * length, values.begin() + (r + 1) * length,
                             [&](const T& a, const T& b) { return down ? before(b, a) : before(a, b); });
        expect_same_bits(to_host(down ? array<T, 2>(sort(x, descending)) : array<T, 2>(sort(x))), values);
    }
}

TEST_F(sorting, of_values_alone) {
    expect_sorted_values<float>(200, 29);
    expect_sorted_values<float>(3, 300);
    expect_sorted_values<double>(3, 1000);
    expect_sorted_values<std::int32_t>(1, 4096);
    if (emulated()) return;
    for (const std::int64_t length : {1, 2, 8, 17, 32, 257, 511, 512, 513, 1024, 2047, 2049, 4095, 4096}) {
        expect_sorted_values<float>(301, length);
        expect_sorted_values<double>(301, length);
        expect_sorted_values<std::uint32_t>(7, length);
        expect_sorted_values<std::int64_t>(7, length);
    }
}

/// A digit that all elements of a row share moves none of them.
TEST_F(sorting, of_rows_that_share_digits) {
    constexpr std::int64_t length = 9001;
    std::mt19937 random(7);
    std::vector<std::int16_t> all;
    for (int row = 0; row < 5; ++row)
        for (std::int64_t i = 0; i < length; ++i) {
            const int low = static_cast<int>(random() % 256), high = static_cast<int>(random() % 256) - 128;
            const int value = row == 0   ? low
                              : row == 1 ? high * 256
                              : row == 2 ? -300
                              : row == 3 ? (i == length / 2 ? -1 : low)
                                         : high * 256 + low;
            all.push_back(static_cast<std::int16_t>(value));
        }
    expect_sorted(all, 5, length);
}

TEST_F(sorting, of_bools) {
    const array<bool, 1> x = {true, false, true, false};
    EXPECT_EQ(to_host(argsort(x)), (std::vector<std::int64_t>{1, 3, 0, 2}));
    EXPECT_EQ(to_host(astype<int>(sort(x, descending))), (std::vector<int>{1, 1, 0, 0}));
}

TEST_F(sorting, along_every_axis) {
    const std::vector<float> all = elements<float>(3 * 5 * 4, 7);
    const auto x = from_host(std::span<const float>(all), {3, 5, 4});
    for (int along = -3; along < 3; ++along) {
        const int a = along < 0 ? along + 3 : along;
        const std::int64_t shape[] = {3, 5, 4};
        const std::int64_t stride = a == 0 ? 20 : a == 1 ? 4 : 1;
        std::vector<float> values = all;
        for (std::int64_t start = 0; start < 60; ++start) {
            if (start / stride % shape[a] != 0) continue;
            std::vector<float> line;
            for (std::int64_t i = 0; i < shape[a]; ++i)
                line.push_back(all[static_cast<std::size_t>(start + i * stride)]);
            std::stable_sort(line.begin(), line.end(), before<float>);
            for (std::int64_t i = 0; i < shape[a]; ++i)
                values[static_cast<std::size_t>(start + i * stride)] = line[static_cast<std::size_t>(i)];
        }
        expect_same_bits(to_host(sort(x, axis=along)), values);
    }
    EXPECT_THROW(static_cast<void>(sort(x, axis=3)), error);
}

TEST_F(sorting, keys_of_one_length) {
    const array<int, 1> four = {2, 1, 2, 0}, three = {1, 0, 0};
    EXPECT_EQ(message_of([&] { return lexsort(four, three); }),
              "lexsort: keys of 4 and 3 elements; all keys have one length");
    EXPECT_THROW((void)lexsort(three, four), error);
    EXPECT_THROW((void)lexsort(four, four, three), error);
    EXPECT_EQ(to_host(lexsort(four, four)), (std::vector<std::int64_t>{3, 1, 0, 2}));
}

TEST_F(sorting, of_computed_halves_is_of_halves) {
    // the two sums differ as float32, and are one float16: their order stays
    const array<float16, 1> x = {float16(2048.0f), float16(2048.0f)}, y = {float16(0.75f), float16(0.5f)};
    EXPECT_EQ(to_host(argsort(x + y)), (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace sinter::test
