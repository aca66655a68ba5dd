// Creation of arrays: from extents in every form, like others, from one value, from braces and from host memory.
#include <gmock/gmock.h>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <array>
#include <deque>
#include <list>

namespace sinter::test {
namespace {

using testing::ElementsAre, testing::HasSubstr;

class creation : public on_devices {};

TEST_F(creation, of_values_alone) {
    static_assert(std::is_same_v<decltype(array{1, 2}), array<int, 1>>);
    static_assert(std::is_same_v<decltype(array{2.5}), array<double, 1>>);
    static_assert(std::is_same_v<decltype(array{{1.f, 2.f}, {3.f, 4.f}}), array<float, 2>>);
    static_assert(std::is_same_v<decltype(array{array{true}}), array<bool, 1>>);
    EXPECT_EQ(to_host(array{1, 2}), (std::vector<int>{1, 2}));
    EXPECT_EQ(to_host(array{{1.f, 2.f}, {3.f, 4.f}}(1)), (std::vector<float>{3, 4}));
    EXPECT_EQ(item(dot(array{1, 2}, array{3, 4})), 11);
}

TEST_F(creation, of_a_shape) {
    const array<float, 2> x = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(to_host(zeros<int>(x.shape())), std::vector<int>(6, 0));
    EXPECT_EQ(to_host(ones<float16>(shape{2}))[1].bits, float16(1.f).bits);
    EXPECT_EQ(to_host(zeros(3)), (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(to_host(ones({1, 2})), (std::vector<double>{1, 1}));
    EXPECT_EQ(to_host(full(3, 2.5f)), (std::vector<float>{2.5f, 2.5f, 2.5f}));
    EXPECT_EQ(to_host(full<double>(x.shape(), 7)), std::vector<double>(6, 7));
    EXPECT_EQ(to_host(full(x.shape(), sum(x, axis=0))), (std::vector<float>{5, 7, 9, 5, 7, 9}));
    EXPECT_EQ(to_host(full({2}, mean(x))), (std::vector<float>{3.5f, 3.5f}));
    EXPECT_EQ(empty<bool>(shape<3>(2, 0, 4)).shape(), shape<3>(2, 0, 4));
    EXPECT_EQ(empty(4).shape(), shape<1>(4));
    EXPECT_EQ(item(zeros<int>(shape{})), 0);
}

/// The same constructor for every rank and dtype.
template <class T>
void expect_extents() {
    const std::int64_t n = 5;
    EXPECT_EQ((array<T, 1>(shape{n})).shape(), shape<1>(5));
    EXPECT_EQ((array<T, 2>(shape{n, 2})).shape(), shape<2>(5, 2));
    EXPECT_EQ((array<T, 2>({n, 2})).shape(), shape<2>(5, 2));
    EXPECT_EQ((array<T, 0>(shape{})).size(), 1);
    const array<T, 1> one = {5}, same{5};
    EXPECT_EQ(one.shape(), shape<1>(1));
    EXPECT_EQ(same.shape(), shape<1>(1));
    EXPECT_TRUE(item(one(0) == T(5)));
}
TEST_F(creation, of_extents_in_every_dtype) {
    expect_extents<std::int8_t>();
    expect_extents<int>();
    expect_extents<std::uint64_t>();
    expect_extents<float16>();
    expect_extents<float>();
    expect_extents<std::complex<double>>();
    const array<bool, 1> flags = {true};
    EXPECT_EQ(flags.size(), 1);
    EXPECT_EQ((array<bool, 1>(shape{3})).size(), 3);
}

TEST_F(creation, like_another) {
    const array<float, 2> x = {{1, 2}, {3, 4}};
    EXPECT_EQ(to_host(zeros_like(x)), std::vector<float>(4, 0));
    EXPECT_EQ(to_host(ones_like<int>(x + 1)), std::vector<int>(4, 1));
    EXPECT_EQ(to_host(full_like(x, 2)), std::vector<float>(4, 2));
    EXPECT_EQ(to_host(full_like(x, mean(x, axis=0))), (std::vector<float>{2, 3, 2, 3}));
    EXPECT_EQ(to_host(full_like<bool>(x, true)), std::vector<bool>(4, true));
    EXPECT_EQ(empty_like<double>(transpose(x)(0)).shape(), shape<1>(2));
    EXPECT_EQ(item(ones_like(sum(x))), 1);
    EXPECT_THAT(message_of([&] { (void)full_like<std::int8_t>(x, 300); }),
                HasSubstr("the scalar 300 does not fit int8"));
}

TEST_F(creation, of_rank_0) {
    array<float, 0> a = 0.5f;
    EXPECT_EQ(item(a * 2), 1);
    a = 3;
    a += 1;
    EXPECT_EQ(item(a), 4);
    const array<double, 0> b = 2;
    const array<std::complex<float>, 0> c = 1.5;
    const array<bfloat16, 0> h = 0.25;
    const array<bool, 0> t{true};
    EXPECT_EQ(item(b), 2);
    EXPECT_EQ(item(c), std::complex<float>(1.5f));
    EXPECT_EQ(static_cast<float>(item(h)), 0.25f);
    EXPECT_TRUE(item(t));
    EXPECT_THAT(message_of([] { array<std::uint8_t, 0> small = -1; }),
                HasSubstr("-1 does not fit an element of uint8"));
    const array<float, 0> least = -inf;
    EXPECT_EQ(item(least), -std::numeric_limits<float>::infinity());
    a = inf;
    EXPECT_EQ(item(a), std::numeric_limits<float>::infinity());
    const device_scope on_host(host());
    float outside = 1;
    array<float, 0> wrapped = wrap(&outside, shape<0>());
    wrapped = 8;
    EXPECT_EQ(outside, 8);
}

TEST_F(creation, elements_in_braces_convert) {
    const auto as_floats = [](const auto& e) {
        const array<float, 1> wide = astype<float>(reshape(e, {-1}));
        return to_host(wide);
    };
    const float f = 0.5f;
    EXPECT_THAT(as_floats(array<float16, 1>{1.f, f, 2, 0.25, float16(4.f)}), ElementsAre(1, 0.5f, 2, 0.25f, 4));
    EXPECT_THAT(as_floats(array<bfloat16, 2>{{1, 2}, {3.5, f}}), ElementsAre(1, 2, 3.5f, 0.5f));
    EXPECT_THAT(as_floats(array<float, 1>{1.0, 2}), ElementsAre(1, 2));
    const float infinite = std::numeric_limits<float>::infinity();
    EXPECT_THAT(as_floats(array<float, 1>{inf, -inf}), ElementsAre(infinite, -infinite));
    EXPECT_THAT(to_host(array<double, 1>{inf, 1}), ElementsAre(infinite, 1));
    EXPECT_THAT(as_floats(array<float16, 1>{-inf, 1}), ElementsAre(-infinite, 1));
    EXPECT_THAT(to_host(array<std::int8_t, 1>{-128, 127L, 0u}), ElementsAre(-128, 127, 0));
    using C = std::complex<float>;
    EXPECT_THAT(to_host(array<C, 1>{1, 2.5, f, std::complex<double>(0, 1)}),
                ElementsAre(C(1), C(2.5f), C(0.5f), C(0, 1)));
    EXPECT_THAT(to_host(array<C, 2>{{1, {2, 3}}, {{4, 5}, 6.f}}), ElementsAre(C(1), C(2, 3), C(4, 5), C(6)));
    EXPECT_THAT(to_host(array<C, 1>{{1, 2}, {3, 4}}), ElementsAre(C(1, 2), C(3, 4)));
}

TEST_F(creation, from_what_lies_on_the_host) {
    const float line[] = {1, 2, 3, 4, 5, 6};
    const int block[2][3] = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(to_host(from_host(line)), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(from_host(line, {3, 2}).shape(), shape<2>(3, 2));
    EXPECT_EQ(from_host(line, shape{2, 3}).shape(), shape<2>(2, 3));
    EXPECT_EQ(from_host(block).shape(), shape<2>(2, 3));
    EXPECT_EQ(to_host(from_host(block)(1)), (std::vector<int>{4, 5, 6}));
    EXPECT_EQ(to_host(from_host(std::array{1.5, 2.5})), (std::vector<double>{1.5, 2.5}));
    EXPECT_EQ(to_host(from_host(std::span(line).subspan(4))), (std::vector<float>{5, 6}));
    EXPECT_EQ(to_host(from_host(std::deque<int>{1, 2})), (std::vector<int>{1, 2}));
    EXPECT_EQ(from_host(std::list<std::array<int, 2>>{{1, 2}, {3, 4}, {5, 6}}).shape(), shape<2>(3, 2));
    EXPECT_EQ(to_host(from_host(std::vector<bool>{true, false})), (std::vector<bool>{true, false}));
    EXPECT_EQ(to_host(from_host(stream(), line, {2, 3}))[5], 6);
    EXPECT_THAT(message_of([&] { (void)from_host(line, {4, 2}); }), HasSubstr("6 values for shape (4, 2)"));
}

}  // namespace
}  // namespace sinter::test
