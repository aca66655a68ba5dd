// Products by persistent grids: blocks that take one tile after the other, of all layers of a batch, and products of
// float8 numbers as they are.
#include <tests/codegen/tensor_products.hpp>

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

using testing::expect_proved;
using testing::expect_right;
using testing::product;
using testing::sizes;
using testing::variation;

/// By the persistent grids of a machine with fewer multiprocessors than tiles.
void expect_persistent_right(const loop_nest& k, int multiprocessors, int tiles = 1) {
    device_properties m;
    m.multiprocessors = multiprocessors;
    int grids = 0;
    for (const schedule& s : tensor_candidates(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), 16))) {
        if (s.tensor.persistent_blocks == 0) continue;
        EXPECT_EQ(grid_size(k, s), multiprocessors);
        expect_right(k, s);
        expect_proved(k, s);
        ++grids;
    }
    EXPECT_EQ(grids, tiles);
}

/// One block, or a few, of a grid that has more tiles: each fills buffers for the next tile while one is computed. A
/// tile of more slices than buffers, and one of fewer.
TEST(TensorPipeline, BlocksTakeOneTileAfterTheOther) {
    variation with_epilogue;
    with_epilogue.epilogue = with_epilogue.halves = true;
    expect_persistent_right(product({1, 264, 264, 136}, with_epilogue), 3);
    variation columns_first;
    columns_first.x_along_steps = columns_first.y_along_steps = false;
    expect_persistent_right(product({1, 136, 264, 456}, columns_first), 1);
}

/// Beyond the last row or step of a layer boxes are 0, though the next layer's elements follow in memory.
TEST(TensorPipeline, BlocksTakeTilesOfAllLayers) {
    variation with_epilogue;
    with_epilogue.epilogue = with_epilogue.halves = true;
    expect_persistent_right(product({3, 136, 24, 40}, with_epilogue), 2);
    variation columns_first;
    columns_first.x_along_steps = columns_first.y_along_steps = false;
    expect_persistent_right(product({2, 40, 264, 72}, columns_first), 3);
    columns_first.y_shared = true;
    expect_persistent_right(product({3, 40, 24, 40}, columns_first), 2);
}

/// Boxes are of arrays as they lie, in lines of two axes.
TEST(TensorPipeline, OnlyPlainFactorsAreCopiedByBoxes) {
    const auto grids = [](const loop_nest& k, int alignment = 16) {
        int all = 0;
        for (const schedule& s :
             tensor_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + k.outputs.size(), alignment)))
            all += s.tensor.persistent_blocks > 0 ? 1 : 0;
        return all;
    };
    EXPECT_EQ(grids(product({1, 512, 512, 512}, {})), 1);
    EXPECT_EQ(grids(product({1, 512, 512, 512}, {}), 8), 0);
    EXPECT_EQ(grids(product({1, 512, 512, 509}, {})), 0);
    EXPECT_EQ(grids(product({2, 512, 512, 512}, {})), 1);
    EXPECT_EQ(grids(product({2, 511, 512, 512}, {})), 1);
    device_properties older;
    older.makes_tensor_maps = false;
    for (const schedule& s : tensor_candidates(product({1, 512, 512, 512}, {}), older, {16, 16, 16}))
        EXPECT_EQ(s.tensor.persistent_blocks, 0);
    variation computed;
    computed.computed_x = true;
    EXPECT_EQ(grids(product({1, 512, 512, 512}, computed)), 0);
    loop_nest backwards = product({1, 512, 512, 512}, {});
    for (const value& v : backwards.values)
        if (v.what == value_kind::load)
            for (std::int64_t& stride : backwards.layouts[static_cast<std::size_t>(v.at)].stride)
                stride = stride > 1 ? -stride : stride;
    EXPECT_EQ(grids(backwards), 0);
}

/// x * transpose(y) of float8 numbers as bfloat16.
variation of_float8(dtype x, dtype y) {
    variation how;
    how.float8 = x;
    how.y_float8 = y;
    how.halves = true;
    return how;
}

TEST(TensorPipeline, Float8NumbersAreMultipliedAsTheyAre) {
    for (const dtype x : {dtype::float8_e4m3, dtype::float8_e5m2})
        for (const dtype y : {dtype::float8_e4m3, dtype::float8_e5m2})
            expect_persistent_right(product({1, 24, 16, 144}, of_float8(x, y)), 1, 2);
    const variation both = of_float8(dtype::float8_e4m3, dtype::float8_e4m3);
    expect_persistent_right(product({2, 264, 24, 144}, both), 2, 2);
    expect_persistent_right(product({1, 16, 136, 656}, both), 1, 2);
}

/// Sums of 2048 products of one sign: in one sum of 14 bits 3 % of them would be lost, 0.05 % are in those of 128.
TEST(TensorPipeline, SumsOfFloat8ProductsAreFloat32Sums) {
    const loop_nest k = product({1, 16, 8, 2048}, of_float8(dtype::float8_e4m3, dtype::float8_e4m3));
    testing::arguments all = testing::make_arguments(k, 5);
    for (std::vector<double>& factor : all.inputs)
        for (double& x : factor) x = std::abs(x);
    std::vector<std::vector<double>> expected = all.outputs;
    testing::interpreter(k, all.inputs, {}, expected).run();
    for (const schedule& s : tensor_candidates(k, device_properties{}, {16, 16, 16})) {
        if (s.tensor.persistent_blocks == 0) continue;
        const std::vector<std::vector<double>> results = testing::run(k, s, all);
        double errors = 0;
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            const double error = results[0][i] / expected[0][i] - 1;
            ASSERT_LE(std::abs(error), 1.0 / 128) << "a step of bfloat16, element " << i;
            errors += error;
        }
        EXPECT_LT(std::abs(errors) / static_cast<double>(results[0].size()), 1e-3);
    }
}

TEST(TensorPipeline, Float8SumsAreOfKernelsWhoseResultsAreCoarser) {
    const auto grids = [](const variation& how, std::int64_t steps = 512, arithmetic precision = arithmetic::exact) {
        loop_nest k = product({1, 512, 512, steps}, how);
        k.precision = precision;
        int all = 0;
        for (const schedule& s : tensor_candidates(k, device_properties{}, {16, 16, 16}))
            all += s.tensor.persistent_blocks > 0 ? 1 : 0;
        return all;
    };
    variation how = of_float8(dtype::float8_e4m3, dtype::float8_e4m3);
    EXPECT_EQ(grids(how), 2);
    EXPECT_EQ(grids(how, 520), 0) << "lines begin at multiples of 8 bytes";
    EXPECT_TRUE(testing::chosen(product({1, 4096, 4096, 4096}, how), 132).tensor.persistent_blocks > 0);
    how.y_along_steps = false;
    EXPECT_EQ(grids(how), 0);
    how.y_along_steps = true;
    how.halves = false;
    EXPECT_EQ(grids(how), 0) << "results are float32";
    EXPECT_EQ(grids(how, 512, arithmetic::fast), 0);
    variation one_half = of_float8(dtype::float8_e4m3, dtype::bool_);
    EXPECT_EQ(grids(one_half), 0);
}

}  // namespace
}  // namespace sinter::codegen
