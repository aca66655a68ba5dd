// bincount and histogram: beside NumPy's counts, and beside plain loops for all dtypes, numbers of bins, lengths and
// alignments, so that every kernel has its turn.
#include <sinter/histogram.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

namespace sinter::test {
namespace {

using testing::Each;
using testing::ElementsAre;

class histograms : public on_devices {};

using counts = std::vector<std::int64_t>;

template <class T, int Rank = 1>
array<T, Rank> numpy(const char* name) {
    return load_npz<T, Rank>(SINTER_TEST_DIR "/data/counting.npz", name);
}

TEST_F(histograms, count_what_numpy_counts) {
    const auto x = numpy<double>("x");
    EXPECT_EQ(to_host(bincount(numpy<std::int64_t>("integers"), 320)), to_host(numpy<std::int64_t>("bincount")));
    for (const std::string edges : {"uneven", "even", "endless", "many"})
        EXPECT_EQ(to_host(histogram(x, numpy<double>(edges.c_str()))),
                  to_host(numpy<std::int64_t>(("of_" + edges).c_str())))
            << edges;
}

template <class T>
counts counted(const std::vector<T>& x, std::int64_t bins) {
    counts found(static_cast<std::size_t>(bins));
    for (const T v : x)
        if (std::cmp_greater_equal(v, 0) && std::cmp_less(v, bins)) ++found[static_cast<std::size_t>(v)];
    return found;
}

template <class T>
void expect_bincount(std::size_t length, std::int64_t bins, std::int64_t greatest) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ": " << length << " in " << bins);
    std::mt19937 random(static_cast<unsigned>(length));
    std::vector<T> x(length);
    for (T& v : x) v = static_cast<T>(static_cast<std::int64_t>(random() % static_cast<unsigned>(greatest + 5)) - 2);
    const auto a = from_host(x);
    EXPECT_EQ(to_host(bincount(a, bins)), counted(x, bins));
    if (length < 40) return;
    // elements that begin where 16 bytes do not
    x.erase(x.begin(), x.begin() + 3);
    EXPECT_EQ(to_host(bincount(a(range(3, end)), bins)), counted(x, bins));
}

TEST_F(histograms, integers_of_all_dtypes_and_lengths) {
    expect_bincount<std::int8_t>(5000, 100, 120);
    expect_bincount<std::uint8_t>(4099, 256, 255);
    expect_bincount<std::int16_t>(777, 1000, 1000);
    expect_bincount<std::uint16_t>(70001, 300, 400);
    expect_bincount<std::uint32_t>(9000, 8192, 9000);
    expect_bincount<std::int64_t>(30001, 33, 40);
    expect_bincount<std::uint64_t>(513, 5000, 6000);
    for (const std::size_t length : {0, 1, 15, 31, 255, 12345}) expect_bincount<std::int32_t>(length, 17, 20);
    expect_bincount<std::int32_t>(20011, 10007, 10500);  // more bins than shared memory holds
    expect_bincount<std::int32_t>(100, 100000, 100000);
}

TEST_F(histograms, integers_at_the_ends_of_their_dtypes) {
    using limits = std::numeric_limits<std::int64_t>;
    const array<std::int64_t, 1> x = {limits::min(), limits::max(), -1, 0, 2, 3, std::int64_t{1} << 32};
    EXPECT_THAT(to_host(bincount(x, 3)), ElementsAre(1, 0, 1));
    const array<std::uint64_t, 1> u = {std::numeric_limits<std::uint64_t>::max(), 1, std::uint64_t{1} << 63};
    EXPECT_THAT(to_host(bincount(u, 2)), ElementsAre(0, 1));
    EXPECT_TRUE(to_host(bincount(x, 0)).empty());
    EXPECT_THROW((void)bincount(x, -1), error);
}

TEST_F(histograms, equal_elements) {
    const std::int64_t n = 40000;
    const auto same = array<std::int32_t, 1>(broadcast_to(array<std::int32_t, 0>(7), {n}));
    EXPECT_EQ(item(bincount(same, 8)(7)), n);
    const auto far = array<std::int32_t, 1>(broadcast_to(array<std::int32_t, 0>(70000), {n}));
    EXPECT_EQ(item(bincount(far, 100000)(70000)), n);
    EXPECT_EQ(item(sum(bincount(far, 100000))), n);
}

TEST_F(histograms, counts_that_exceed_16_bits) {
    const std::int64_t bins = emulated() ? 8193 : 100001;
    std::vector<std::int32_t> x(emulated() ? 300000 : 40000000);
    std::mt19937 random(1);
    // the lower counter of a pair, the upper one, and the lower one of a pair that has no other
    for (const auto favourite : {std::int64_t{4}, std::int64_t{5}, bins - 1}) {
        for (std::int32_t& v : x)
            v = static_cast<std::int32_t>(random() % 16 == 0 ? random() % static_cast<unsigned>(bins + 1) : favourite);
        EXPECT_EQ(to_host(bincount(from_host(x), bins)), counted(x, bins)) << favourite;
    }
}

/// By the definition, with doubles.
template <class T>
counts counted_between(const std::vector<T>& x, const std::vector<T>& edges) {
    counts found(edges.size() - 1);
    for (const T v : x)
        for (std::size_t k = 0; k + 1 < edges.size(); ++k) {
            const auto low = static_cast<double>(edges[k]), high = static_cast<double>(edges[k + 1]);
            const auto at = static_cast<double>(v);
            if (at >= low && (at < high || (k + 2 == edges.size() && at == high))) ++found[k];
        }
    return found;
}

template <class T>
void expect_histogram(std::size_t length, std::size_t bins) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ": " << length << " in " << bins);
    std::mt19937 random(static_cast<unsigned>(bins));
    std::vector<T> x(length), edges(bins + 1);
    const auto draw = [&] {
        return static_cast<T>(static_cast<float>(random() % 2000) / 16 - (std::is_unsigned_v<T> ? 0 : 60));
    };
    for (T& v : x) v = draw();
    for (T& v : edges) v = draw();
    std::sort(edges.begin(), edges.end(), [](T a, T b) { return static_cast<double>(a) < static_cast<double>(b); });
    for (std::size_t i = 0; i < length; i += 7) x[i] = edges[i % edges.size()];
    const auto a = from_host(x);
    const auto e = from_host(edges);
    EXPECT_EQ(to_host(histogram(a, e)), counted_between(x, edges));
    x.erase(x.begin(), x.begin() + 1);
    EXPECT_EQ(to_host(histogram(a(range(1, end)), e)), counted_between(x, edges));
}

template <class T>
class histograms_of : public on_devices {};
using real_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t, std::uint64_t,
                                  float16, bfloat16, float, double>;
TYPED_TEST_SUITE(histograms_of, real_types);

TYPED_TEST(histograms_of, random_edges) {
    expect_histogram<TypeParam>(3001, 1);
    expect_histogram<TypeParam>(1999, 100);
    expect_histogram<TypeParam>(900, 2500);
}

// Beside each edge: where bins are found by arithmetic, unless an element is near one.
template <class T>
void expect_even(std::int64_t bins, T low, T high) {
    SCOPED_TRACE(testing::Message() << name(dtype_of<T>) << ": " << bins);
    const std::vector<T> edges = to_host(linspace<T>(low, high, bins + 1));
    constexpr T most = std::numeric_limits<T>::infinity();
    std::vector<T> x = {most, -most, std::numeric_limits<T>::quiet_NaN(), T(1e30), T(-1e30)};
    for (const T edge : edges) {
        x.insert(x.end(), {edge, std::nextafter(edge, most), std::nextafter(edge, -most)});
        for (int part = 1; part < 5; ++part) x.push_back(edge + static_cast<T>(part) / 4 * (edges[1] - edges[0]));
    }
    EXPECT_EQ(to_host(histogram(from_host(x), from_host(edges))), counted_between(x, edges));
}
TEST_F(histograms, evenly_spaced_edges) {
    expect_even<float>(1, 0, 1);
    expect_even<float>(10, -0.3f, 0.7f);
    expect_even<float>(256, 1000, 1001);
    expect_even<double>(256, -0.5, 0.5);
    if (emulated()) return;
    expect_even<float>(2048, -1, 3);
    expect_even<float>(100, -3e38f, 3e38f);
    expect_even<double>(2000, 1e-300, 2e-300);
}

TEST_F(histograms, edges_that_cells_cannot_tell_apart) {
    // near each other beside their distance from zero, in one cell but for the last, and of no width at all
    const std::vector<double> near = {1e9, 1e9 + 1e-6, 1e9 + 2e-6}, skewed = {0, 1e-300, 1e-200, 1, 1e300};
    const std::vector<double> x = {1e9, 1e9 + 1e-6, 1e9 + 2e-6, 1e9 + 3e-6, 1e-250, 1e-250, 1e-200, 0.5, 1e300, -1};
    EXPECT_EQ(to_host(histogram(from_host(x), from_host(near))), counted_between(x, near));
    EXPECT_EQ(to_host(histogram(from_host(x), from_host(skewed))), counted_between(x, skewed));
    const std::vector<double> one = {3, 3}, of_one = {3, 3, 2, 4};
    EXPECT_THAT(to_host(histogram(from_host(of_one), from_host(one))), ElementsAre(2));
    constexpr double most = std::numeric_limits<double>::max();
    const std::vector<double> whole = {-most, 0, most};  // whose width is infinite
    EXPECT_THAT(to_host(histogram(from_host(of_one), from_host(whole))), ElementsAre(0, 4));
}

TEST_F(histograms, compare_in_the_common_dtype) {
    const array<std::int32_t, 1> x = {0, 1, 2, 16777217};
    EXPECT_THAT(to_host(histogram(x, array<double, 1>{0, 0.5, 16777216.5})), ElementsAre(1, 2));
    EXPECT_THAT(to_host(histogram(x, array<std::int64_t, 1>{1, 2, 16777217})), ElementsAre(1, 2));
    EXPECT_THAT(to_host(histogram(array<std::int64_t, 1>{-1, 0, 5}, array<std::uint64_t, 1>{0, 5, 9})),
                ElementsAre(1, 1));
    EXPECT_THAT(to_host(histogram(x > 1, array<float, 1>{0, 0.5f, 1})), ElementsAre(2, 2));
}

TEST_F(histograms, are_steps_of_expressions) {
    const array<float, 1> x = {0.5f, 1.5f, 1.25f, -3};
    const array<float, 1> edges = {0, 1, 2};
    EXPECT_EQ(explain(bincount(array<int, 1>{1, 2}, 3)).launches, 1);
    EXPECT_EQ(explain(histogram(x, edges)).launches, 1);
    EXPECT_EQ(explain(histogram(exp(x), edges)).launches, 1);
    EXPECT_THAT(to_host(histogram(2 * x, 2 * edges) * 10), ElementsAre(10, 20));
    EXPECT_THAT(to_host(histogram(x(range(0, 4, 2)), edges)), ElementsAre(1, 1));
    EXPECT_EQ(item(sum(bincount(astype<int>(x), 2))), 3);  // -3 is in no bin
}

TEST_F(histograms, of_nothing) {
    const array<float, 1> none(shape<1>(0)), edges = {0, 1, 2};
    EXPECT_THAT(to_host(histogram(none, edges)), ElementsAre(0, 0));
    EXPECT_THAT(to_host(bincount(array<int, 1>(shape<1>(0)), 20000)), Each(0));
    EXPECT_THROW((void)histogram(edges, none), error);
}

}  // namespace
}  // namespace sinter::test
