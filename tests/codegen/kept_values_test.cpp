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

/// How many loads of a kernel's loops are issued for each element.
int loaded(const compiled_kernel& made) {
    const kept_values kept = kept_values_of(made.body, *made.chosen);
    int count = 0;
    for (int v = 0; v < static_cast<int>(made.body.values.size()); ++v) {
        const value& self = made.body.values[static_cast<std::size_t>(v)];
        count += self.what == value_kind::load && self.loop >= 0 && kept.needs(v);
    }
    return count;
}

TEST(KeptValues, GathersAreReadOnce) {
    const auto x = of(4096, 1000);
    const auto rows = of<std::int64_t>(300);
    const auto expect_one = [](const compiled_kernel& made) {
        EXPECT_TRUE(made.chosen->register_cached) << describe(*made.chosen);
        EXPECT_EQ(loaded(made), 1);
    };
    expect_one(only_kernel_of(softmax(roll(x, 3, axis=1), axis=1)));
    expect_one(only_kernel_of(softmax(roll(x, 3, axis=0), axis=1)));
    expect_one(only_kernel_of(softmax(take(x, rows, axis=0), axis=1)));
}

// Each element of a join is in one part.
TEST(KeptValues, AJoinTakesTheRegistersOfOnePart) {
    const auto x = of(4096, 500), y = of(4096, 500);
    const compiled_kernel made = only_kernel_of(softmax(concat(x, y, axis=1), axis=1));
    ASSERT_TRUE(made.chosen->register_cached);
    EXPECT_EQ(loaded(made), 2) << "the parts, once";
    EXPECT_EQ(computed(made, "where"), 1);
}

// A half that is read alone takes a register.
TEST(KeptValues, HalvesAreCountedAsTheRegistersThatTheyTake) {
    const auto y = of<float16>(16384, 240);
    const compiled_kernel made = only_kernel_of(softmax(transpose(y), axis=1));
    const int accesses = made.chosen->register_cached ? made.chosen->unroll : 0;
    EXPECT_EQ(register_bytes_read_again(made.body, 1), 4);
    EXPECT_EQ(register_bytes_read_again(made.body, 8), 16);
    EXPECT_LE(accesses * register_bytes_read_again(made.body, made.chosen->vector_width), max_cached_bytes);
}

// So a row's wide accesses stay wide beside an operand that lies across, whose elements are loaded one by one.
TEST(KeptValues, RowsAreWideBesideWhatLiesAcross) {
    const auto x = of<float16>(240, 16384), z = of<float16>(240, 16384), y = of<float16>(16384, 240);
    const compiled_kernel made = only_kernel_of(softmax(x * z, axis=1) * transpose(y));
    EXPECT_TRUE(made.chosen->register_cached);
    EXPECT_GT(made.chosen->vector_width, 1);
    EXPECT_EQ(only_kernel_of(softmax(transpose(y), axis=1)).chosen->vector_width, 1) << "most of it lies across";
}

// Gathers are read again where there is no room for them beside loads.
TEST(KeptValues, LoadsComeFirst) {
    const auto x = of(66, 50257);
    const auto y = of(50257), z = of(50257);
    const auto v = x / (1 + abs(y(newaxis, all)));
    const compiled_kernel made = only_kernel_of(maximum(v, sqrt(mean(square(v)))) * z(newaxis, all));
    EXPECT_TRUE(made.chosen->register_cached) << describe(*made.chosen);
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
