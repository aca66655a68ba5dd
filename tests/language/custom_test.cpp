// Functions given as source: values on devices that run kernels, fusion, plans keyed by the source, and errors.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/support/message_of.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

using testing::HasSubstr;

class custom_functions : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (!IsSkipped() && current_device().is_host()) GTEST_SKIP() << "the host cannot compile text";
    }
};

TEST_F(custom_functions, compute_their_text) {
    const naive a = random({7, 13}, 31), b = random({13}, 32);
    const auto x = to_array<float, 2>(a);
    const auto y = to_array<double, 1>(b);
    expect_equal(custom<float>("x * x", x), map([](double v) { return v * v; }, a));
    expect_equal(custom<double>("x - T(2) * y", x, y), map([](double v, double w) { return v - 2 * w; }, a, b));
    expect_equal(custom<double>("x > y ? x : z", x, y, 0.5),
                 map([](double v, double w) { return v > w ? v : 0.5; }, a, b));
    static_assert(decltype(custom<int>("x", std::declval<array<bool, 1>>()))::dtype() == dtype::int32);
}

TEST_F(custom_functions, fuse_with_what_is_around_them) {
    const naive a = random({9, 40}, 33);
    const auto x = to_array<double, 2>(a);
    const auto e = sqrt(sum(custom<double>("x * x + y", 2 * x, 1.0), axis=1)) - 1;
    EXPECT_EQ(explain(e).launches, 1);
    EXPECT_THAT(source(e), HasSubstr(" * "));
    static_assert(launches<decltype(sum(custom<double>("x", std::declval<array<double, 2>>()), axis=1))> == 1);
    expect_equal(
        e, map([](double s) { return std::sqrt(s) - 1; }, sum_of(map([](double v) { return 4 * v * v + 1; }, a), 2)));
}

TEST_F(custom_functions, of_one_type_are_told_apart_by_their_text) {
    const array<int, 1> x = {1, 2, 3};
    std::vector<std::vector<int>> got;
    for (const char* body : {"x + 1", "x * 10", "x + 1", "-x"}) got.push_back(to_host(custom<int>(body, x)));
    EXPECT_THAT(got, testing::ElementsAre(testing::ElementsAre(2, 3, 4), testing::ElementsAre(10, 20, 30),
                                          testing::ElementsAre(2, 3, 4), testing::ElementsAre(-1, -2, -3)));
    // two in one kernel
    EXPECT_THAT(to_host(custom<int>("x + 1", x) * custom<int>("x - 1", x)), testing::ElementsAre(0, 3, 8));
}

/// The half types are computed with as float32, and T is float; of complex numbers T has parts and functions.
TEST_F(custom_functions, of_halves_and_complex_numbers) {
    const array<float16, 1> h = astype<float16>(array<float, 1>{1, 2, 3});
    const auto squares = custom<float16>("x * x + T(0.25)", h);
    static_assert(decltype(squares)::dtype() == dtype::float16);
    EXPECT_THAT(to_host(astype<float>(squares)), testing::ElementsAre(1.25f, 4.25f, 9.25f));
    EXPECT_EQ(item(astype<float>(custom_reduce<bfloat16>("x + y", "T(0)", astype<bfloat16>(h)))), 6);
    // accumulates in float32: 4096 ones are no 256
    EXPECT_EQ(item(astype<float>(custom_reduce<bfloat16>("x + y", "T(0)", full({4096}, bfloat16(1))))), 4096);

    using C = std::complex<double>;
    const array<C, 1> z = {C(1, 2), C(3, -1)};
    EXPECT_THAT(to_host(custom<C>("x * conj(y) + T(0, 1)", z, z)), testing::ElementsAre(C(5, 1), C(10, 1)));
    EXPECT_EQ(item(custom_reduce<C>("x * y", "T(1)", z)), C(1, 2) * C(3, -1));
    const array<std::complex<float>, 1> w = astype<std::complex<float>>(z);
    EXPECT_THAT(to_host(custom<std::complex<float>>("T(x.im, x.re)", w)),
                testing::ElementsAre(std::complex<float>(2, 1), std::complex<float>(-1, 3)));
}

TEST_F(custom_functions, reduce_over_axes) {
    const naive a = random({6, 5, 70}, 34);
    const auto x = to_array<double, 3>(a);
    const auto prod = [&](auto... axes) { return custom_reduce<double>("x * y", "T(1)", x, axes...); };
    expect_equal(prod(axis=1), prod_of(a, 2));
    expect_equal(prod(axis=0_c), prod_of(a, 1));
    expect_equal(prod(axis={0, 2}, keepdims), prod_of(a, 5, true));
    const auto most = [](const auto& e) { return custom_reduce<double>("x > y ? x : y", "T(-1) / T(0)", e); };
    EXPECT_EQ(item(most(x)), max_of(a, 7).values[0]);
    // used again, and beside another in one kernel
    expect_equal(x / custom_reduce<double>("x + y", "T(0)", abs(x), axis=2, keepdims) - prod(axis=2, keepdims),
                 map([](double v, double s, double p) { return v / s - p; }, a,
                     sum_of(map([](double v) { return std::abs(v); }, a), 4, true), prod_of(a, 4, true)));
    const array<double, 2> none({0, 3});
    EXPECT_THAT(to_host(custom_reduce<double>("x + y", "T(7)", none, axis=0)), testing::ElementsAre(7, 7, 7));
}

TEST_F(custom_functions, errors_leave_the_target_alone) {
    array<float, 1> x = {1, 2};
    EXPECT_THAT(error_of([&] { x = custom<float>("x + nothing_of_that_name", x); }), HasSubstr("nothing_of_that_name"));
    EXPECT_THAT(to_host(x), testing::ElementsAre(1, 2));
}

TEST(custom_functions_anywhere, refuse_what_is_not_an_expression) {
    const device_scope on(host());
    array<float, 1> x = {1, 2};
    EXPECT_EQ(message_of([&] { custom<float>(" ", x).shape(); }),
              "custom: the text is empty; give an expression such as \"x * x\"");
    EXPECT_EQ(message_of([&] { custom<float>("x; y", x).shape(); }),
              "custom: \"x; y\" is not one expression: leave out ;");
    const std::string what = message_of([&] { x = custom<float>("x + 1", x); });
    EXPECT_THAT(what,
                HasSubstr("custom(\"x + 1\"): the host cannot compile text; declare the function by SINTER_UNARY"));
    EXPECT_THAT(message_of([&] { (void)item(custom_reduce<float>("x + y", "T(0)", x)); }), HasSubstr("custom_reduce("));
    EXPECT_THAT(to_host(x), testing::ElementsAre(1, 2));
}

// What could end the statement that the text is put into, hide what follows it, or declare another name.
TEST(custom_functions_anywhere, refuse_what_could_leave_the_expression) {
    const device_scope on(host());
    const array<float, 1> x = {1, 2};
    const char* const refused[][2] = {
        {"x; y", "leave out ;"},
        {"x} __trap() {", "leave out {"},
        {"x%> y", "leave out %>, a digraph"},
        {"<% x", "leave out <%, a digraph"},
        {"x<:0:>", "leave out <:, a digraph"},
        {"x\n%:define T int", "leave out %:, a digraph"},
        {"x\n#define T int", "leave out #, a directive"},
        {"x?"
         "?)",
         "leave out ?"
         "?, a trigraph"},
        {"x // the rest", "leave out //, a comment"},
        {"x /* the rest", "leave out /*, a comment"},
        {"x */ y", "leave out */, a comment"},
        {"x /\\\n/ y", "leave out \\, a line splice"},
        {"x + ')'", "leave out ', a literal"},
        {"x + \")\"[0]", "leave out \", a literal"},
        {"x) + (y", ") closes a bracket that is not open"},
        {"(x]", "] closes a bracket that is not open"},
        {"T(x", "a ) is missing"},
        {"x, y = 3", "put an expression with a comma into parentheses"},
        {"x + \u00e9", "leave out the character 0xc3"},
        {"x\r\ny", "leave out the character 0x0d"},
    };
    for (const auto& [text, cure] : refused) {
        const std::string what = message_of([&] { custom<float>(text, x).shape(); });
        EXPECT_THAT(what,
                    testing::AllOf(testing::StartsWith("custom: \""), testing::EndsWith(std::string(": ") + cure)));
        EXPECT_THROW(custom_reduce<float>(text, "T(0)", x).shape(), error) << text;
        EXPECT_THROW(custom_reduce<float>("x + y", text, x).shape(), error) << text;
    }
    const std::string hidden("x\0; y", 6);
    EXPECT_THAT(message_of([&] { custom<float>(hidden, x).shape(); }), HasSubstr("leave out the character 0x00"));
    const std::string lines = message_of([&] { (void)to_host(custom<float>("x\n+ 1", x)); });
    EXPECT_THAT(lines, HasSubstr("custom(\"x\\x0a+ 1\"): the host cannot compile text"));
    for (const char* text : {"x", " x ", "x\n + 1", "T(x, 1)", "min(x, T(2)) ? x < 1 : (x, x)", "x [0]", "x % 3 > 1"})
        EXPECT_NO_THROW(custom<float>(text, x).shape()) << text;
}

}  // namespace
}  // namespace sinter::test
