// Arrays given by a formula, and random numbers: values, extents, the published test vectors, simple statistics.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

class generators : public on_devices {};

TEST_F(generators, arange) {
    EXPECT_EQ(to_host(sinter::arange<int>(5)), (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_EQ(to_host(sinter::arange(10, 0, -3)), (std::vector<int>{10, 7, 4, 1}));
    EXPECT_EQ(to_host(sinter::arange(3, 3)), std::vector<int>());
    EXPECT_EQ(to_host(sinter::arange(3, 0)), std::vector<int>());
    EXPECT_EQ(sinter::arange(0.0, 1.0, 0.1).size(), 10);
    EXPECT_EQ(to_host(sinter::arange(1.0f, 2.1f, 0.5f)), (std::vector<float>{1, 1.5f, 2}));
    EXPECT_EQ(sinter::arange(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                             std::int64_t{1} << 62)
                  .size(),
              4);
    EXPECT_THROW((void)sinter::arange(0, 5, 0), error);
    const array<double, 1> x = {5, 6, 7};
    EXPECT_EQ(to_host(x * sinter::arange<int>(3)), (std::vector<double>{0, 6, 14}));
    EXPECT_EQ(item(sum(sinter::arange<int>(100001))), std::int64_t{100000} * 100001 / 2);
}

TEST_F(generators, linspace_and_logspace) {
    EXPECT_EQ(to_host(linspace(0.0, 1.0, 5)), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(to_host(linspace(2.0f, 3.0f, 1)), (std::vector<float>{2}));
    EXPECT_TRUE(to_host(linspace(0.0, 1.0, 0)).empty());
    const auto thirds = to_host(linspace(0.1, 0.7, 1001));
    EXPECT_EQ(thirds.back(), 0.7);  // not what 1000 steps add up to
    expect_equal(logspace(0.0, 3.0, 4), naive({4}, {1, 10, 100, 1000}));
    EXPECT_THROW((void)linspace(0.0, 1.0, -1), error);
    EXPECT_THROW((void)logspace(0, 1, -1), error);
    EXPECT_THROW((void)geomspace(1, 2, -1), error);
}

TEST_F(generators, of_mixed_numbers) {
    EXPECT_EQ(to_host(sinter::arange(0, 1, 0.25)), (std::vector<double>{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(to_host(sinter::arange(1, 2.5f)), (std::vector<float>{1, 2}));
    EXPECT_EQ(to_host(sinter::arange(-1, std::size_t{2})), (std::vector<std::int64_t>{-1, 0, 1}));
    EXPECT_EQ(to_host(sinter::arange<float>(0, 1, 0.5)), (std::vector<float>{0, 0.5f}));
    EXPECT_EQ(to_host(sinter::arange<int>(2.5)), (std::vector<int>{0, 1, 2}));
    EXPECT_THROW((void)sinter::arange(0, ~std::uint64_t{0}), error);
    EXPECT_EQ(to_host(linspace(0, 1, 5)), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(to_host(linspace(1, 0.f, 3)), (std::vector<float>{1, 0.5f, 0}));
    EXPECT_EQ(to_host(linspace<int>(-1, 10, 5)), (std::vector<int>{-1, 1, 4, 7, 10}));
    EXPECT_EQ(linspace(0, 1).size(), 50);
}

TEST_F(generators, without_the_end) {
    EXPECT_EQ(to_host(linspace(0, 1, 4, endpoint=false)), (std::vector<double>{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(to_host(linspace(3, 1, 1, endpoint=false)), (std::vector<double>{3}));
    EXPECT_EQ(to_host(linspace(0, 1, 2, endpoint=true)), (std::vector<double>{0, 1}));
    EXPECT_TRUE(to_host(linspace(0, 1, 0, endpoint=false)).empty());
    expect_equal(logspace(0, 4, 4, 2, endpoint=false), naive({4}, {1, 2, 4, 8}));
    expect_equal(logspace(0, 3, 3, endpoint=false), naive({3}, {1, 10, 100}));
    expect_equal(geomspace(1, 1000, 3, endpoint=false), naive({3}, {1, 10, 100}), 1e-15);
}

TEST_F(generators, geomspace) {
    expect_equal(sinter::geomspace(1, 1000, 4), naive({4}, {1, 10, 100, 1000}), 1e-15);
    expect_equal(sinter::geomspace(-256., -1, 9), naive({9}, {-256, -128, -64, -32, -16, -8, -4, -2, -1}), 1e-15);
    EXPECT_EQ(to_host(sinter::geomspace(0.1, 0.7, 11)).front(), 0.1);
    EXPECT_EQ(to_host(sinter::geomspace(0.1, 0.7, 11)).back(), 0.7);
    EXPECT_EQ(to_host(sinter::geomspace(3.f, 5, 1)), (std::vector<float>{3}));
    using C = std::complex<double>;
    const auto turned = to_host(sinter::geomspace(C(1), C(0, 8), 4));
    for (int i = 0; i < 4; ++i)
        EXPECT_LT(std::abs(turned[static_cast<std::size_t>(i)] - std::pow(C(0, 8), i / 3.0)), 1e-14);
}

TEST_F(generators, eye_and_triangles) {
    expect_equal(eye<double>(3), naive({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
    expect_equal(eye<float>(2, 4, 1), naive({2, 4}, {0, 1, 0, 0, 0, 0, 1, 0}));
    expect_equal(tri<int>(3, 3, -1), naive({3, 3}, {0, 0, 0, 1, 0, 0, 1, 1, 0}));
    expect_equal(eye(2), naive({2, 2}, {1, 0, 0, 1}));
    expect_equal(tri(2), naive({2, 2}, {1, 0, 1, 1}));
    EXPECT_EQ(eye(2, 3, 1).dtype(), dtype::float64);
    const naive x = test::random({9, 11}, 1);
    const auto a = to_array<double, 2>(x);
    naive lower = x, upper = x;
    for_each_index(x.shape, [&](const index& at) {
        if (at[1] > at[0]) lower[at] = 0;
        if (at[1] < at[0] + 2) upper[at] = 0;
    });
    expect_equal(tril(a), lower);
    expect_equal(triu(a, 2), upper);
    EXPECT_EQ(item(sum(eye<double>(17, 300, 290) * 2.0)), 20);
}

/// Half types are computed in float32 and rounded once; complex numbers go along a line.
template <class T>
void check_halves() {
    const auto as_floats = [](const auto& e) {
        std::vector<float> values;
        for (const T v : to_host(e)) values.push_back(static_cast<float>(v));
        return values;
    };
    const auto rounded = [](auto... v) { return std::vector<float>{static_cast<float>(T(v))...}; };
    static_assert(decltype(sinter::arange(T(0), T(1), T(1)))::type == dtype_of<T>);
    EXPECT_EQ(as_floats(sinter::arange<T>(T(5))), rounded(0, 1, 2, 3, 4));
    EXPECT_EQ(as_floats(sinter::arange(T(1), T(0), T(-0.25))), rounded(1, 0.75, 0.5, 0.25));
    EXPECT_EQ(as_floats(linspace(T(0), T(1), 4)), rounded(0.f, 1 / 3.f, 2 / 3.f, 1.f));
    EXPECT_EQ(as_floats(linspace(T(0), T(8192), 8193)(range(4001, 4004))), rounded(4001.f, 4002.f, 4003.f));
    EXPECT_EQ(as_floats(logspace(T(0), T(3), 4)), rounded(1, 10, 100, 1000));
    EXPECT_EQ(as_floats(eye<T>(2)), rounded(1, 0, 0, 1));
    EXPECT_EQ(as_floats(tri<T>(2, 3)), rounded(1, 0, 0, 1, 1, 0));
}
TEST_F(generators, of_halves) {
    check_halves<float16>();
    check_halves<bfloat16>();
}

template <class C>
void check_complex() {
    using R = typename C::value_type;
    EXPECT_EQ(to_host(sinter::arange<C>(3)), (std::vector<C>{0, 1, 2}));
    EXPECT_EQ(to_host(sinter::arange(C(0, 1), C(2, 5), C(1, 2))), (std::vector<C>{C(0, 1), C(1, 3)}));
    EXPECT_EQ(to_host(sinter::arange(C(0, 0), C(0, 3), C(0, 1))), (std::vector<C>{0, C(0, 1), C(0, 2)}));
    EXPECT_EQ(to_host(linspace(C(0, 1), C(4, -1), 3)), (std::vector<C>{C(0, 1), C(2, 0), C(4, -1)}));
    EXPECT_EQ(to_host(linspace(C(R(0.1), 1), C(R(0.7), -1), 1001)).back(), C(R(0.7), -1));
    EXPECT_EQ(to_host(eye<C>(2)), (std::vector<C>{1, 0, 0, 1}));
    EXPECT_EQ(to_host(tri<C>(2, 2, 1)), (std::vector<C>{1, 1, 1, 1}));
}
TEST_F(generators, of_complex_numbers) {
    check_complex<std::complex<float>>();
    check_complex<std::complex<double>>();
}

using philox_words = std::vector<std::uint64_t>;

/// Philox4x32-10 by the paper's round function (Salmon and others 2011, section 3.3).
philox_words plain_philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t seed) {
    constexpr std::uint64_t low = 0xffffffffu;
    philox_words c = {counter & low, counter >> 32, stream & low, stream >> 32};
    std::uint64_t k0 = seed & low, k1 = seed >> 32;
    for (int round = 0; round < 10; ++round, k0 = (k0 + 0x9e3779b9u) & low, k1 = (k1 + 0xbb67ae85u) & low) {
        const std::uint64_t first = 0xd2511f53u * c[0], second = 0xcd9e8d57u * c[2];
        c = {(second >> 32) ^ c[1] ^ k0, second & low, (first >> 32) ^ c[3] ^ k1, first & low};
    }
    return c;
}

/// The known answers of Philox4x32-10, from kat_vectors of the Random123 library (D. E. Shaw Research).
TEST_F(generators, philox_gives_the_published_answers) {
    EXPECT_EQ(plain_philox(0, 0, 0), (philox_words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(plain_philox(~0ull, ~0ull, ~0ull), (philox_words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(plain_philox(0x85a308d3243f6a88u, 0x0370734413198a2eu, 0x299f31d0a4093822u),
              (philox_words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    for (const std::uint64_t counter : {0ull, 1ull, 0x243f6a88ull, 0x13198a2e03707344ull, ~0ull >> 2})
        for (const std::uint64_t seed : {0ull, 42ull, ~0ull, 0x299f31d0a4093822ull}) {
            const array<std::uint64_t, 1> places = {4 * counter, 4 * counter + 1, 4 * counter + 2, 4 * counter + 3};
            EXPECT_EQ(to_host(sinter::detail::random_word(places, ~seed, seed)), plain_philox(counter, ~seed, seed));
        }
}

/// What the words become, so that a stream stays what it is.
TEST_F(generators, four_floats_and_two_doubles_share_a_block) {
    const random_key key(42, 5);
    const auto floats = to_host(uniform<float>(key, {6}));
    const auto doubles = to_host(uniform<double>(key, {4}));
    const auto normals = to_host(sinter::normal<double>(key, {4}));
    for (std::uint64_t i = 0; i < 6; ++i) {
        const std::uint64_t word = plain_philox(i / 4, 5, 42)[i % 4];
        EXPECT_EQ(floats[i], static_cast<float>(word >> 8) * 0x1p-24f);
    }
    const auto wide = [](std::uint64_t i) {
        const philox_words block = plain_philox(i / 2, 5, 42);
        return block[2 * (i % 2)] | block[2 * (i % 2) + 1] << 32;
    };
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(doubles[i], static_cast<double>(wide(i) >> 11) * 0x1p-53);
        const double distance = std::sqrt(-2 * std::log(static_cast<double>((wide(i & 2) >> 11) + 1) * 0x1p-53));
        const double angle = 2 * 3.14159265358979323846 * 0x1p-53 * static_cast<double>(wide(i | 1) >> 11);
        EXPECT_NEAR(normals[i], distance * (i % 2 == 0 ? std::cos(angle) : std::sin(angle)), 1e-14);
    }
}

TEST_F(generators, probabilities_at_the_edges) {
    const random_key key(3);
    const std::int64_t n = 1000;
    const auto hits = [&](double p) { return item(count_nonzero(bernoulli(key, p, {n}))); };
    EXPECT_EQ(hits(0), 0);
    EXPECT_EQ(hits(-1), 0);
    EXPECT_EQ(hits(std::nan("")), 0);
    EXPECT_EQ(hits(1), n);
    EXPECT_EQ(hits(2), n);
    EXPECT_EQ(hits(0x1p-40), 0);
}

/// Four standard deviations and more are as frequent as they shall be; neighbours share a radius and are independent.
TEST_F(generators, neighbouring_normals_are_independent) {
    const std::int64_t n = emulated() ? 20000 : 1000000;
    const double slack = 5 / std::sqrt(static_cast<double>(n));
    const array<float, 1> g = sinter::normal<float>(random_key(11), {n});
    const auto even = astype<double>(g(range(0, end, 2))), odd = astype<double>(g(range(1, end, 2)));
    EXPECT_NEAR(item(mean(even * odd)), 0, slack * 2);
    EXPECT_NEAR(item(mean(square(even) * square(odd))), 1, slack * 6);
    EXPECT_NEAR(item(mean(astype<double>(abs(g) > 3.f))), 0.0026998, slack * 0.1);
    EXPECT_LT(item(max(abs(g))), 6.8f);
}

TEST_F(generators, random_numbers_depend_on_key_and_place_alone) {
    const random_key key(42);
    const auto whole = to_host(uniform(key, {1000}));
    EXPECT_EQ(to_host(uniform(key, {10, 100})), whole);
    EXPECT_EQ(to_host(uniform(key, {1000})(range(500, end))), std::vector<double>(whole.begin() + 500, whole.end()));
    EXPECT_NE(to_host(uniform(key.split(0), {1000})), whole);
    EXPECT_NE(to_host(uniform(key.split(1), {1000})), to_host(uniform(key.split(0), {1000})));
    EXPECT_NE(to_host(uniform(random_key(43), {1000})), whole);
    const device_scope on_host(host());  // the same bits as on the device under test
    EXPECT_EQ(to_host(uniform(key, {1000})), whole);
}

/// Each of 0 to n - 1 once.
void expect_permutation(const std::vector<std::int64_t>& p, std::int64_t n) {
    ASSERT_EQ(p.size(), static_cast<std::size_t>(n));
    std::vector<bool> seen(p.size());
    for (const std::int64_t i : p) {
        ASSERT_TRUE(i >= 0 && i < n) << i << " of " << n;
        ASSERT_FALSE(seen[static_cast<std::size_t>(i)]) << i << " twice of " << n;
        seen[static_cast<std::size_t>(i)] = true;
    }
}

TEST_F(generators, permutations_are_bijections) {
    for (std::int64_t n = 0; n <= 2000; n += emulated() ? 37 : 1)
        expect_permutation(to_host(permutation(random_key(static_cast<std::uint64_t>(n), 3), n)), n);
    if (emulated()) return;
    for (const std::int64_t n : {(std::int64_t{1} << 20) - 1, std::int64_t{1} << 20, (std::int64_t{1} << 20) + 1})
        expect_permutation(to_host(permutation(random_key(1), n)), n);
}

/// Far beyond what can be stored: the places of neighbours are below n and differ, and the way back is not needed.
TEST_F(generators, permutations_of_very_many) {
    const std::int64_t n = std::int64_t{1} << 62;
    auto some = to_host(permutation(random_key(5), n)(range(n - 3000, end)));
    EXPECT_GE(*std::min_element(some.begin(), some.end()), 0);
    EXPECT_GT(*std::max_element(some.begin(), some.end()), n / 2);
    std::sort(some.begin(), some.end());
    EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
}

TEST_F(generators, permutations_depend_on_their_key_alone) {
    const random_key key(42, 1);
    const auto order = to_host(permutation(key, 1000));
    EXPECT_EQ(to_host(permutation(key, 1000)), order);
    EXPECT_NE(to_host(permutation(random_key(43, 1), 1000)), order);
    EXPECT_NE(to_host(permutation(random_key(42, 2), 1000)), order);
    EXPECT_NE(to_host(permutation(key.split(0), 1000)), order);
    EXPECT_NE(to_host(permutation(key, 1001)(range(0, 1000))), order);
    EXPECT_THROW((void)permutation(key, -1), error);
    const device_scope on_host(host());  // the same as on the device under test
    EXPECT_EQ(to_host(permutation(key, 1000)), order);
}

/// Every order of four is as likely as the others: chi-squared with 23 degrees of freedom, which exceeds 60 by chance
/// once in 30000 times (and the keys are fixed).
TEST_F(generators, permutations_are_all_as_likely) {
    if (emulated()) return;  // the same numbers, for minutes
    constexpr int draws = 4800;
    std::vector<int> seen(256);
    for (int k = 0; k < draws; ++k) {
        const auto p = to_host(permutation(random_key(static_cast<std::uint64_t>(k)), 4));
        ++seen[static_cast<std::size_t>(p[0] << 6 | p[1] << 4 | p[2] << 2 | p[3])];
    }
    double chi2 = 0;
    int orders = 0;
    for (const int n : seen) {
        if (n == 0) continue;
        ++orders;
        chi2 += (n - draws / 24.) * (n - draws / 24.) / (draws / 24.);
    }
    EXPECT_EQ(orders, 24);
    EXPECT_LT(chi2, 60);
}

TEST_F(generators, shuffle_moves_whole_slices) {
    const random_key key(7);
    const naive x = test::random({5, 9}, 2);
    const auto a = to_array<double, 2>(x);
    for (const int axis_at : {0, 1}) {
        const auto order = to_host(permutation(key, x.shape[static_cast<std::size_t>(axis_at)]));
        naive moved(x.shape);
        for_each_index(x.shape, [&](index at) {
            const index to = at;
            auto& i = at[static_cast<std::size_t>(axis_at)];
            i = order[static_cast<std::size_t>(i)];
            moved[to] = x[at];
        });
        expect_equal(shuffle(key, a, axis=axis_at), moved);
        if (axis_at == 0) expect_equal(shuffle(key, a), moved);
    }
    EXPECT_EQ(explain(sum(shuffle(key, a * 2.0, axis=1), axis=1)).launches, 1);
    EXPECT_TRUE(to_host(shuffle(key, array<double, 1>(shape<1>(0)))).empty());
}

TEST_F(generators, distributions) {
    const std::int64_t n = emulated() ? 20000 : 1000000;
    const double slack = 5 / std::sqrt(static_cast<double>(n));  // five standard deviations of a mean, and more
    const random_key key(7);
    const auto u = uniform<float>(key, {n});
    EXPECT_NEAR(item(mean(astype<double>(u))), 0.5, slack * 0.29);
    EXPECT_NEAR(item(var(astype<double>(u))), 1. / 12, slack * 0.08);
    EXPECT_GE(item(min(u)), 0);
    EXPECT_LT(item(max(u)), 1);
    const auto g = sinter::normal(key, {n});
    EXPECT_NEAR(item(mean(g)), 0, slack);
    EXPECT_NEAR(item(var(g)), 1, slack * 1.5);
    EXPECT_NEAR(item(mean(g * g * g)), 0, slack * 4);
    const auto i = integers<int>(key, -3, 4, {n});
    EXPECT_EQ(item(min(i)), -3);
    EXPECT_EQ(item(max(i)), 3);
    EXPECT_NEAR(item(mean(i)), 0, slack * 2);
    for (int v : {-3, 0, 3})
        EXPECT_NEAR(static_cast<double>(item(count_nonzero(i == v))) / static_cast<double>(n), 1. / 7, slack);
    EXPECT_NEAR(static_cast<double>(item(count_nonzero(bernoulli(key, 0.3, {n})))) / static_cast<double>(n), 0.3,
                slack);
    EXPECT_THROW((void)integers(key, 3, 3, {n}), error);
}

}  // namespace
}  // namespace sinter::test
