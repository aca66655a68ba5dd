// A scalar that an array's dtype cannot represent is refused where the expression is written, in one line; none wraps.
#include <sinter/masks.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/language/scalar_edges.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class scalar_refusals : public on_devices {};

using testing::AllOf, testing::HasSubstr;

#define EXPECT_REFUSED(...) EXPECT_THROW((void)(__VA_ARGS__), error) << #__VA_ARGS__

TEST_F(scalar_refusals, name_the_value_the_dtype_and_the_cure) {
    const array<std::uint8_t, 1> u = {0, 255};
    EXPECT_EQ(message_of([&] { return u + 300; }),
              "add: the scalar 300 does not fit uint8, whose range is 0 to 255; convert the operand to std::uint16_t: "
              "astype<std::uint16_t>(x)");
    EXPECT_THAT(message_of([&] { return maximum(-5, u); }),
                AllOf(HasSubstr("maximum"), HasSubstr("-5"), HasSubstr("astype<std::int16_t>(x)")));
    const array<int, 1> i = {1, 2};
    EXPECT_THAT(message_of([&] { return i * 3000000000; }),
                AllOf(HasSubstr("multiply"), HasSubstr("int32"), HasSubstr("3000000000"), HasSubstr("std::int64_t")));
    const array<std::uint64_t, 1> k = {1, 2};
    EXPECT_THAT(message_of([&] { return k - std::int64_t{-1}; }), HasSubstr("astype<double>(x)"));
}

TEST_F(scalar_refusals, of_every_function_that_computes_in_the_dtype) {
    const array<std::uint8_t, 1> u = {0, 100, 255};
    EXPECT_REFUSED(u - 256);
    EXPECT_REFUSED(-1 * u);
    EXPECT_REFUSED(u % 300);
    EXPECT_REFUSED(300 % u);
    EXPECT_REFUSED(floor_divide(u, -1));
    EXPECT_REFUSED(fmod(u, 256));
    EXPECT_REFUSED(clip(u, 0, 300));
    EXPECT_REFUSED(clip(u, -1, 10));
    EXPECT_REFUSED(clip(7, u, 300));
    EXPECT_REFUSED(minimum(u, 256u));
    EXPECT_REFUSED(fmax(u, -1));
    EXPECT_REFUSED(fmin(300L, u));
    EXPECT_REFUSED(gcd(u, 512));
    EXPECT_REFUSED(u << 300);
    EXPECT_REFUSED(u & 0x1ff);
    EXPECT_REFUSED(~u ^ -1);
    EXPECT_REFUSED(where(u > 100, u, 300));
    EXPECT_REFUSED(where(u > 100, -1, u));
    EXPECT_REFUSED(where(u > 100, u, std::int8_t{-1}));
    EXPECT_REFUSED(max(u, initial=-1));
    EXPECT_REFUSED(sum(u, initial=-1));
    EXPECT_REFUSED(put(u, array<int, 1>{0}, 300));
    EXPECT_REFUSED(scatter_add(u, array<int, 1>{0}, -1));
    EXPECT_THAT(message_of([&] { return pad(u, {{1, 1}}, 300); }), HasSubstr("fit uint8"));
    EXPECT_THAT(message_of([&] { return stack(max(u), 300); }), HasSubstr("fit uint8"));
    EXPECT_REFUSED(integers<std::uint8_t>(random_key(1), 0, 300, {3}));
    EXPECT_REFUSED(integers<std::int32_t>(random_key(1), -3000000000, 300, {3}));
    EXPECT_THAT(message_of([&] { return extract(u > 5, u, 3, 300); }),
                HasSubstr("extract: the scalar 300 does not fit uint8"));
    EXPECT_REFUSED(arange<std::uint8_t>(257));
    EXPECT_REFUSED(arange<std::uint8_t>(0, 261, 5));
    EXPECT_REFUSED(arange<std::uint8_t>(3, -3, -1));
    EXPECT_REFUSED(arange<std::int8_t>(-129, 0));
    EXPECT_REFUSED(arange<std::int8_t>(0, 200.5));
    EXPECT_REFUSED(arange<int>(0, 4000000001LL, 2000000000));
    EXPECT_REFUSED(linspace<std::uint8_t>(0, 300, 4));
    EXPECT_REFUSED(linspace<std::uint8_t>(-1, 3, 4));
    EXPECT_EQ(item(max(arange<std::uint8_t>(256))), 255);
    EXPECT_EQ(item(max(arange<std::uint8_t>(0, 260, 255))), 255);
    EXPECT_EQ(item(min(arange<std::int8_t>(127, -129, -51))), -128);
    EXPECT_EQ(item(max(arange<int>(-2147483647 - 1, 2147483647, 1431655765))), 715827882);
    EXPECT_EQ(arange<std::uint8_t>(300, 300).size(), 0);
    EXPECT_EQ(item(max(linspace<std::uint8_t>(0.5, 255.5, 3))), 255);
    EXPECT_REFUSED(full<std::uint8_t>({3}, 300));
    EXPECT_REFUSED(full<std::int64_t>({3}, ~std::uint64_t{0}));
    EXPECT_REFUSED(custom<int>("x + y", array<int, 1>{1}, 2.5));
    EXPECT_REFUSED(custom<int>("x + y", array<int, 1>{1}, 1e10));
    EXPECT_REFUSED(custom<int>("x + y", array<int, 1>{1}, NaN));
    const array<std::uint8_t, 0> one = max(u);
    EXPECT_REFUSED(one + 300);
}

TEST_F(scalar_refusals, leave_what_would_be_written_as_it_is) {
    array<std::uint8_t, 1> u = {0, 100, 255};
    EXPECT_REFUSED(u += 300);
    EXPECT_REFUSED(u -= -1);
    EXPECT_REFUSED(u *= 256);
    EXPECT_THROW(u(all) = 300, error);
    EXPECT_THROW(u(range(0, 2)) = -1, error);
    EXPECT_THROW(u(range(0, 2)) += 256, error);
    EXPECT_THROW(at(u, (array<int, 1>{0})) = 300, error);
    EXPECT_THROW(at(u, (array<int, 1>{0})) += 300, error);
    EXPECT_EQ(to_host(u), (std::vector<std::uint8_t>{0, 100, 255}));
    EXPECT_THAT(message_of([&] { u(all) = 300; }),
                AllOf(HasSubstr("assignment"), HasSubstr("uint8"), HasSubstr("300")));
}

TEST_F(scalar_refusals, are_of_these_scalars_alone) {
    using scalar_types = type_list<bool, char, std::int8_t, std::int32_t, std::int64_t, std::uint8_t, std::uint64_t>;
    for_each_type(real_element_types(), []<class T>(T) {
        if constexpr (is_integer(dtype_of<T>)) {
            if (emulated() && sizeof(T) != 1) return;
            const array<T, 1> x = {T(0), T(1)};
            for_each_type(scalar_types(), [&]<class S>(S) {
                for (const S s : edges<S>()) {
                    if (!has_number<T>(exact_value(s))) {
                        EXPECT_REFUSED(x + s) << name(dtype_of<S>) << " " << exact_value(s);
                        continue;
                    }
                    const std::vector<T> both = to_host(x * s);
                    EXPECT_EQ(both, (std::vector<T>{T(0), number<T>(exact_value(s))})) << name(dtype_of<T>);
                }
            });
        }
    });
}

TEST_F(scalar_refusals, are_not_of_what_a_function_computes_in_another_dtype) {
    const array<std::uint8_t, 1> u = {0, 100};
    EXPECT_EQ(to_host(u / 400), (std::vector<double>{0, 0.25}));
    EXPECT_EQ(to_host(pow(u, -1)), (std::vector<double>{std::numeric_limits<double>::infinity(), 0.01}));
    EXPECT_EQ(to_host(hypot(u, -300)), (std::vector<double>{300, std::hypot(100.0, 300.0)}));
    EXPECT_EQ(to_host(isclose(u, 300)), (std::vector<bool>{false, false}));
    EXPECT_EQ(to_host((u > 0) && 300), (std::vector<bool>{false, true}));
    EXPECT_EQ(to_host((u > 0) + 300), (std::vector<std::int64_t>{300, 301}));
    EXPECT_EQ(to_host(astype<int>(u) + 300), (std::vector<int>{300, 400}));
    EXPECT_EQ(to_host(u + u8'\x01'), (std::vector<std::uint8_t>{1, 101}));
}

// As in NumPy: beyond a floating dtype's numbers lies infinity.
TEST_F(scalar_refusals, are_not_of_floating_numbers) {
    const float inf32 = std::numeric_limits<float>::infinity();
    const array<float, 1> f = {1, -1};
    EXPECT_EQ(to_host(f * 1e39), (std::vector<float>{inf32, -inf32}));
    EXPECT_EQ(to_host(f * std::numeric_limits<double>::max()), (std::vector<float>{inf32, -inf32}));
    EXPECT_EQ(to_host(f * 0x1.fffffefp127), (std::vector<float>{0x1.fffffep127F, -0x1.fffffep127F}));
    EXPECT_EQ(to_host(f * 16777217), (std::vector<float>{16777216, -16777216}));
    EXPECT_EQ(to_host(real(f * std::complex<double>(1e39, 0))), (std::vector<float>{inf32, -inf32}));
    const array<float16, 1> h = {float16(1.0F), float16(-1.0F)};
    EXPECT_EQ(to_host(astype<float>(h * 100000 / 10)), (std::vector<float>{10000, -10000}));
    EXPECT_EQ(to_host(astype<float>(astype<float16>(h * 1e300))), (std::vector<float>{inf32, -inf32}));
}

TEST_F(scalar_refusals, are_not_of_inf_and_NaN) {
    const array<float, 1> f = {1, -1};
    const float inf32 = std::numeric_limits<float>::infinity();
    EXPECT_EQ(to_host(where(f > 0, f, -inf)), (std::vector<float>{1, -inf32}));
    EXPECT_EQ(to_host(where(f < inf, inf, f)), (std::vector<float>{inf32, inf32}));
    EXPECT_EQ(item(max(f, initial=inf)), inf32);
    EXPECT_EQ(item(max(f, where=f > 2, initial=-inf)), -inf32);
    EXPECT_EQ(item(sum(isnan(where(f > 0, NaN, f)))), 1);
    const array<int, 1> i = {1, 2};
    EXPECT_EQ(to_host(where(i > 1, i, inf)), (std::vector<double>{std::numeric_limits<double>::infinity(), 2}));
    EXPECT_EQ(to_host(i < inf), (std::vector<bool>{true, true}));
    EXPECT_EQ(to_host(i <= -inf), (std::vector<bool>{false, false}));
    EXPECT_EQ(to_host(i != NaN), (std::vector<bool>{true, true}));
    array<float, 1> x = full<float>({2}, inf);
    EXPECT_EQ(to_host(x), (std::vector<float>{inf32, inf32}));
    x(0) = -inf;
    EXPECT_EQ(to_host(x), (std::vector<float>{-inf32, inf32}));
    EXPECT_EQ(to_host(pad(f, {{1, 0}}, inf)), (std::vector<float>{inf32, 1, -1}));
    EXPECT_EQ(to_host(clip(f, 0, inf)), (std::vector<float>{1, 0}));
}

}  // namespace
}  // namespace sinter::test
