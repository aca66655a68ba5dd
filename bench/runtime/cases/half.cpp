// Expressions of float16, computed in float32 and rounded once.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

const registration gelu_bias("gelu_bias.float16", [](const trial& t) {
    const auto extents = t.extents<2>();
    const auto x = operands<float16>(t, 0, extents);
    const auto bias = operands<float16>(t, 1, shape<1>(extents[1]));
    measure_expression(t, [&](std::size_t i) {
        const auto v = x[i] + bias[i];
        return 0.5f * v * (1.f + erf(v * 0.70710678f));
    });
});

}  // namespace
}  // namespace bench
