// Kernels that compute the same become one, and their readers follow.
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <gtest/gtest.h>

#include <array>

namespace sinter::codegen {
namespace {

// Leaves 0 and 1 are the program's; 2, 3, 4 are what kernels 0, 1, 2 store.
loop_nest reader_of(std::initializer_list<int> leaves) {
    testing::kernel_builder b;
    const int i = b.outer(100);
    int sum = b.constant(0.0);
    for (int leaf : leaves) {
        const int in = b.input(dtype::float64);
        b.k.inputs.back().leaf = leaf;
        sum = b.op("add", {sum, b.load(in, {{i, 1}})});
    }
    b.store(sum, {{i, 1}});
    return b.k;
}

TEST(Unite, EqualKernelsAreOne) {
    loop_nest again = testing::norm_of_rows(100, 7);
    for (value& v : again.values) v.node = 40 + v.over;  // of other nodes of the expression
    std::vector<loop_nest> kernels = {testing::norm_of_rows(100, 7), again, testing::norm_of_rows(100, 8),
                                      reader_of({2, 3, 4})};
    merge_identical_kernels(kernels, 2);
    ASSERT_EQ(kernels.size(), 3u);
    ASSERT_EQ(kernels[2].inputs.size(), 2u);
    EXPECT_EQ(kernels[2].inputs[0].leaf, 2);
    EXPECT_EQ(kernels[2].inputs[1].leaf, 3);
    EXPECT_EQ(kernels[2].values[1].input, 0);
    EXPECT_EQ(kernels[2].values[3].input, 0);
    EXPECT_EQ(kernels[2].values[5].input, 1);
    kernels = {testing::norm_of_rows(100, 7), testing::norm_of_rows(100, 8),  testing::norm_of_rows(100, 9),
               testing::norm_of_rows(100, 7), testing::norm_of_rows(100, 10), reader_of({3, 5, 6})};
    merge_identical_kernels(kernels, 2);
    ASSERT_EQ(kernels.size(), 5u);
    for (const int i : {0, 1, 2}) EXPECT_EQ(kernels[4].inputs.at(i).leaf, (std::array{3, 2, 5}[i]));
}

TEST(Unite, ReadersOfEqualKernelsMayBecomeEqual) {
    std::vector<loop_nest> kernels = {testing::norm_of_rows(100, 7), testing::norm_of_rows(100, 7), reader_of({2}),
                                      reader_of({3}), reader_of({4, 5})};
    merge_identical_kernels(kernels, 2);
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[1].inputs[0].leaf, 2);
    ASSERT_EQ(kernels[2].inputs.size(), 1u);
    EXPECT_EQ(kernels[2].inputs[0].leaf, 3);
}

TEST(Unite, OperandsOfCallsStay) {
    loop_nest call = reader_of({2, 3});
    call.call.emplace();
    std::vector<loop_nest> kernels = {testing::norm_of_rows(100, 7), testing::norm_of_rows(100, 7), call,
                                      reader_of({4})};
    merge_identical_kernels(kernels, 2);
    ASSERT_EQ(kernels.size(), 3u);
    ASSERT_EQ(kernels[1].inputs.size(), 2u) << "they are numbered";
    EXPECT_EQ(kernels[1].inputs[0].leaf, 2);
    EXPECT_EQ(kernels[1].inputs[1].leaf, 2);
}

TEST(Unite, WhatDiffersStays) {
    loop_nest other = testing::norm_of_rows(100, 7);
    other.inputs[0].leaf = 1;
    std::vector<loop_nest> kernels = {testing::norm_of_rows(100, 7), other, testing::norm_of_columns(7, 100),
                                      reader_of({2, 3, 4})};
    merge_identical_kernels(kernels, 2);
    EXPECT_EQ(kernels.size(), 4u);
    loop_nest one = testing::norm_of_rows(100, 7), two = one;
    one.numbers = {1};  // of places in arrays
    two.numbers = {2};
    kernels = {one, two, reader_of({2, 3})};
    merge_identical_kernels(kernels, 2);
    EXPECT_EQ(kernels.size(), 3u);
    kernels = {testing::norm_of_rows(100, 7), testing::norm_of_rows(100, 7)};  // the last makes the result
    merge_identical_kernels(kernels, 2);
    EXPECT_EQ(kernels.size(), 2u);
}

}  // namespace
}  // namespace sinter::codegen
