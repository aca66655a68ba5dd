// The checks of values and indices: what they find, their messages, and that the target keeps its value.
#include <sinter/custom.hpp>
#include <sinter/debug.hpp>
#include <sinter/masks.hpp>
#include <sinter/sharded.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

SINTER_UNARY(halved_root, floating, sqrt(x) / T(2))

namespace sinter::test {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class F>
std::string message_of(const F& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

class nan_check : public on_devices {
protected:
    /// What the check says of an expression.
    template <class E>
    static std::string of(const E& e) {
        const debug_scope checked({.nan = true});
        return message_of([&] { evaluated(e); });
    }
    template <class E>
    static auto evaluated(const E& e) {
        return array<element_t<E::type>, E::rank>(e);
    }

    array<double, 2> x_;

private:
    void SetUp() override {
        on_devices::SetUp();
        if (!IsSkipped()) x_ = {{1, 2, 3}, {4, -5, 6}};
    }
};

TEST_F(nan_check, names_expression_element_value_and_first_operation) {
    EXPECT_EQ(of(log(x_)), "nan check: element (1, 1) of log(x0) is nan; it is log(-5)");
    EXPECT_EQ(
        of(sqrt(log(x_) + 1.0)),
        "nan check: element (1, 1) of sqrt(log(x0) + s0) is nan; it comes from log(x0) at (1, 1), which is log(-5)");
    EXPECT_EQ(of(x_ / (x_ - 2.0)), "nan check: element (0, 1) of x0 / (x0 - s0) is inf; it is 2 / 0");
    EXPECT_EQ(of(-1.0 / (x_ - 2.0)), "nan check: element (0, 1) of s0 / (x0 - s1) is -inf; it is -1 / 0");
    EXPECT_EQ(
        of(halved_root(x_) + 1.0),
        "nan check: element (1, 1) of halved_root(x0) + s0 is nan; it comes from halved_root(x0) at (1, 1), which "
        "is halved_root(-5)");
    EXPECT_EQ(of(where(x_ > 0.0, sqrt(x_), log(x_))),
              "nan check: element (1, 1) of where(x0 > s0, sqrt(x0), log(x0)) is nan; it comes from log(x0) at (1, 1), "
              "which is log(-5)");
    EXPECT_EQ(of(0.0 * exp(x_ * 400.0)),
              "nan check: element (0, 1) of s0 * exp(x0 * s1) is nan; it comes from exp(x0 * s1) at (0, 1), which is "
              "exp(800)");
}

TEST_F(nan_check, passes_what_is_finite) {
    const debug_scope checked({.nan = true, .bounds = true, .sync = true});
    array<double, 2> x = copy(x_);
    x = x * 2.0;
    x += 1.0;
    x(0) = where(x(0) > 0.0, log(x(0)), 0.0) * 0.0;
    EXPECT_EQ(to_host(x), (std::vector<double>{0, 0, 0, 9, -9, 13}));
    EXPECT_EQ(item(sum(where(x > 0.0, log(x), 0.0)) * 0.0), 0.0);
    EXPECT_EQ(item(sum(astype<int>(x))), 13);
    EXPECT_EQ(to_host(isnan(x / 0.0))[0], true);  // of no result
}

TEST_F(nan_check, goes_back_through_reductions_views_and_scans) {
    EXPECT_EQ(of(sum(sqrt(x_), axis=1)),
              "nan check: element (1,) of sum(sqrt(x0), axis=1) is nan; it comes from sqrt(x0) at (1, 1), which is "
              "sqrt(-5)");
    EXPECT_EQ(of(max(log(x_), axis=0, keepdims)),
              "nan check: element (0, 1) of max(log(x0), axis=0, keepdims) is nan; it comes from log(x0) at (1, 1), "
              "which is log(-5)");
    EXPECT_EQ(of(sum(x_ * 2e307)), "nan check: sum(x0 * s0, axis={0, 1}) is inf; it is the sum of finite elements");
    EXPECT_THAT(of(transpose(reshape(log(x_), {3, 2}))(0)),
                HasSubstr("element (2,) of log(x0) is nan; it comes from log(x0) at (1, 1)"));
    EXPECT_THAT(of(flip(log(x_), axis=1)(1, range(1, end))), HasSubstr("element (0,) of log(x0) is nan"));
    EXPECT_EQ(of(cumsum(sqrt(x_), axis=1)),
              "nan check: element (1, 1) of running_sum(sqrt(x0), axis=1) is nan; it comes from sqrt(x0) at (1, 1), "
              "which is sqrt(-5)");
    EXPECT_EQ(of(cumprod(x_ * 1e200, axis=0)),
              "nan check: element (1, 0) of running_prod(x0 * s0, axis=0) is inf; it is the prod of finite elements");
    const array<int, 1> i = {2, 0, 1};
    EXPECT_EQ(of(take(log(x_), i, axis=1) * 2.0),
              "nan check: element (1, 2) of take(log(x0), x1) * s1 is nan; it comes from log(x0) at (1, 1), which is "
              "log(-5)");
    EXPECT_THAT(of(var(sqrt(x_))), HasSubstr("it comes from sqrt(x0) at (1, 1), which is sqrt(-5)"));
    EXPECT_THAT(of(softmax(x_ / 0.0, axis=1)), HasSubstr("it comes from x0 / s0 at (0, 0), which is 1 / 0"));
}

TEST_F(nan_check, goes_back_through_products_and_gradients) {
    const array<double, 2> w = {{1, 1e200}, {0, 1e200}, {2, 1e200}};
    EXPECT_THAT(of(matmul(x_ * 1e200, w) + 1.0), HasSubstr("element (0, 1) of sum("));
    EXPECT_THAT(of(matmul(x_ * 1e200, w) + 1.0), HasSubstr("is inf; it comes from"));
    EXPECT_THAT(of(matmul(log(x_), w)), HasSubstr("it comes from log(x0) at (1, 1), which is log(-5)"));
    const array<double, 1> v = {4, 0, 1};
    EXPECT_THAT(of(grad(sum(sqrt(v)), v)), HasSubstr("element (1,) of "));
    EXPECT_THAT(of(grad(sum(sqrt(v)), v)), HasSubstr("is inf; it "));
}

TEST_F(nan_check, names_operands_and_scalars_that_have_it) {
    const array<double, 2> has = {{1, 2}, {infinity, nan}};
    EXPECT_EQ(of(1.0 + transpose(has)), "nan check: element (0, 1) of s0 + x0 is inf; its operand x0 is inf at (1, 0)");
    EXPECT_EQ(of(x_ * nan), "nan check: element (0, 0) of x0 * s0 is nan; its scalar s0 is nan");
    EXPECT_EQ(of(x_ - x_ + sum(has)),
              "nan check: element (0, 0) of (x0 - x0) + sum(x2, axis={0, 1}) is nan; its "
              "operand x2 is inf at (1, 0)");
}

TEST_F(nan_check, in_every_floating_and_complex_dtype) {
    EXPECT_EQ(of(log(astype<float>(x_))), "nan check: element (1, 1) of log(float32(x0)) is nan; it is log(-5)");
    EXPECT_EQ(of(astype<float>(x_ * 1e300)),
              "nan check: element (0, 0) of float32(x0 * s0) is inf; it is float32(1e+300)");
    EXPECT_EQ(of(astype<float16>(x_ * -1e5)),
              "nan check: element (0, 0) of float16(x0 * s0) is -inf; it is float16(-100000)");
    const array<float16, 2> h = astype<float16>(x_ * 1000.0);
    EXPECT_EQ(of(h * h), "nan check: element (0, 0) of x0 * x0 is inf; 1000000 is beyond float16");
    EXPECT_EQ(of(h * h * 1e-3f), "");  // what is stored is finite
    EXPECT_EQ(of(sqrt(astype<bfloat16>(x_))), "nan check: element (1, 1) of sqrt(bfloat16(x0)) is nan; it is sqrt(-5)");
    using c = std::complex<double>;
    const array<c, 1> z = {c(1, 2), c(0, 0), c(-1, 1)};
    EXPECT_THAT(of(z / 0.0), HasSubstr("element (0,) of x0 / s0 is "));
    EXPECT_THAT(of(log(z) + 1.0), HasSubstr("element (1,) of log(x0) + s0 is -inf+0j; it comes from log(x0) at (1,), "
                                            "which is log(0+0j)"));
    EXPECT_THAT(of(complex(abs(z), log(abs(z)))), HasSubstr(" is 0-infj; it comes from log("));
}

TEST_F(nan_check, finds_the_first_in_row_major_order) {
    const std::int64_t n = emulated() ? 700'000 : 3'000'000;  // more than are brought to the host at a time
    array<double, 2> x({n / 1000, 1000});
    x = full({n / 1000, 1000}, 1.0);
    x(-1, -2) = 0.0;
    x(n / 1000 - 3, 7) = 0.0;
    EXPECT_THAT(of(1.0 / x), HasSubstr("element (" + std::to_string(n / 1000 - 3) + ", 7) of s0 / x0 is inf"));
}

TEST_F(nan_check, without_elements) {
    const array<double, 2> none({0, 3});
    EXPECT_EQ(of(none / 0.0), "");
    EXPECT_EQ(of(sum(none / 0.0)), "");
    EXPECT_EQ(of(mean(none)), "nan check: sum(x0, axis={0, 1}) / s0 is nan; it is 0 / 0");
}

TEST_F(nan_check, leaves_targets_as_they_were) {
    const debug_scope checked({.nan = true});
    array<double, 2> x = copy(x_);
    const double* const where = address(x);
    EXPECT_THROW(x = log(x), error);
    EXPECT_THROW(x /= 0.0, error);
    EXPECT_THROW(x(1) = log(x(1)), error);
    EXPECT_THROW(x(all, range(0, 2)) = sqrt(x(all, range(0, 2))), error);
    EXPECT_EQ(address(x), where);
    EXPECT_EQ(to_host(x), to_host(x_));
    std::vector<double> memory = {1, -1};
    if (current_device().is_host()) {
        array<double, 1> outside = wrap(memory.data(), {2});
        EXPECT_THROW(outside = log(outside), error);
        EXPECT_EQ(memory, (std::vector<double>{1, -1}));
        outside = outside * 2.0;
        EXPECT_EQ(memory, (std::vector<double>{2, -2}));
    }
    double s = 7;
    EXPECT_THROW(tie(s) = pack(sum(log(x))), error);
    EXPECT_EQ(s, 7);
}

TEST_F(nan_check, of_several_results_and_kernels) {
    array<double, 2> a = copy(x_);
    array<double, 1> b = {7, 8};
    const auto assign = [&](double by) { tie(a, b) = pack(a * 2.0, max(a, axis=1) / (sum(a, axis=1) - by)); };
    {
        const debug_scope checked({.nan = true});
        EXPECT_EQ(message_of([&] { assign(5.0); }),
                  "nan check: element (1,) of result 1 of a pack, max(x0, axis=1) / (sum(x0, axis=1) - s1) is inf; it "
                  "is 6 / 0");
    }
    EXPECT_EQ(to_host(a), to_host(x_));
    EXPECT_EQ(to_host(b), (std::vector<double>{7, 8}));
    assign(5.0);
    EXPECT_EQ(to_host(b)[1], infinity);
    EXPECT_THAT(of(x_ / sum(log(x_), axis=0, keepdims) - sum(x_, axis=1, keepdims)),
                HasSubstr("element (0, 1) of (x0 / sum(log(x0), axis=0, keepdims)) - sum(x0, axis=1, keepdims) is nan; "
                          "it comes from log(x0) at (1, 1)"));
}

TEST_F(nan_check, holds_in_its_scope_alone) {
    EXPECT_EQ(current_debug(), debug_checks{});
    {
        const debug_scope checked({.nan = true});
        EXPECT_EQ(current_debug(), debug_checks{.nan = true});
        const debug_scope unchecked(debug_checks{});
        EXPECT_TRUE(std::isnan(to_host(log(x_))[4]));
    }
    array<double, 2> y = log(x_);
    const debug_scope checked({.nan = true});
    EXPECT_THAT(to_string(y), HasSubstr("nan"));  // what is there may be looked at
    EXPECT_THAT(to_string(transpose(y)), HasSubstr("nan"));
}

TEST_F(nan_check, not_in_graphs_and_of_the_same_memory_beside_them) {
    array<double, 2> y = zeros<double>({2, 3});
    const debug_scope checked({.nan = true, .bounds = true, .sync = true});
    const graph g = capture([&] { y = log(x_); });
    g.launch();
    EXPECT_TRUE(std::isnan(to_host(y)[4]));
    array<double, 2> x = copy(x_);
    const graph doubles = capture([&] { x += x; });
    x *= 3.0;  // where the graph reads it
    doubles.launch();
    EXPECT_EQ(to_host(x)[1], 12);
}

TEST_F(nan_check, not_of_what_is_not_computed) {
    const debug_scope checked({.nan = true});
    array<double, 2> x = full({2, 2}, -infinity);
    x(0) = nan;
    const array<double, 2> y = transpose(x);
    EXPECT_EQ(to_host(y)[1], -infinity);
    EXPECT_EQ(to_string(reshape(y, {4})), "[ nan -inf  nan -inf]");
    EXPECT_EQ(to_string(take(y, array<int, 1>{1}, axis=1)), "[[-inf]\n [-inf]]");
}

TEST_F(nan_check, of_sharded_arrays) {
    const mesh both({current_device(), current_device()});
    sharded<double, 2> x = scatter(both, x_);
    const debug_scope checked({.nan = true});
    const sharded<double, 2> doubled = x * 2.0;
    EXPECT_EQ(to_host(gather(doubled))[4], -10);
    EXPECT_EQ(message_of([&] { x = sqrt(log(x)); }),
              "nan check: element (1, 1) of sqrt(log(x0)) is nan; it comes from "
              "log(x0) at (1, 1), which is log(-5)");
    EXPECT_THAT(message_of([&] { static_cast<void>(item(sum(log(x)))); }),
                HasSubstr("it comes from log(x0) at (1, 1)"));
    EXPECT_EQ(to_host(gather(x)), to_host(x_));
}

TEST_F(nan_check, of_text) {
    if (current_device().is_host()) return;
    EXPECT_EQ(of(custom<double>("log(x) + y", x_, 1.0) * 2.0).find("nan check: element (1, 1) of "), 0u);
    EXPECT_THAT(of(custom<double>("log(x) + y", x_, 1.0) * 2.0), HasSubstr("(-5, 1)"));
    EXPECT_THAT(of(custom_reduce<double>("x * y", "T(1)", x_ * 1e200, axis=1)), HasSubstr("of finite elements"));
}

class bounds_check : public on_devices {
protected:
    template <class F>
    static std::string of(const F& f) {
        const debug_scope checked({.bounds = true});
        return message_of(f);
    }
    array<double, 2> x_;

private:
    void SetUp() override {
        on_devices::SetUp();
        if (!IsSkipped()) x_ = {{1, 2, 3}, {4, 5, 6}};
    }
};

TEST_F(bounds_check, of_take) {
    const array<int, 1> good = {2, -3, 0}, bad = {0, 3, 7};
    const array<std::int64_t, 2> below = {{0, 1}, {-3, 1}};
    array<double, 2> y;
    EXPECT_EQ(of([&] { y = take(x_, good, axis=1); }), "");
    EXPECT_EQ(to_host(y), (std::vector<double>{3, 1, 1, 6, 4, 4}));
    EXPECT_EQ(of([&] { y = exp(take(x_, bad, axis=1)); }),
              "bounds check: element (1,) of the indices x1 is 3, which is beyond axis 1 of x0 with 3 elements, in "
              "exp(take(x0, x1)); indices are from -3 to 2");
    EXPECT_EQ(
        of([&] { array<double, 3> z = take(x_ * 2.0, below, axis=0); }),
        "bounds check: element (1, 0) of the indices x1 is -3, which is beyond axis 0 of x0 * s0 with 2 elements, "
        "in take(x0 * s0, x1); indices are from -2 to 1");
    EXPECT_EQ(
        of([&] { y = take(x_, bad - 1, axis=1); }),
        "bounds check: element (2,) of the indices x1 - s0 is 6, which is beyond axis 1 of x0 with 3 elements, in "
        "take(x0, x1 - s0); indices are from -3 to 2");
    EXPECT_THAT(of([&] { y = y + sum(take(x_, 5, axis=1)); }),
                HasSubstr("index 5 is out of range for axis 1 of extent 3"));  // told without the check, too
    EXPECT_EQ(to_host(y), (std::vector<double>{3, 1, 1, 6, 4, 4}));
    y = take(x_, bad, axis=1);  // without the check: the nearest
    EXPECT_EQ(to_host(y), (std::vector<double>{1, 3, 3, 4, 6, 6}));
    array<double, 1> s;
    EXPECT_THAT(of([&] { tie(s, y) = pack(sum(x_, axis=1), take(x_, bad, axis=1) * 2.0); }),
                HasSubstr("with 3 elements, in take(x0, x2) * "));
    const auto none = empty<int>({0});
    EXPECT_EQ(of([&] { y = take(x_, none, axis=1); }), "");
}

TEST_F(bounds_check, of_put_and_at) {
    const array<int, 1> good = {1, -2}, bad = {1, 2};
    array<double, 2> y = copy(x_);
    EXPECT_EQ(of([&] { y = put(y, good, 7.0, axis=0); }), "");
    EXPECT_EQ(to_host(y), (std::vector<double>{7, 7, 7, 7, 7, 7}));
    y = copy(x_);
    const auto said = [](const char* how, int axis) {
        return testing::AllOf(HasSubstr("bounds check: element (1,) of the indices x"), HasSubstr(" is 2, which is "),
                              HasSubstr("beyond axis " + std::to_string(axis)), HasSubstr(" with 2 elements, in "),
                              HasSubstr(how));
    };
    EXPECT_THAT(of([&] { y = put(y, bad, 7.0, axis=0); }), said("where(", 0));
    EXPECT_THAT(of([&] { y = scatter_add(y, bad, 7.0, axis=0); }), said("x0 + sum(", 0));
    EXPECT_THAT(of([&] { at(y, bad, axis=0) = 7.0; }), said("where(", 0));
    EXPECT_THAT(of([&] { at(y, bad, axis=0) += 7.0; }), said("x0 + sum(", 0));
    array<double, 2> t = transpose(x_);
    EXPECT_THAT(of([&] { t = scatter_add(t, bad, 7.0, axis=1); }), said("x0 + sum(", 1));
    EXPECT_EQ(to_host(y), to_host(x_));
    EXPECT_EQ(of([&] { at(y, good, axis=0) += 1.0; }), "");
    EXPECT_EQ(to_host(y), (std::vector<double>{2, 3, 4, 5, 6, 7}));
    array<double, 2> flat({0, 3});
    EXPECT_THAT(of([&] { flat = put(flat, good, 7.0, axis=0); }), HasSubstr("with 0 elements, in where("));
    EXPECT_THAT(of([&] { flat = put(flat, good, 7.0, axis=0); }), HasSubstr("; no index is valid"));
}

TEST_F(bounds_check, not_of_the_padding_of_masks_with_sizes) {
    const array<float, 1> v = {1, 2, 3};
    const debug_scope checked({.bounds = true});
    EXPECT_EQ(to_host(compress(v > 1, v, 4, axis=0)), (std::vector<float>{2, 3, 3, 3}));
    EXPECT_EQ(to_host(extract(v > 1, v, 4, 7)), (std::vector<float>{2, 3, 7, 7}));
    EXPECT_EQ(to_host(nonzero(v > 1, 4)[0]), (std::vector<std::int64_t>{1, 2, 3, 3}));
}

TEST_F(bounds_check, of_at_with_many_places) {
    const std::int64_t n = 5000;  // more comparisons than an expression is given
    array<double, 1> y = zeros<double>({n});
    array<int, 1> places = astype<int>(arange(n));
    EXPECT_EQ(of([&] { at(y, places) += 1.0; }), "");
    EXPECT_EQ(item(sum(y)), static_cast<double>(n));
    places(4) = 5000;
    EXPECT_THAT(of([&] { at(y, places) += 1.0; }),
                HasSubstr("element (4,) of the indices x0 is 5000, which is beyond an axis with 5000 elements"));
    EXPECT_EQ(item(sum(y)), static_cast<double>(n));

    const debug_scope checked({.nan = true});
    const array<int, 1> others = astype<int>(arange(n)) % 7;
    EXPECT_EQ(message_of([&] { at(y, others) += 1e308; }),
              "nan check: element (0,) of x in at(x, indices) += values is inf");
    EXPECT_EQ(item(max(y)), 1.0);
    at(y, others) += 2.0;
    EXPECT_EQ(item(sum(y)), static_cast<double>(3 * n));
}

TEST_F(bounds_check, of_sharded_arrays) {
    const mesh both({current_device(), current_device()});
    const sharded<double, 2> x = scatter(both, x_);
    const sharded<int, 1> bad = replicate(both, array<int, 1>{0, 9});
    EXPECT_THAT(of([&] { const sharded<double, 2> y = take(x, bad, axis=1); }),
                HasSubstr("element (1,) of the indices x1 is 9, which is beyond axis 1 of x0 with 3 elements"));
}

/// What a fresh process finds under SINTER_DEBUG: 10 nothing, 11 NaNs, 12 indices, 13 an error of its own.
int found_under(const char* value) {
    setenv("SINTER_DEBUG", value, 1);
    const device_scope on(host());
    const std::string said = message_of([] {
        const array<double, 1> x = {1, -1};
        const array<int, 1> i = {1, 2};
        const array<double, 1> y = log(x), z = take(x, i);
    });
    fprintf(stderr, "%s\n", said.c_str());
    return said.empty() ? 10 : said.find("nan check") == 0 ? 11 : said.find("bounds check") == 0 ? 12 : 13;
}

TEST(debug_of_the_environment, SINTER_DEBUG) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: the variable is read once
    EXPECT_EXIT(std::exit(found_under("")), testing::ExitedWithCode(10), "");
    EXPECT_EXIT(std::exit(found_under("sync")), testing::ExitedWithCode(10), "");
    EXPECT_EXIT(std::exit(found_under("bounds")), testing::ExitedWithCode(12), "");
    EXPECT_EXIT(std::exit(found_under("bounds,nan,sync")), testing::ExitedWithCode(11), "");
    EXPECT_EXIT(std::exit(found_under("nan, sync")), testing::ExitedWithCode(13),
                "SINTER_DEBUG=nan, sync: list nan, bounds and sync, with commas between them, or unset it");
    EXPECT_EXIT(std::exit(found_under("nan,")), testing::ExitedWithCode(13), "SINTER_DEBUG=nan,: list");
    EXPECT_EXIT(std::exit(found_under("on")), testing::ExitedWithCode(13), "SINTER_DEBUG=on: list");
}

}  // namespace
}  // namespace sinter::test
