// Numbers that the shapes determine: that two of them are equal makes no other kernel.
#include <codegen/driver/compile.hpp>
#include <codegen/lower/kernel_class.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/shaped_expressions.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace sinter::codegen {
namespace {

/// (index + 5) * 5 + 5: the operands of two ops, and one op twice.
loop_nest with_equal_numbers() {
    loop_nest k;
    k.extents = {100};
    k.outer = {0};
    k.layouts.resize(1);
    k.layouts[0].stride[0] = 1;
    k.numbers = {5};
    k.scalars = {-1};
    k.scalar_types = {dtype::int64};
    value index, five, first, scaled, last;
    index.what = value_kind::index;
    index.at = 0;
    five.what = value_kind::scalar;
    five.scalar = 0;
    first.what = scaled.what = last.what = value_kind::elementwise;
    first.op = last.op = &index_plus;
    scaled.op = &index_scaled;
    first.in = {0, 1, -1};
    scaled.in = {2, 1, -1};
    last.in = {3, 1, -1};
    k.values = {index, five, first, scaled, last};
    for (value& v : k.values) v.type = dtype::int64;
    k.outputs = {dtype::int64};
    k.stores = {{0, 4, group_level, 0}};
    return k;
}

TEST(SeparateNumbers, EachOperandOfAnOpHasItsOwn) {
    loop_nest k = with_equal_numbers();
    separate_numbers(k);
    ASSERT_EQ(k.scalars.size(), 2u);
    for (const int from : k.scalars) EXPECT_EQ(k.numbers[static_cast<std::size_t>(-1 - from)], 5);
    const value& stored = k.values[static_cast<std::size_t>(k.stores[0].value)];
    const value& scaled = k.values[static_cast<std::size_t>(stored.in[0])];
    const value& first = k.values[static_cast<std::size_t>(scaled.in[0])];
    EXPECT_EQ(stored.in[1], first.in[1]);
    EXPECT_NE(stored.in[1], scaled.in[1]);
}

TEST(SeparateNumbers, EqualExtentsNeedNoKernelOfTheirOwn) {
    const device_scope on_host(host());
    const auto key_of_join = [](std::int64_t rows, std::int64_t columns) {
        std::string key;
        const auto e = concat(testing::of(rows, columns), testing::of(std::int64_t{3}, columns), axis=0);
        for (const compiled_kernel& c : compile(testing::bindings_of(e), {}, {}).kernels)
            key += key_of(class_of(c.body, *c.chosen));
        return key;
    };
    EXPECT_EQ(key_of_join(64, 64), key_of_join(96, 64));
}

}  // namespace
}  // namespace sinter::codegen
