// Reductions over all groups of a kernel: which kernels become one, and what their kernels compute on the emulated
// device.
#include <codegen/ir/verify.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/render_running.hpp>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;
using testing::wide;

/// max(x) of a line of so many elements, each `stride` behind the one before: leaf `leaf`.
loop_nest largest_of(std::int64_t n, int leaf, std::int64_t stride = 1) {
    kernel_builder b;
    const int l = b.loop({n});
    b.store(b.reduce("max", b.load(b.input(dtype::float64), {{b.inner(l), stride}}, l), l), {});
    b.k.inputs[0].leaf = leaf;
    return b.k;
}

/// sqrt(max(norms of rows)): the norms are leaf 1.
std::optional<loop_nest> largest_norm(std::int64_t rows, std::int64_t n) {
    return fold_groups(testing::norm_of_rows(rows, n), largest_of(rows, 1), {1});
}

/// sum(abs(x - y)) of leaf 0 and of a number per row, leaf 1: two axes, of which the rows' may be the faster.
loop_nest sum_of_distances(std::int64_t rows, std::int64_t n, bool rows_last = false) {
    kernel_builder b;
    const int l = rows_last ? b.loop({n, rows}) : b.loop({rows, n});
    const int row = b.inner(l, rows_last ? 1 : 0), column = b.inner(l, rows_last ? 0 : 1);
    const int x = b.load(b.input(dtype::float64), {{row, n}, {column, 1}}, l);
    const int y = b.load(b.input(dtype::float64), {{row, 1}}, l);
    b.store(b.op("negative", {b.reduce("sum", b.op("square", {b.op("subtract", {x, y}, l)}, l), l)}), {});
    return b.k;
}

TEST(FoldGroups, AReductionOfWhatIsFoundOfEachGroup) {
    for (const auto& [rows, n] : {std::pair<std::int64_t, std::int64_t>{1000, 7}, {37, 64}, {11, 3001}, {2, 1}}) {
        const std::optional<loop_nest> k = largest_norm(rows, n);
        ASSERT_TRUE(k.has_value());
        verify(*k, "fold_groups");
        EXPECT_EQ(k->outputs.size(), 2u);
        EXPECT_EQ(group_folds(*k).size(), 1u);
        for (int multiprocessors : {1, 4}) expect_right(*k, chosen(*k, multiprocessors), 3);
        expect_right(*k, wide(chosen(*k)), 2);
    }
}

TEST(FoldGroups, OfColumns) {
    for (const auto& [n, columns] : {std::pair<std::int64_t, std::int64_t>{9, 1000}, {300, 64}, {40, 37}, {5, 4096}}) {
        const std::optional<loop_nest> k =
            fold_groups(testing::norm_of_columns(n, columns), largest_of(columns, 1), {1});
        ASSERT_TRUE(k.has_value());
        verify(*k, "fold_groups");
        for (int multiprocessors : {1, 4}) {
            schedule s = chosen(*k, multiprocessors);
            ASSERT_EQ(s.form, schedule_form::columns) << describe(s);
            expect_right(*k, s, 3);
            if (columns % 2 != 0) continue;
            s.vector_width = 2;
            expect_right(*k, s, 2);
            expect_right(*k, wide(s), 2);
        }
    }
}

TEST(FoldGroups, EachGroupFoldsItsPartOfTheOtherAxes) {
    for (const bool rows_last : {false, true})
        for (const auto& [rows, n] : {std::pair<std::int64_t, std::int64_t>{300, 20}, {37, 1000}, {3, 20000}}) {
            const std::optional<loop_nest> k =
                fold_groups(testing::norm_of_rows(rows, n), sum_of_distances(rows, n, rows_last), {1});
            ASSERT_TRUE(k.has_value());
            verify(*k, "fold_groups");
            EXPECT_EQ(k->loops.size(), 2u);
            EXPECT_EQ(k->inputs.size(), 1u);
            schedule s = chosen(*k);
            EXPECT_EQ(s.register_cached, n < 20000) << describe(s);  // what both loops read is read once
            expect_right(*k, s, 2);
            s.register_cached = false;
            s.unroll = 2;
            expect_right(*k, s, 2);
        }
}

// What is one axis to the rows is two to what reads them, where something else tells these apart.
TEST(FoldGroups, AxesThatTheReaderTellsApart) {
    kernel_builder b;
    const int l = b.loop({6, 11}), leaf_of_norms = 1;
    const int norm = b.load(b.input(dtype::float64), {{b.inner(l, 0), 11}, {b.inner(l, 1), 1}}, l);
    const int weight = b.load(b.input(dtype::float64), {{b.inner(l, 1), 1}}, l);
    b.store(b.reduce("max", b.op("multiply", {norm, weight}, l), l), {});
    b.k.inputs[0].leaf = leaf_of_norms;
    b.k.inputs[1].leaf = 2;
    const std::optional<loop_nest> k = fold_groups(testing::norm_of_rows(66, 40), b.k, {leaf_of_norms});
    ASSERT_TRUE(k.has_value());
    verify(*k, "fold_groups");
    EXPECT_EQ(k->outer.size(), 2u);
    expect_right(*k, chosen(*k), 2);
    EXPECT_FALSE(fold_groups(testing::norm_of_rows(65, 40), b.k, {leaf_of_norms}).has_value());
}

/// One loop goes through what both read.
TEST(FoldGroups, AReductionOfWhatTheGroupsRead) {
    const loop_nest norms = testing::norm_of_rows(150, 40);
    const std::optional<loop_nest> k = fold_groups(norms, largest_of(150 * 40, 0), {1});
    ASSERT_TRUE(k.has_value());
    verify(*k, "fold_groups");
    EXPECT_EQ(k->loops.size(), 1u);
    EXPECT_EQ(k->inputs.size(), 1u);
    EXPECT_EQ(
        std::count_if(k->values.begin(), k->values.end(), [](const value& v) { return v.what == value_kind::load; }),
        1);
    expect_right(*k, chosen(*k), 2);
    EXPECT_FALSE(fold_groups(norms, largest_of(150 * 40, 3), {1}).has_value());     // of another array
    EXPECT_FALSE(fold_groups(norms, largest_of(150 * 20, 0), {1}).has_value());     // of a part of it
    EXPECT_FALSE(fold_groups(norms, largest_of(150 * 40, 0, 2), {1}).has_value());  // of other elements
}

TEST(FoldGroups, LeavesAloneWhatDoesNotFit) {
    const loop_nest norms = testing::norm_of_rows(100, 7);
    EXPECT_FALSE(fold_groups(norms, largest_of(100, 2), {1}).has_value());             // reads another array
    EXPECT_FALSE(fold_groups(norms, largest_of(100, 1, -1), {1}).has_value());         // in another order
    EXPECT_FALSE(fold_groups(norms, largest_of(50, 1, 2), {1}).has_value());           // not all of it
    EXPECT_FALSE(fold_groups(norms, testing::norm_of_rows(100, 7), {1}).has_value());  // has groups of its own
    EXPECT_FALSE(fold_groups(testing::norm_of_rows(0, 7), largest_of(0, 1), {1}).has_value());
    EXPECT_FALSE(fold_groups(testing::softmax_of_rows(100, 1), largest_of(100, 1), {1}).has_value());  // in a loop
    loop_nest part = largest_of(100, 1);
    part.inputs[0].offset = 1;
    EXPECT_FALSE(fold_groups(norms, part, {1}).has_value());
    kernel_builder b;  // each result beside each other one
    const int l = b.loop({100, 100}), in = b.input(dtype::float64);
    b.k.inputs[0].leaf = 1;
    const int x = b.load(in, {{b.inner(l, 0), 1}}, l), y = b.load(in, {{b.inner(l, 1), 1}}, l);
    b.store(b.reduce("sum", b.op("multiply", {x, y}, l), l), {});
    EXPECT_FALSE(fold_groups(norms, b.k, {1}).has_value());
}

/// Kernels that read leaf `of_norms`, which the first of them stores.
std::vector<loop_nest> norms_and(const loop_nest& reader) { return {testing::norm_of_rows(1000, 7), reader}; }

TEST(FoldGroups, WhatNobodyElseReadsIsNotStored) {
    std::vector<loop_nest> kernels = merge_kernels(norms_and(largest_of(1000, 1)), 1, device_properties{});
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].outputs.size(), 1u);
    // a result is, but not for others
    kernels = norms_and(largest_of(1000, 1));
    kernels[0].results = {1};
    kernels[0].read_later = 1;
    kernels[1].results = {0};
    kernels = merge_kernels(kernels, 1, device_properties{});
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].results, (std::vector<int>{1, 0}));
    EXPECT_EQ(kernels[0].read_later, 0u);
    // what others read is, and they find it: a kernel before them is gone
    kernels = norms_and(largest_of(1000, 1));
    kernels.push_back(testing::exp_of(1000));
    kernels.push_back(testing::exp_of(1));
    kernels[2].inputs[0].leaf = 1;
    kernels[3].inputs[0].leaf = 2;
    kernels = merge_kernels(kernels, 1, device_properties{});
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[0].outputs.size(), 2u);
    EXPECT_EQ(kernels[1].inputs[0].leaf, 1);
    EXPECT_EQ(kernels[2].inputs[0].leaf, 2);
}

TEST(FoldGroups, KernelsBetweenTheTwoMayNotNeedTheFirst) {
    std::vector<loop_nest> kernels = norms_and(testing::exp_of(1000));
    kernels[1].inputs[0].leaf = 1;
    kernels.push_back(largest_of(1000, 1));
    EXPECT_EQ(merge_kernels(kernels, 1, device_properties{}).size(), 3u);
    kernels[1].inputs[0].leaf = 0;
    kernels = merge_kernels(kernels, 1, device_properties{});
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_TRUE(folds_groups(kernels[1]));
}

// A few long rows are each computed by many blocks.
TEST(FoldGroups, OnlyWhereABlockComputesWholeRows) {
    EXPECT_EQ(merge_kernels({testing::norm_of_rows(4, 1 << 20), largest_of(4, 1)}, 1, device_properties{}).size(), 2u);
    EXPECT_EQ(merge_kernels({testing::norm_of_columns(1 << 20, 20), largest_of(20, 1)}, 1, device_properties{}).size(),
              2u);
    EXPECT_EQ(merge_kernels({testing::norm_of_columns(1000, 4096), largest_of(4096, 1)}, 1, device_properties{}).size(),
              1u);
}

// One wave of blocks, each of which takes as many rows.
TEST(FoldGroups, RowsAreSharedOutEvenly) {
    for (const std::int64_t rows : {1, 100, 5000, 100000, 1 << 22}) {
        const std::optional<loop_nest> k = largest_norm(rows, 256);
        if (rows == 1) {
            EXPECT_EQ(chosen(testing::norm_of_rows(1, 256), 132).folding_blocks, 0);
            continue;
        }
        const schedule s = chosen(*k, 132);
        const std::int64_t tiles = (rows + groups_per_block(s) - 1) / groups_per_block(s);
        EXPECT_LE(static_cast<std::int64_t>(s.folding_blocks) * s.block_threads, 132 * 1024);
        EXPECT_LE(s.folding_blocks, tiles);
        const std::int64_t rounds = (tiles + s.folding_blocks - 1) / s.folding_blocks;
        EXPECT_LT(rounds * s.folding_blocks - tiles, rounds + s.folding_blocks / 100) << describe(s);
    }
}

}  // namespace
}  // namespace sinter::codegen
