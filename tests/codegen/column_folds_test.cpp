// Kernels of rows whose blocks also fold columns: which kernels are changed so, and that their programs are proved.
#include <codegen/ir/verify.hpp>
#include <tests/codegen/column_folds_samples.hpp>
#include <tests/codegen/device_programs.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace sinter::codegen {
namespace {

using testing::largest_shares;
using testing::sums_and_largest_shares;
using testing::sums_of_rows;

TEST(ColumnFolds, TheOtherKernelReadsTheBlocksResultsInPlaceOfRows) {
    const folded_columns both = sums_and_largest_shares(10000, 256).value();
    verify(both.rows, "fold_columns");
    verify(both.columns, "fold_columns");
    const std::int64_t blocks = both.rows.extents[static_cast<std::size_t>(both.rows.block_axis)];
    EXPECT_GE(blocks, 132);
    EXPECT_LE(blocks, 2 * 132);
    EXPECT_EQ(column_folds(both.rows).size(), 1u);
    ASSERT_EQ(both.rows.outputs.size(), 2u);
    EXPECT_EQ(both.rows.output_shapes[1].shape[0], blocks);
    ASSERT_EQ(both.columns.inputs.size(), 1u);
    EXPECT_EQ(both.columns.inputs[0].leaf, 2);
    EXPECT_EQ(trip_count(both.columns, both.columns.loops[0]), blocks);
    EXPECT_EQ(both.columns.values.size(), 3u);  // load, max, negative
}

TEST(ColumnFolds, EachIndexHasAProof) {
    for (const auto& [rows, n] :
         {std::pair<std::int64_t, std::int64_t>{10000, 256}, {900, 32}, {5000, 1000}, {5000, 4096}, {301, 4099}}) {
        const loop_nest k = sums_and_largest_shares(rows, n).value().rows;
        for (const int alignment : {4, 16}) {
            const schedule s = choose_schedule(k, device_properties{}, std::vector<int>(8, alignment));
            EXPECT_EQ(testing::unproved_of(testing::lowered(class_of(k, s))), "") << describe(s);
        }
    }
}

TEST(ColumnFolds, TheNumberOfBlocksIsNoPartOfTheClass) {
    const loop_nest small = sums_and_largest_shares(300, 1024).value().rows,
                    large = sums_and_largest_shares(70000, 1024).value().rows;
    EXPECT_NE(grid_size(small, choose_schedule(small, {}, {})), grid_size(large, choose_schedule(large, {}, {})));
    EXPECT_EQ(key_of(testing::class_chosen(small)), key_of(testing::class_chosen(large)));
}

TEST(ColumnFolds, RowsThatDoNotFitTheRegistersOfABlockHaveNone) {
    EXPECT_TRUE(has_column_folds_schedule(sums_and_largest_shares(1000, 8192).value().rows, {}));
    EXPECT_FALSE(has_column_folds_schedule(sums_and_largest_shares(1000, 20000).value().rows, {}));
    EXPECT_FALSE(has_column_folds_schedule(sums_and_largest_shares(1000, 16).value().rows, {}));
}

TEST(ColumnFolds, KernelsThatShareNoElementsAreLeftAlone) {
    loop_nest other = largest_shares(1000, 256);
    other.inputs[0].leaf = 5;
    EXPECT_TRUE(fold_columns(sums_of_rows(1000, 256), other, {1}, 2).has_value());  // it reads the sums
    EXPECT_FALSE(fold_columns(sums_of_rows(1000, 256), other, {-1}, 2).has_value());
    EXPECT_FALSE(fold_columns(sums_of_rows(1000, 256), largest_shares(1000, 255), {1}, 2).has_value());
    loop_nest shifted = largest_shares(1000, 256);
    shifted.inputs[1].offset = 1;  // the sum of the next row
    EXPECT_FALSE(fold_columns(sums_of_rows(1000, 256), shifted, {1}, 2).has_value());
}

TEST(ColumnFolds, WhatABlockStoresIsVerified) {
    loop_nest k = sums_and_largest_shares(1000, 256).value().rows;
    k.stores.back().loop = group_level;
    EXPECT_THROW(verify(k, "test"), error);
    k = sums_and_largest_shares(1000, 256).value().rows;
    k.block_axis = -1;
    EXPECT_THROW(verify(k, "test"), error);
}

}  // namespace
}  // namespace sinter::codegen
