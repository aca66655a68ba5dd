// Scans along rows and columns, for many and for few of them.
#include <bench/runtime/cases/expression.hpp>

namespace bench {
namespace {

using namespace sinter;

template <class Axis>
void cumsum_along(const trial& t, Axis along) {
    const auto x = operands<float>(t, 0, t.extents<2>());
    measure_expression(t, [&](std::size_t i) { return cumsum(x[i], axis=along); });
}

const registration cumsum_0("cumsum_axis0.float32", [](const trial& t) { cumsum_along(t, 0_c); });
const registration cumsum_1("cumsum_axis1.float32", [](const trial& t) { cumsum_along(t, 1_c); });

}  // namespace
}  // namespace bench
