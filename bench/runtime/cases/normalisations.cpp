// Reductions that are broadcast back: softmax, layer normalisations, standardised columns, x / sum(x).
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

constexpr float epsilon = 1e-5f;

const registration softmax_rows("softmax.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return softmax(x[i], axis=1_c); });
});

const registration layer_norm("layernorm.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    const auto weight = operands<float>(t, 1, shape<1>(extents[1]));
    const auto bias = operands<float>(t, 2, shape<1>(extents[1]));
    measure_expression(t, [&](std::size_t i) {
        const auto centred = x[i] - mean(x[i], axis=1_c, keepdims);
        return centred * rsqrt(mean(square(centred), axis=1_c, keepdims) + epsilon) * weight[i] + bias[i];
    });
});

const registration rms_norm("rmsnorm.float32", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float>(t, 0, extents);
    const auto weight = operands<float>(t, 1, shape<1>(extents[1]));
    measure_expression(
        t, [&](std::size_t i) { return x[i] * rsqrt(mean(square(x[i]), axis=1_c, keepdims) + epsilon) * weight[i]; });
});

const registration standardise("standardise_axis0.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return sinter::standardise(x[i], axis=0_c); });
});

const registration share("share_of_sum.float32", [](const trial& t) {
    const auto x = operands<float>(t, 0, t.extents<1>());
    measure_expression(t, [&](std::size_t i) { return x[i] / sum(x[i]); });
});

}  // namespace
}  // namespace bench
