// Conversions of choices between two numbers become choices between the converted numbers, with the same results.
#include <codegen/host/cast_choices.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using blocked::with_cast_choices;

/// astype<uint8>(where(x > 0.5f, number, -3.f)); `number` is an argument.
loop_nest chosen_bytes(std::int64_t n, bool stores_choice) {
    kernel_builder b;
    const int i = b.outer(n), x = b.load(b.input(dtype::float32), {{i, 1}});
    const int choice =
        b.op("where", {b.op("greater", {x, b.constant(0.5f)}), b.scalar(dtype::float32), b.constant(-3.f)});
    b.store(b.cast(dtype::uint8, choice), {{i, 1}});
    if (stores_choice) b.store(choice, {{i, 1}});
    return b.k;
}

TEST(cast_choices, have_the_results_of_conversions) {
    const std::int64_t n = 1031;
    const loop_nest k = chosen_bytes(n, false);
    std::vector<float> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<float>(i % 7) / 7.f);
    for (const float number : {99.9f, 300.f, -1.f, NAN})
        for (const compiled_loops when : {compiled_loops::never, compiled_loops::at_once}) {
            std::vector<std::uint8_t> got(x.size());
            const void* from[] = {x.data()};
            void* to[] = {got.data()};
            const ir::scalar_bits bits{std::bit_cast<std::uint32_t>(number)};
            evaluate_on_host(*plan_on_host(k, when), from, to, &bits);
            const int expected = number > 255 ? 255 : number > 0 ? 99 : 0;
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], x[i] > 0.5f ? expected : 0) << number;
        }
}

TEST(cast_choices, are_of_choices_that_nothing_else_reads) {
    const auto made = with_cast_choices(chosen_bytes(10, false));
    ASSERT_TRUE(made);
    const value& stored = made->values[static_cast<std::size_t>(made->stores[0].value)];
    EXPECT_EQ(stored.what, value_kind::elementwise);
    EXPECT_EQ(stored.type, dtype::uint8);
    for (const value& v : made->values)  // the choice between the numbers is gone
        EXPECT_TRUE(v.op == nullptr || v.op->rule != dtype_rule::select || &v == &stored);
    EXPECT_FALSE(with_cast_choices(chosen_bytes(10, true)));
}

TEST(cast_choices, are_of_numbers) {
    kernel_builder b;
    const int i = b.outer(100), x = b.load(b.input(dtype::int32), {{i, 1}}), zero = b.constant(std::int32_t{0});
    b.store(b.cast(dtype::uint8, b.op("where", {b.op("greater", {x, zero}), x, zero})), {{i, 1}});
    EXPECT_FALSE(with_cast_choices(b.k));
}

}  // namespace
}  // namespace sinter::codegen::testing
