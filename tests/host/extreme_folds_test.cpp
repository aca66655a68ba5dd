// argmax and argmin along rows and columns, whose elements are folded beside their indices: against a plain loop, for
// every dtype, odd lengths, equal elements, zeros of both signs, infinities and NaN, with keys apart and packed.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <codegen/transforms/pass.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace sinter::codegen::testing {
namespace {

struct matrix_layout {
    std::int64_t groups, length, of_group, of_element;  ///< extents and strides
};

template <class T>
loop_nest extreme_nest(const matrix_layout& m, bool smallest) {
    kernel_builder b;
    const int g = b.outer(m.groups), l = b.loop({m.length}), i = b.inner(l);
    const int x = b.load(b.input(dtype_of<T>), {{g, m.of_group}, {i, m.of_element}}, l);
    value index;
    index.what = value_kind::index;
    index.type = dtype::int64;
    index.varies = 1u << i;
    index.loop = l;
    index.at = b.k.values.back().at + 1;
    layout along;
    along.stride[static_cast<std::size_t>(i)] = 1;
    b.k.layouts.push_back(along);
    b.k.values.push_back(index);
    const int pair = b.op(smallest ? "keyed_reversed" : "keyed", {x, x + 1}, l);
    b.k.values[static_cast<std::size_t>(pair)].type = dtype::keyed_index;
    const int largest = b.reduce("largest_key", pair, l);
    b.k.values[static_cast<std::size_t>(largest)].type = dtype::keyed_index;
    const int found = b.op("index_of_key", {largest});
    b.k.values[static_cast<std::size_t>(found)].type = dtype::int64;
    b.store(found, {{g, 1}});
    return b.k;
}

/// The first NaN, or the first of the extremes.
template <class T>
std::int64_t expected(const std::vector<T>& x, const matrix_layout& m, std::int64_t group, bool smallest) {
    const auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>(group * m.of_group + i * m.of_element)]; };
    std::int64_t best = 0;
    for (std::int64_t i = 0; i < m.length; ++i) {
        if (at(i) != at(i)) return i;
        if (smallest ? at(i) < at(best) : at(i) > at(best)) best = i;
    }
    return best;
}

template <class T>
T element_of(std::mt19937& random, unsigned kinds) {
    if constexpr (std::is_floating_point_v<T>) {
        const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
        const T special[] = {T(0), -T(0), infinity, -infinity, nan, -nan};
        if (random() % 64 == 0) return special[random() % kinds];
        return static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 8;
    } else {
        const T ends[] = {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
        return random() % 64 == 0 ? ends[random() % 2] : static_cast<T>(random());
    }
}

bool folds_elements(const loop_nest& k) {
    const blocked::plan p = blocked::make_plan(k, instruction_set::baseline);
    return p.loops[0].folds[0].extreme != nullptr;
}

template <class T>
void check(const matrix_layout& m, unsigned kinds, bool is_folded) {
    std::mt19937 random(static_cast<unsigned>(m.length));
    std::vector<T> x(static_cast<std::size_t>(m.groups * m.length));
    for (T& e : x) e = element_of<T>(random, kinds);
    for (const bool smallest : {false, true})
        for (const bool narrow : {false, true}) {
            loop_nest k = extreme_nest<T>(m, smallest);
            if (narrow) narrow_index_types(k);
            EXPECT_EQ(folds_elements(k), is_folded);
            std::vector<std::int64_t> found(static_cast<std::size_t>(m.groups), -7);
            const void* in[] = {x.data()};
            void* out[] = {found.data()};
            evaluate_on_host(k, in, out, nullptr);
            for (std::int64_t g = 0; g < m.groups; ++g)
                ASSERT_EQ(found[static_cast<std::size_t>(g)], expected(x, m, g, smallest))
                    << (smallest ? "smallest" : "greatest") << " of " << name(dtype_of<T>) << ", group " << g << " of "
                    << m.groups << " with " << m.length << (narrow ? ", packed" : "");
        }
}

template <class T>
class extreme_folds : public ::testing::Test {};
using real_types = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                    std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(extreme_folds, real_types);

TYPED_TEST(extreme_folds, find_the_first_extreme_of_rows) {
    for (const unsigned kinds : {4u, 6u})
        for (const std::int64_t n : {32, 33, 63, 64, 65, 255, 256, 257, 511, 513, 1000, 2049, 100003})
            check<TypeParam>({n > 3000 ? 1 : 7, n, n, 1}, kinds, true);
}

TYPED_TEST(extreme_folds, find_the_first_extreme_of_columns) {
    for (const unsigned kinds : {4u, 6u})
        for (const std::int64_t n : {33, 64, 515, 1031}) check<TypeParam>({n, 131, 1, n}, kinds, true);
}

TYPED_TEST(extreme_folds, find_the_first_extreme_of_short_rows) {
    for (const unsigned kinds : {4u, 6u})
        for (const std::int64_t n : {2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 21, 31}) {
            check<TypeParam>({301, n, n, 1}, kinds, true);
            check<TypeParam>({1, n, n, 1}, kinds, true);  // no row behind it
        }
}

}  // namespace
}  // namespace sinter::codegen::testing
