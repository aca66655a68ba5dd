// Selection by rank against sorted rows: the first elements and middle ones, of all lengths and dtypes, with many equal
// elements, NaN and infinities.
#include <sinter/quantile.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

namespace sinter::test {
namespace {

class selection : public on_devices {};

/// What rows are made of.
enum class values { different, few, one, special };

template <class T>
std::vector<T> elements(std::int64_t count, values of, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> all(static_cast<std::size_t>(count));
    for (T& x : all) {
        const int n = static_cast<int>(random() % 100000);
        switch (of) {
            case values::different:
                if constexpr (std::is_integral_v<T>)
                    x = static_cast<T>(n / 7 - 5000);  // which wraps around
                else
                    x = static_cast<T>(static_cast<float>(n) / 7 - 5000);
                break;
            case values::few: x = static_cast<T>(n % 3); break;
            case values::one: x = static_cast<T>(1); break;
            case values::special:
                x = static_cast<T>(static_cast<float>(n % 50));
                if constexpr (!std::is_integral_v<T>) {
                    const float chosen[] = {-0.0f, 0.0f, std::numeric_limits<float>::infinity(),
                                            -std::numeric_limits<float>::infinity(),
                                            std::numeric_limits<float>::quiet_NaN()};
                    if (n % 7 < 5) x = static_cast<T>(chosen[n % 7]);
                }
        }
    }
    return all;
}

template <class T>
bool comes_first(const T& x, const T& y) {
    const auto a = static_cast<double>(x), b = static_cast<double>(y);
    return a > b || (std::isnan(a) && !std::isnan(b));
}

template <class T>
void expect_first(std::int64_t rows, std::int64_t length, std::int64_t count, values of) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << " " << rows << " x " << length << ", " << count << " of "
                                    << static_cast<int>(of));
    const std::vector<T> all = elements<T>(rows * length, of, static_cast<unsigned>(length + count));
    const auto x = from_host(std::span<const T>(all), {rows, length});
    std::vector<T> wanted;
    std::vector<std::int64_t> places;
    for (std::int64_t r = 0; r < rows; ++r) {
        const T* const row = all.data() + r * length;
        std::vector<std::int64_t> at(static_cast<std::size_t>(length));
        std::iota(at.begin(), at.end(), 0);
        std::stable_sort(at.begin(), at.end(), [&](auto i, auto j) { return comes_first(row[i], row[j]); });
        for (std::int64_t i = 0; i < count; ++i) {
            places.push_back(at[static_cast<std::size_t>(i)]);
            wanted.push_back(row[places.back()]);
        }
    }
    array<T, 2> found;
    array<std::int64_t, 2> from;
    tie(found, from) = pack(topk(x, count), argtopk(x, count));
    EXPECT_EQ(to_host(from), places);
    const auto got = to_host(found);
    ASSERT_EQ(got.size(), wanted.size());
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(T)), 0);
}

TEST_F(selection, of_the_first_elements) {
    for (const values of : {values::different, values::few, values::one, values::special}) {
        expect_first<float>(3, 300, 5, of);
        expect_first<float>(2, 3000, 256, of);
        expect_first<float>(1, 9001, 17, of);
        expect_first<float>(70, 700, 9, of);  // as many rows as warps need
        if (emulated()) continue;
        expect_first<float>(5, 20, 20, of);
        expect_first<float>(2, 4096, 1, of);
        expect_first<float>(2, 4096, 1000, of);
        expect_first<float>(2, 4097, 300, of);
        expect_first<double>(2, 1025, 100, of);
        expect_first<std::int64_t>(1, 40000, 64, of);
    }
    expect_first<double>(1, 600, 9, values::special);
    expect_first<std::uint8_t>(1, 600, 9, values::different);
    expect_first<double>(65, 300, 32, values::special);
    expect_first<std::uint8_t>(65, 300, 1, values::few);
    if (emulated()) return;
    expect_first<float16>(3000, 700, 9, values::special);
    expect_first<std::int64_t>(3000, 5000, 32, values::different);
    expect_first<float16>(2, 700, 9, values::special);
    expect_first<std::int16_t>(2, 20000, 9, values::different);
    expect_first<float>(1, 1 << 18, 200, values::different);
}

// Each element precedes all before it, or none does.
TEST_F(selection, of_rows_in_order) {
    const std::int64_t rows = emulated() ? 65 : 5000, length = 1100;
    const auto up = astype<float>(arange<std::int64_t>(length)) + zeros<float>({rows, 1});
    const auto greatest = to_host(topk(up, 20)), least = to_host(topk(-up, 20));
    for (std::size_t i = 0; i < greatest.size(); ++i) {
        ASSERT_EQ(greatest[i], static_cast<float>(length - 1 - static_cast<std::int64_t>(i % 20)));
        ASSERT_EQ(least[i], -static_cast<float>(i % 20));
    }
}

void expect_quantiles(std::int64_t length, values of) {
    SCOPED_TRACE(testing::Message() << length << " of " << static_cast<int>(of));
    const std::vector<float> all = elements<float>(2 * length, of, static_cast<unsigned>(length));
    const auto x = from_host(std::span<const float>(all), {2, length});
    for (const double q : {0.0, 0.31, 0.5, 1.0}) {
        const auto found = to_host(quantile(x, q, quantile_method::lower, axis=1));
        for (std::int64_t r = 0; r < 2; ++r) {
            std::vector<float> row(all.begin() + r * length, all.begin() + (r + 1) * length);
            std::sort(row.begin(), row.end());
            EXPECT_EQ(found[static_cast<std::size_t>(r)],
                      row[static_cast<std::size_t>(std::floor(static_cast<double>(length - 1) * q))]);
        }
        if (emulated() && length > 1000) break;
    }
}

TEST_F(selection, of_ranks_in_between) {
    for (const values of : {values::different, values::few, values::one}) {
        expect_quantiles(300, of);
        expect_quantiles(4096, of);
        if (emulated()) continue;
        expect_quantiles(7, of);
        expect_quantiles(1500, of);
        expect_quantiles(5000, of);
    }
}

TEST_F(selection, a_nan_spoils_its_row_and_no_other) {
    for (const std::int64_t length : {5, 600, 5000}) {
        const auto i = arange<std::int64_t>(length);
        const auto x = where(i == length - 2, std::numeric_limits<float>::quiet_NaN(), astype<float>(i));
        const auto both = stack(x, astype<float>(i), axis=0);
        const auto found = to_host(median(both, axis=1));
        EXPECT_TRUE(std::isnan(found[0])) << length;
        EXPECT_EQ(found[1], static_cast<float>(length - 1) / 2);
        EXPECT_TRUE(std::isnan(to_host(quantile(both, 0, axis=1))[0])) << length;
        if (emulated()) break;
    }
}

TEST_F(selection, is_a_launch_of_its_own) {
    const array<float, 2> x = zeros<float>({3, 3000});
    EXPECT_EQ(explain(topk(x, 4)).launches, 1);
    EXPECT_EQ(explain(median(x, axis=1)).launches, 2);
    EXPECT_EQ(explain(pack(topk(x, 4), argtopk(x, 4))).launches, 1);
}

}  // namespace
}  // namespace sinter::test
