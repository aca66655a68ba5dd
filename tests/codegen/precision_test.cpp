// Which kernels with results of float16 may take float32 subnormals for 0: those in which nothing tells them apart.
#include <codegen/driver/compile.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

template <class T>
array<T, 1> of() {
    return testing::unbacked<T>(shape<1>(1000));
}

template <class E>
arithmetic precision_of(const E& made) {
    const auto e = detail::as_expr(made);
    const compiled_program p =
        compile({&sinter::detail::program_of<typename decltype(e)::tree_type>, e.arguments()}, {}, {});
    EXPECT_EQ(p.kernels.size(), 1u);
    return p.kernels[0].body.precision;
}

TEST(Precision, SubnormalsAreZeroWhereNothingTellsThemApart) {
    const auto h = of<float16>(), g = of<float16>();
    EXPECT_EQ(precision_of(h + g * 2.f), arithmetic::half_flushed);
    EXPECT_EQ(precision_of(gelu(h) * exp(g)), arithmetic::half_flushed);
    EXPECT_EQ(precision_of(astype<float16>(astype<float>(h) * tanh(astype<float>(g)))), arithmetic::half_flushed);
}

TEST(Precision, SubnormalsAreComputedWhereResultsJumpAtZero) {
    const auto h = of<float16>(), g = of<float16>();
    const auto x = of<float>();
    EXPECT_EQ(precision_of(where(h > g, h, g)), arithmetic::half);
    EXPECT_EQ(precision_of(astype<float16>(astype<bool>(exp(h)))), arithmetic::half);
    EXPECT_EQ(precision_of(sign(exp(h))), arithmetic::half);
    EXPECT_EQ(precision_of(floor(-exp(h))), arithmetic::half);
    EXPECT_EQ(precision_of(log(exp(h))), arithmetic::half);
    EXPECT_EQ(precision_of(h / exp(g)), arithmetic::half);
    EXPECT_EQ(precision_of(heaviside(h, g)), arithmetic::half);
    EXPECT_EQ(precision_of(astype<float16>(x + 1.f)), arithmetic::half);
    EXPECT_EQ(precision_of(astype<float16>(of<double>() * 2.)), arithmetic::half_flushed);
    EXPECT_EQ(precision_of(h + x), arithmetic::exact);
}

}  // namespace
}  // namespace sinter::codegen
