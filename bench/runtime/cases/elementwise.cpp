// Elementwise expressions of arrays of one shape.
#include <bench/runtime/cases/expression.hpp>

namespace bench {

std::string device_description() { return sinter::current_device().description(); }

namespace {

using namespace sinter;

const registration exponential("exp.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return exp(x[i]); });
});

const registration chain("chain.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    measure_expression(t,
                       [&](std::size_t i) { return tanh(0.75f * x[i] + 0.25f) * exp(-0.5f * square(x[i])) + 0.125f; });
});

const registration linear("linear.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    const auto y = operands<float>(t, 1, t.extents<1>());
    const auto w = operands<float>(t, 2, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return 1.5f * x[i] + 2.5f * y[i] + 3.5f * w[i]; });
});

const registration multiply_add("multiply_add.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    const auto y = operands<float>(t, 1, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return x[i] * y[i] + 1.f; });
});

/// The price of a European call: Black and Scholes, The Pricing of Options and Corporate Liabilities, 1973.
const registration black_scholes("black_scholes.float32", [](const trial& t) {
    const auto price = operands<float>(t, 0, t.extents<1>());
    const auto strike = operands<float>(t, 1, t.extents<1>());
    const auto years = operands<float>(t, 2, t.extents<1>());
    constexpr float rate = 0.02f, volatility = 0.3f;
    const auto normal = [](const auto& d) { return 0.5f + 0.5f * erf(d * 0.70710678f); };
    const auto call = [&](std::size_t i) {
        const auto deviation = volatility * sqrt(years[i]);
        const auto d = (log(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
        return price[i] * normal(d) - strike[i] * exp(-rate * years[i]) * normal(d - deviation);
    };
    measure_expression(t, call);
    const fast_math_scope fast;
    measure_expression(t, call);
});

/// A recurrence of N steps with two operations each.
template <int N, class E>
auto steps_of(E e) {
    if constexpr (N == 0)
        return e;
    else
        return steps_of<N - 1>(e * 0.875f + 0.125f);
}

template <int N>
void steps(const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return steps_of<N - 1>(x[i] * 0.875f + 0.125f); });
}

const registration steps_1("steps_1.float32", steps<1>);
const registration steps_2("steps_2.float32", steps<2>);
const registration steps_4("steps_4.float32", steps<4>);
const registration steps_8("steps_8.float32", steps<8>);
const registration steps_16("steps_16.float32", steps<16>);
const registration steps_32("steps_32.float32", steps<32>);

}  // namespace
}  // namespace bench
