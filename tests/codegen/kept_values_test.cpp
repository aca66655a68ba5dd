// Values that one loop computes and later loops need: which are kept in registers, and what that does to the kernel.
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/kept_values.hpp>
#include <codegen/schedule/loops.hpp>
#include <sinter.hpp>
#include <tests/codegen/shaped_expressions.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

using testing::of;

template <class Tree>
compiled_kernel only_kernel_of(const expr<Tree>& e) {
    const device_scope on_host(host());
    compiled_program made = compile(testing::bindings_of(e), {}, {});
    EXPECT_EQ(made.kernels.size(), 1u);
    return std::move(made.kernels.at(0));
}

/// How many values of that op a kernel's loops compute for each element.
int computed(const compiled_kernel& made, const std::string& op) {
    const kept_values kept = kept_values_of(made.body, *made.chosen);
    int count = 0;
    for (int v = 0; v < static_cast<int>(made.body.values.size()); ++v) {
        const value& self = made.body.values[static_cast<std::size_t>(v)];
        count += self.loop >= 0 && self.op != nullptr && self.op->name == op && kept.needs(v);
    }
    return count;
}

int given(const compiled_kernel& made) {
    const kept_values kept = kept_values_of(made.body, *made.chosen);
    int count = 0;
    for (const std::vector<int>& loop : kept.given) count += static_cast<int>(loop.size());
    return count;
}

TEST(KeptValues, AFunctionIsEvaluatedOnce) {
    const auto x = of(4096, 1000), y = of(4096, 1000);
    const compiled_kernel made = only_kernel_of(softmax(tanh(x * y), axis=1));
    ASSERT_TRUE(made.chosen->register_cached);
    EXPECT_EQ(computed(made, "tanh"), 1);
    EXPECT_EQ(computed(made, "exp"), 1) << "its sum and the result need it";
    EXPECT_EQ(given(made), 2);
}

TEST(KeptValues, IncludingWhatItGathers) {
    const auto x = of(4096, 1000);
    const compiled_kernel made = only_kernel_of(softmax(tanh(x + roll(x, 3, axis=1)), axis=1));
    ASSERT_TRUE(made.chosen->register_cached);
    EXPECT_EQ(computed(made, "tanh"), 1);
}

TEST(KeptValues, WhatIsCheapIsComputedAgain) {
    const auto x = of(4096, 1000), y = of(4096, 1000);
    const compiled_kernel made = only_kernel_of(max(x + y, axis=1, keepdims) - (x + y));
    ASSERT_TRUE(made.chosen->register_cached);
    EXPECT_EQ(given(made), 0);
}

TEST(KeptValues, WhatDiffersIsComputed) {
    const auto x = of(4096, 1000), y = of(4096, 1000), z = of(4096, 1000);
    const compiled_kernel made = only_kernel_of(max(tanh(x + y), axis=1, keepdims) - tanh(x + z));
    EXPECT_EQ(computed(made, "tanh"), 2);
    EXPECT_EQ(given(made), 0);
}

TEST(KeptValues, NothingIsWhereElementsAreReadAgain) {
    const auto x = of(64, 300000);
    compiled_kernel made = only_kernel_of(softmax(tanh(x), axis=1));
    made.chosen->register_cached = false;
    EXPECT_EQ(given(made), 0);
    EXPECT_EQ(computed(made, "tanh"), 3);
}

// As many registers as the elements that they replace, or as there are for elements.
TEST(KeptValues, NoMoreThanThereAreRegistersFor) {
    const auto x = of(4096, 1000);
    compiled_kernel made = only_kernel_of(tanh(x) - max(tanh(x), axis=1, keepdims) * x);
    EXPECT_GT(given(made), 0);
    made.chosen->unroll = max_cached_bytes;
    EXPECT_EQ(given(made), 0);
}

}  // namespace
}  // namespace sinter::codegen
