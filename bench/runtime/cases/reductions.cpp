// Reductions of a whole array and along each axis.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

template <class T, class Axis>
void norm_along(const trial& t, Axis along) {
    const auto x = operands<T>(t, 0, t.extents<3>());
    measure_expression(t, [&](std::size_t i) { return sqrt(sum(x[i] * x[i], axis=along)); });
}

const registration norm_2_double("norm_axis2.float64", [](const trial& t) { norm_along<double>(t, 2_c); });
const registration norm_2("norm_axis2.float32", [](const trial& t) { norm_along<float>(t, 2_c); });
const registration norm_0("norm_axis0.float32", [](const trial& t) { norm_along<float>(t, 0_c); });
const registration norm_1("norm_axis1.float32", [](const trial& t) { norm_along<float>(t, 1_c); });

template <class T>
void sum_along_0(const trial& t) {
    const auto x = operands<T>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return sum(x[i], axis=0_c); });
}

const registration sum_0("sum_axis0.float32", sum_along_0<float>);
const registration sum_0_double("sum_axis0.float64", sum_along_0<double>);
const registration sum_0_byte("sum_axis0.int8", sum_along_0<std::int8_t>);

const registration dot("dot.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    const auto y = operands<float>(t, 1, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return sum(x[i] * y[i]); });
});

const registration variance("var_axis0.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return var(x[i], axis=0_c); });
});

const registration arg_max("argmax.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return argmax(x[i], axis=1_c); });
});

const registration log_sum_exp("logsumexp.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) {
        const auto above = max(x[i], axis=1_c, keepdims);
        return log(sum(exp(x[i] - above), axis=1_c)) + max(x[i], axis=1_c);
    });
});

}  // namespace
}  // namespace bench
