// Reductions by key: that they are recognised, and give what the loop over all pairs gives: the same bits where the
// order of the folds does not matter, else as many of them as an order of a few thousand steps keeps.
#include <codegen/host/keyed_reduction.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace sinter::codegen::testing {
namespace {

struct extents {
    std::int64_t before, groups, after, elements;
    bool keys_before = false, keys_after = false;  ///< keys have these axes, too

    std::int64_t keys() const { return elements * (keys_before ? before : 1) * (keys_after ? after : 1); }
};

/// Adds the index along an axis as a value.
int index_along(kernel_builder& b, int axis, int in_loop) {
    value v;
    v.what = value_kind::index;
    v.type = dtype::int64;
    v.varies = 1u << axis;
    v.loop = in_loop;
    layout l;
    l.stride[static_cast<std::size_t>(axis)] = 1;
    b.k.layouts.push_back(l);
    v.at = static_cast<int>(b.k.layouts.size()) - 1;
    b.k.values.push_back(v);
    return static_cast<int>(b.k.values.size()) - 1;
}

/// Reduces, for each group, where(index == key, value, elsewhere), or where(index != key, elsewhere, value), which is
/// not recognised.
template <class T>
loop_nest reduce_groups(const std::string& op, const extents& e, T elsewhere, bool recognised) {
    kernel_builder b;
    const int before = b.outer(e.before), group = b.outer(e.groups), after = b.outer(e.after);
    const int l = b.loop({e.elements}), i = b.inner(l);
    const int index = index_along(b, group, group_level);
    const std::int64_t keys_of_element = e.keys_after ? e.after : 1;
    const int key = b.load(b.input(dtype::int64),
                           {{before, e.keys_before ? e.elements * keys_of_element : 0},
                            {i, keys_of_element},
                            {after, e.keys_after ? 1 : 0}},
                           l);
    const int read = b.load(b.input(dtype_of<T>), {{before, e.elements * e.after}, {i, e.after}, {after, 1}}, l);
    const int other = b.constant(elsewhere);
    const int chosen = recognised ? b.op("where", {b.op("equal", {index, key}, l), read, other}, l)
                                  : b.op("where", {b.op("not_equal", {index, key}, l), other, read}, l);
    const bool sums_integers = std::is_integral_v<T> && !std::is_same_v<T, bool> && (op == "sum" || op == "prod");
    const int reduced = b.reduce(op, sums_integers ? b.cast(dtype::int64, chosen, l) : chosen, l);
    b.store(b.op(dtype_of<T> == dtype::bool_ ? "logical_or" : "add", {reduced, reduced}),
            {{before, e.groups * e.after}, {group, e.after}, {after, 1}});
    return b.k;
}

/// std::vector<bool> has no elements in memory.
template <class T>
using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

bool is_recognised(const loop_nest& k) {
    return blocked::find_keyed_reduction(k, blocked::make_plan(k, instruction_set::baseline)).has_value();
}

template <class T>
std::vector<std::byte> evaluated(const loop_nest& k, const extents& e, const std::vector<std::int64_t>& keys,
                                 const std::vector<element<T>>& values) {
    std::vector<std::byte> result(static_cast<std::size_t>(e.before * e.groups * e.after) * size_of(k.outputs[0]));
    const void* in[] = {keys.data(), values.data()};
    void* out[] = {result.data()};
    evaluate_on_host(k, in, out, nullptr);
    return result;
}

/// A small number: positive or negative, fractions and complex where T has them.
template <class T>
T small_number(std::mt19937& random) {
    const auto real = [&] { return static_cast<double>(random() % 2001) / 1000; };
    if constexpr (dtype_of<T> == dtype::complex64 || dtype_of<T> == dtype::complex128)
        return T(static_cast<typename T::value_type>(real() - 1), static_cast<typename T::value_type>(real() - 1));
    else
        return static_cast<T>(std::is_unsigned_v<T> ? real() : real() - 1);
}

/// Whether two results agree: in each bit, or, sums and products of floating numbers, nearly.
template <class T>
void expect_same(const std::vector<std::byte>& is, const std::vector<std::byte>& expected, bool exact) {
    if (exact || std::is_integral_v<T>) {
        EXPECT_EQ(is, expected);
    } else if constexpr (!std::is_integral_v<T>) {
        ASSERT_EQ(is.size(), expected.size());
        std::vector<T> x(is.size() / sizeof(T)), y(x.size());
        std::memcpy(x.data(), is.data(), is.size());
        std::memcpy(y.data(), expected.data(), is.size());
        const double allowed = dtype_of<T> == dtype::float64 || dtype_of<T> == dtype::complex128 ? 1e-12 : 2e-4;
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_LE(std::abs(x[i] - y[i]), allowed * (1 + std::abs(y[i]))) << "result " << i;
    }
}

template <class T>
void check(const std::string& op, const extents& e, T elsewhere) {
    SCOPED_TRACE(::testing::Message() << op << " of " << name(dtype_of<T>) << ", " << e.groups << " groups, "
                                      << e.elements << " elements");
    std::mt19937 random(static_cast<unsigned>(e.groups));
    std::vector<std::int64_t> keys(static_cast<std::size_t>(e.keys()));
    for (std::int64_t& k : keys) k = static_cast<std::int64_t>(random() % static_cast<unsigned>(e.groups + 5)) - 2;
    std::vector<element<T>> values(static_cast<std::size_t>(e.before * e.elements * e.after));
    for (element<T>& v : values) v = small_number<T>(random);
    const loop_nest by_key = reduce_groups(op, e, elsewhere, true), all_pairs = reduce_groups(op, e, elsewhere, false);
    ASSERT_TRUE(is_recognised(by_key));
    ASSERT_FALSE(is_recognised(all_pairs));
    const std::vector<std::byte> is = evaluated<T>(by_key, e, keys, values);
    expect_same<T>(is, evaluated<T>(all_pairs, e, keys, values), op == "max" || op == "min");
    EXPECT_EQ(evaluated<T>(by_key, e, keys, values), is) << "another evaluation has other bits";
}

/// One table and several, one chunk and several, parts that are not full; few groups; rows longer than a task's; keys
/// that have the axes before the groups', after them, or both.
constexpr extents shapes[] = {{1, 1031, 1, 70001},
                              {1, 37, 1, 20011},
                              {3, 40, 1, 5003},
                              {1, 33, 7, 5003},
                              {2, 35, 19, 2049},
                              {1, 70, 1, 1001},
                              {1, 9, 1, 200003},
                              {1, 5, 530, 77},
                              {3, 40, 1, 5003, true},
                              {2, 6, 19, 2049, false, true},
                              {2, 7, 3, 9001, true, true},
                              {1, 4099, 1, 1300}};

template <class T>
class keyed_reductions : public ::testing::Test {};
using element_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                                       std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(keyed_reductions, element_types);

TYPED_TEST(keyed_reductions, give_what_the_loop_gives) {
    using T = TypeParam;
    using limits = std::numeric_limits<T>;
    for (const extents& e : shapes) {
        check<T>("sum", e, T(0));
        check<T>("prod", e, T(1));
        check<T>("max", e, limits::has_infinity ? -limits::infinity() : limits::lowest());
        check<T>("min", e, limits::has_infinity ? limits::infinity() : limits::max());
    }
}

TEST(keyed_reductions_of, complex_numbers_and_bools) {
    for (const extents& e : shapes) {
        check<std::complex<float>>("sum", e, 0);
        check<std::complex<double>>("sum", e, 0);
        check<bool>("any", e, false);
        check<bool>("all", e, true);
    }
}

/// Their bits depend on the loop that the compiler makes.
TEST(keyed_reductions_of, complex_products_are_loops) {
    EXPECT_FALSE(is_recognised(reduce_groups<std::complex<double>>("prod", shapes[0], 1, true)));
}

TEST(keyed_reductions_elsewhere, may_be_any_number_for_exact_maxima) {
    check<std::int64_t>("max", shapes[0], -1);
    check<std::int64_t>("min", shapes[1], 1);
}

/// The group that has all elements has no element of the others.
TEST(keyed_reductions_elsewhere, is_not_folded_into_a_group_that_has_all) {
    const extents e{1, 64, 1, 2000};
    const std::vector<std::int64_t> keys(2000, 3), values(2000, -10);
    const loop_nest k = reduce_groups<std::int64_t>("max", e, -1, true);
    const std::vector<std::byte> bytes = evaluated<std::int64_t>(k, e, keys, values);
    for (std::size_t g = 0; g < 64; ++g) {
        std::int64_t most = 0;
        std::memcpy(&most, bytes.data() + 8 * g, 8);
        EXPECT_EQ(most, 2 * (g == 3 ? -10 : -1));
    }
}

/// NaN and infinities reach their group alone.
TEST(keyed_reductions_of, what_is_not_finite) {
    const extents e{1, 64, 1, 2000};
    std::vector<std::int64_t> keys(2000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i % 64);
    std::vector<double> values(2000, 1);
    values[5] = std::numeric_limits<double>::quiet_NaN();
    values[6] = std::numeric_limits<double>::infinity();
    for (const char* op : {"sum", "max"}) {
        const double elsewhere = std::string(op) == "sum" ? 0 : -std::numeric_limits<double>::infinity();
        const std::vector<std::byte> bytes =
            evaluated<double>(reduce_groups<double>(op, e, elsewhere, true), e, keys, values);
        for (std::size_t g = 0; g < 64; ++g) {
            double x = 0;
            std::memcpy(&x, bytes.data() + 8 * g, 8);
            EXPECT_EQ(std::isnan(x), g == 5) << op << g;
            EXPECT_EQ(std::isinf(x), g == 6) << op << g;
        }
    }
}

/// Where the other groups' elements are not the identity, the loop runs: every group's sum has them all.
TEST(keyed_reductions_elsewhere, is_checked_for_sums) {
    const extents e{1, 64, 1, 2000};
    const std::vector<std::int64_t> keys(2000, 3);
    const std::vector<std::int64_t> values(2000, 10);
    const loop_nest k = reduce_groups<std::int64_t>("sum", e, 1, true);
    const std::vector<std::byte> bytes = evaluated<std::int64_t>(k, e, keys, values);
    for (std::size_t g = 0; g < 64; ++g) {
        std::int64_t sum = 0;
        std::memcpy(&sum, bytes.data() + 8 * g, 8);
        EXPECT_EQ(sum, 2 * (g == 3 ? 20000 : 2000));
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
