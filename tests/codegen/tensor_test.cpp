// Products on tensor cores compute what their kernel says, whatever the tile, the way the factors lie, what they are
// computed of and the extents.
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/forms.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/tensor_products.hpp>

#include <gmock/gmock.h>

#include <functional>

namespace sinter::codegen {
namespace {

using testing::expect_proved;
using testing::expect_right;
using testing::product;
using testing::sizes;
using testing::variation;
using testing::wide;

schedule with_tile(const loop_nest& k, int rows, int columns, int warp_rows, int warp_columns, int depth, int stages,
                   int alignment = 16) {
    const std::vector<int> aligned(k.inputs.size() + k.outputs.size(), alignment);
    schedule s = schedule_tensor(k, device_properties{}, aligned).value();
    s.blocks_per_multiprocessor = 0;
    s.blocks_per_output = 1;
    s.tensor.divides_steps = false;
    s.tensor.warpgroups = s.tensor.fetches = false;
    s.tensor.rows_together = 1;
    s.block_threads = 32 * warp_rows * warp_columns;
    s.tensor.rows = rows;
    s.tensor.columns = columns;
    s.tensor.warp_rows = warp_rows;
    s.tensor.warp_columns = warp_columns;
    s.tensor.depth = depth;
    s.tensor.stages = stages;
    settle_tensor(k, tensor_factors_of(k).value(), aligned, s);
    return s;
}

/// The schedule that is chosen, on a machine with a few multiprocessors and on a large one.
void expect_chosen_right(const loop_nest& k) {
    for (const int multiprocessors : {2, 132}) {
        const schedule s = testing::chosen(k, multiprocessors);
        ASSERT_EQ(s.form, schedule_form::tensor);
        expect_right(k, s);
        expect_proved(k, s);
    }
}

constexpr sizes some_sizes[] = {{1, 16, 16, 16}, {1, 33, 40, 24}, {1, 70, 72, 56}, {3, 17, 24, 40}, {1, 130, 136, 72}};
constexpr sizes odd_sizes[] = {{1, 9, 11, 13}, {1, 33, 47, 31}, {2, 65, 67, 35}};

/// Factors of both half types that lie in any way.
std::vector<variation> every_layout() {
    std::vector<variation> all;
    for (const dtype type : {dtype::float16, dtype::bfloat16})
        for (const bool x : {true, false})
            for (const bool y : {true, false}) {
                variation how;
                how.type = type;
                how.x_along_steps = x;
                how.y_along_steps = y;
                all.push_back(how);
            }
    return all;
}

TEST(Tensor, FactorsThatLieInAnyWay) {
    for (const variation& how : every_layout()) {
        for (const sizes& n : {some_sizes[1], some_sizes[3]}) expect_chosen_right(product(n, how));
        for (const sizes& n : {odd_sizes[1], odd_sizes[2]}) expect_chosen_right(product(n, how));
    }
}

TEST(Tensor, TilesOfAllShapes) {
    for (const sizes& n : some_sizes) {
        const loop_nest k = product(n, {});
        expect_right(k, with_tile(k, 32, 32, 2, 2, 32, 2));
        expect_right(k, with_tile(k, 64, 32, 2, 1, 16, 4));
        expect_right(k, with_tile(k, 16, 64, 1, 4, 64, 3));
    }
    const loop_nest k = product(some_sizes[4], {});
    expect_right(k, with_tile(k, 128, 128, 2, 4, 32, 4));
    expect_right(k, wide(with_tile(k, 64, 64, 2, 2, 32, 3)));
}

TEST(Tensor, FactorsThatAreComputedAndWhatFollows) {
    for (const bool along_steps : {true, false})
        for (const sizes& n : {some_sizes[1], some_sizes[3], odd_sizes[0], odd_sizes[1]}) {
            variation how;
            how.x_along_steps = how.y_along_steps = along_steps;
            how.computed_x = true;
            expect_chosen_right(product(n, how));
            how.quantised_y = true;
            how.epilogue = true;
            expect_chosen_right(product(n, how));
            how.computed_x = false;
            how.weighted = true;
            how.halves = true;
            expect_chosen_right(product(n, how));
        }
}

/// By all tiles of warpgroups.
void expect_groups_right(const loop_nest& k) {
    int tiles = 0;
    for (const schedule& s :
         tensor_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + k.outputs.size(), 16)))
        if (s.tensor.warpgroups) {
            SCOPED_TRACE(describe(s));
            expect_right(k, s);
            const auto p = print_kernel(k, s, "").program;
            EXPECT_EQ(device_ir::verify(*p, lower::promises_of(class_of(k, s), *p)), std::vector<std::string>());
            ++tiles;
        }
    EXPECT_GT(tiles, 4);
}

TEST(Tensor, WarpgroupsMultiplyFactorsThatLieInAnyWay) {
    for (const variation& how : every_layout())
        expect_groups_right(product(how.type == dtype::float16 ? sizes{1, 120, 72, 264} : odd_sizes[1], how));
}

TEST(Tensor, WarpgroupsMultiplyWhatIsComputed) {
    for (const bool along_steps : {true, false})
        for (const sizes& n : {sizes{1, 72, 40, 72}, odd_sizes[0]}) {
            variation how;
            how.x_along_steps = how.y_along_steps = along_steps;
            how.computed_x = how.epilogue = true;
            expect_groups_right(product(n, how));
            how.computed_x = false;
            how.quantised_y = how.weighted = how.halves = true;
            expect_groups_right(product(n, how));
        }
}

/// The second launch finds the tickets that the first one left. Some blocks have no steps.
TEST(Tensor, BlocksDivideTheStepsOfATile) {
    for (const bool along_steps : {true, false})
        for (const sizes& n : {sizes{1, 16, 40, 136}, sizes{2, 19, 35, 67}}) {
            variation how;
            how.x_along_steps = how.y_along_steps = along_steps;
            for (const bool quantised : {false, true}) {
                how.epilogue = !quantised;
                how.quantised_y = how.weighted = how.halves = quantised;
                const loop_nest k = product(n, how);
                for (const int blocks : {1, 3, 16}) {
                    schedule s = with_tile(k, 16, 32, 1, 2, 16, 3);
                    s.tensor.divides_steps = true;
                    s.blocks_per_output = blocks;
                    expect_right(k, s, 2);
                }
                for (schedule s :
                     tensor_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + 2, 16))) {
                    if (!s.tensor.warpgroups || s.tensor.rows > 64) continue;
                    s.tensor.divides_steps = true;
                    s.blocks_per_output = 3;
                    expect_right(k, s, 2);
                }
            }
        }
}

TEST(Tensor, WhatFactorsAreComputedOfIsFetchedAhead) {
    int tiles = 0;
    for (const bool along_steps : {true, false})
        for (const bool computed_x : {false, true}) {
            variation how;
            how.x_along_steps = how.y_along_steps = along_steps;
            how.quantised_y = how.halves = true;
            how.computed_x = computed_x;
            how.type = computed_x ? dtype::bfloat16 : dtype::float16;
            const loop_nest k = product(computed_x ? sizes{2, 24, 40, 136} : sizes{1, 16, 72, 264}, how);
            for (schedule s : tensor_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + 1, 16))) {
                if (!s.tensor.fetches || s.tensor.rows * s.tensor.columns > 32 * 64 || s.blocks_per_output > 2)
                    continue;
                SCOPED_TRACE(describe(s));
                if (s.blocks_per_output == 1) expect_proved(k, s);
                expect_right(k, s);
                s.tensor.stages = 3;
                expect_right(k, s);
                ++tiles;
            }
        }
    EXPECT_GT(tiles, 20);
    EXPECT_FALSE(schedule_tensor(product({1, 16, 512, 512}, {}), device_properties{}, {16, 16, 16})->tensor.fetches);
}

/// Warps that take turns at the steps, of fewer and more than they have loaded, by one block per tile and several.
TEST(Tensor, FactorsInRegistersOfWarps) {
    int tiles = 0;
    for (const bool y_along_steps : {true, false})
        for (const int what : {0, 1, 2, 3}) {
            variation how;
            how.y_along_steps = y_along_steps;
            how.quantised_y = what != 1;
            how.computed_x = what == 2;
            how.weighted = what == 3;
            how.halves = what != 1;
            how.epilogue = what == 1;
            how.type = what == 2 ? dtype::bfloat16 : dtype::float16;
            const loop_nest k = product(what < 2 ? sizes{1, 21, 72, 584} : sizes{2, 40, 72, 136}, how);
            for (schedule s : tensor_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + 2, 16))) {
                if (!is_in_registers(s.tensor) || s.blocks_per_output > 1) continue;
                SCOPED_TRACE(describe(s));
                expect_proved(k, s);
                expect_right(k, s);
                s.blocks_per_output = 2;
                expect_right(k, s, 2);
                ++tiles;
            }
        }
    EXPECT_EQ(tiles, 8);
    variation transposed;
    transposed.x_along_steps = false;
    for (const schedule& s :
         tensor_candidates(product({1, 16, 72, 584}, transposed), device_properties{}, {16, 16, 16}))
        EXPECT_FALSE(is_in_registers(s.tensor));
}

TEST(Tensor, LibrariesAreSlowerTheLessRowsAreAligned) {
    const auto seconds = [](dtype type, std::int64_t leading) {
        gemm g;
        g.rows = g.columns = g.depth = 4096;
        g.a = g.b = g.d = {0, type, false, 4096};
        g.d.leading = leading;
        return library_seconds(g, device_properties{});
    };
    EXPECT_GT(seconds(dtype::float16, 4098), 2 * seconds(dtype::float16, 4104));
    EXPECT_GT(seconds(dtype::float16, 4097), 2 * seconds(dtype::float16, 4098));
    EXPECT_EQ(seconds(dtype::float32, 4097), seconds(dtype::float32, 4104));
}

TEST(Tensor, StepsAreDividedWhereTilesAreFew) {
    const auto blocks = [](const sizes& n) { return testing::chosen(product(n, {}), 132).blocks_per_output; };
    EXPECT_GT(blocks({1, 16, 4096, 4096}), 1);
    EXPECT_GT(blocks({1, 128, 128, 16384}), 4);
    EXPECT_EQ(blocks({1, 16, 4096, 64}), 1);
    EXPECT_EQ(blocks({1, 4096, 4096, 4096}), 1);
}

TEST(Tensor, BlocksOfAnyNumberOfTilesGoAlongTheColumnsTogether) {
    for (const std::int64_t rows : {64, 600}) expect_groups_right(product({1, rows, 72, 16}, {}));
    expect_groups_right(product({2, 580, 16, 16}, {}));
}

TEST(Tensor, AccessesAreAsWideAsExtentsAndAlignmentAllow) {
    const loop_nest even = product({1, 64, 64, 64}, {}), odd = product({1, 64, 63, 63}, {});
    EXPECT_EQ(with_tile(even, 64, 64, 2, 2, 32, 2).tensor.wide_loads, 3u);
    EXPECT_TRUE(with_tile(even, 64, 64, 2, 2, 32, 2).tensor.wide_stores);
    EXPECT_EQ(with_tile(even, 64, 64, 2, 2, 32, 2, 4).tensor.wide_loads, 0u);
    EXPECT_EQ(with_tile(odd, 64, 64, 2, 2, 32, 2).tensor.wide_loads, 0u);
    EXPECT_FALSE(with_tile(odd, 64, 64, 2, 2, 32, 2).tensor.wide_stores);
    expect_right(even, with_tile(even, 64, 64, 2, 2, 32, 2, 4));
    const std::string copied = print_kernel(even, with_tile(even, 64, 64, 2, 2, 32, 2), "").text;
    EXPECT_NE(copied.find("cp.async"), std::string::npos);
    EXPECT_EQ(print_kernel(odd, with_tile(odd, 64, 64, 2, 2, 32, 2), "").text.find("cp.async"), std::string::npos);
}

TEST(Tensor, IsForHalvesAndForDevicesThatHaveThem) {
    const auto form = [](const loop_nest& k, int arch) {
        device_properties m;
        m.arch = arch;
        return choose_schedule(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), 16)).form;
    };
    const loop_nest k = product({1, 512, 512, 512}, {});
    EXPECT_EQ(form(k, 80), schedule_form::tensor);
    EXPECT_NE(form(k, 75), schedule_form::tensor);
    EXPECT_NE(form(testing::squared_distances(512, 512, 512), 90), schedule_form::tensor);
    EXPECT_NE(form(product({1, 4, 512, 512}, {}), 90), schedule_form::tensor);
    // of a batch of small matrices a tile would be idle for the most part
    EXPECT_EQ(form(product({1, 16, 16, 16}, {}), 90), schedule_form::tensor);
    EXPECT_NE(form(product({4096, 16, 16, 16}, {}), 90), schedule_form::tensor);
    EXPECT_EQ(form(product({4096, 16, 32, 16}, {}), 90), schedule_form::tensor);
    // a factor that is no half number is not rounded to one
    loop_nest unrounded = product({1, 512, 512, 512}, {});
    for (value& v : unrounded.values)
        if (is_half(v.type)) v.type = dtype::float32;
    for (kernel_input& in : unrounded.inputs) in.type = dtype::float32;
    EXPECT_NE(form(unrounded, 90), schedule_form::tensor);
}

}  // namespace
}  // namespace sinter::codegen
