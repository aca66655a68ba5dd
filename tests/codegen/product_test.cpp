// Products compute what their kernel says, whatever the tile, the way the operands lie and the extents.
#include <codegen/ir/verify.hpp>
#include <codegen/schedule/contraction.hpp>
#include <codegen/schedule/gemm.hpp>
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/render_running.hpp>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;
using testing::wide;

/// A schedule with this tile, whether it pays or not.
schedule with_tile(const loop_nest& k, int rows, int columns, int thread_rows, int thread_columns, int depth,
                   int vector, int alignment = 16) {
    schedule s;
    s.form = schedule_form::contraction;
    s.block_threads = thread_rows * thread_columns;
    s.vector_width = vector;
    s.unroll = depth;
    s.product.row_axis = k.outer[k.outer.size() - 2];
    s.product.column_axis = k.outer.back();
    s.product.rows = rows;
    s.product.columns = columns;
    s.product.thread_rows = thread_rows;
    s.product.thread_columns = thread_columns;
    s.product.depth = depth;
    choose_wide_accesses(k, std::vector<int>(k.inputs.size() + k.outputs.size(), alignment), s);
    return s;
}

TEST(Product, OddExtents) {
    for (const auto& [n, m, steps] : {std::array{1, 1, 1}, {17, 33, 3}, {129, 131, 9}, {70, 132, 20}, {64, 64, 8}}) {
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m) + " x " + std::to_string(steps));
        const loop_nest k = testing::squared_distances(n, m, steps);
        expect_right(k, with_tile(k, 8, 8, 16, 16, 8, 4));
        expect_right(k, with_tile(k, 8, 8, 16, 16, 8, 4, 4));
        expect_right(k, with_tile(k, 4, 8, 8, 8, 8, 4));
        expect_right(k, with_tile(k, 2, 4, 8, 16, 4, 2));
        expect_right(k, with_tile(k, 1, 1, 16, 4, 3, 1));
    }
}

TEST(Product, AccessesAreAsWideAsExtentsAndAlignmentAllow) {
    const loop_nest even = testing::squared_distances(64, 64, 8), odd = testing::squared_distances(64, 64, 9);
    EXPECT_EQ(with_tile(even, 8, 8, 16, 16, 8, 4).product.wide_loads, 3u);
    EXPECT_TRUE(with_tile(even, 8, 8, 16, 16, 8, 4).product.wide_stores);
    EXPECT_EQ(with_tile(even, 8, 8, 16, 16, 8, 4, 8).product.wide_loads, 0u);
    EXPECT_FALSE(with_tile(even, 8, 8, 16, 16, 8, 4, 8).product.wide_stores);
    EXPECT_EQ(with_tile(odd, 8, 8, 16, 16, 8, 4).product.wide_loads, 0u);
    EXPECT_TRUE(with_tile(even, 8, 8, 16, 16, 8, 4).product.whole);
    EXPECT_FALSE(with_tile(odd, 8, 8, 16, 16, 8, 4).product.whole);
    EXPECT_FALSE(with_tile(testing::squared_distances(64, 63, 8), 8, 8, 16, 16, 8, 4).product.wide_stores);
    // the weights go along the steps alone, and a bias is no load of the loop
    EXPECT_EQ(with_tile(testing::weighted_products(2, 64, 64, 8), 4, 4, 16, 16, 8, 2).product.wide_loads, 3u);
}

TEST(Product, SixtyFourBitPositions) {
    const loop_nest k = testing::squared_distances(40, 36, 12), layers = testing::weighted_products(3, 40, 36, 13);
    expect_right(k, wide(with_tile(k, 4, 4, 8, 8, 8, 4)));
    expect_right(layers, wide(with_tile(layers, 4, 4, 8, 8, 8, 2)));
}

/// The second launch finds the tickets that the first one left. Some blocks have no steps; 40 blocks are three sets.
TEST(Product, BlocksDivideTheStepsOfATile) {
    for (const auto& [layers, n, m, steps] : {std::array{1, 33, 64, 37}, {3, 17, 35, 130}})
        for (const loop_nest& k :
             {testing::weighted_products(layers, n, m, steps), testing::sums_of_kernels(n, m, steps)})
            for (const int parts : {2, 16, 40}) {
                SCOPED_TRACE(std::to_string(parts));
                schedule s = with_tile(k, 4, 2, 8, 16, 8, 2);
                if (parts == 16) s = wide(with_tile(k, 2, 2, 8, 8, 4, 2, 4));
                if (parts == 2) s = with_tile(k, 1, 1, 8, 8, 8, 1);
                s.blocks_per_output = parts;
                expect_right(k, s, 2);
            }
}

/// Threads of a block take turns at the steps, alone and where blocks divide them.
TEST(Product, SetsOfThreadsTakeTurnsAtTheSteps) {
    for (const auto& [layers, n, m, steps] : {std::array{1, 3, 3, 150}, {1, 9, 20, 64}, {2, 17, 5, 333}})
        for (const loop_nest& k :
             {testing::weighted_products(layers, n, m, steps), testing::sums_of_kernels(n, m, steps)})
            for (const auto& [rows, columns, across, down, sets, depth] :
                 {std::array{4, 4, 2, 2, 16, 16}, {4, 4, 1, 1, 64, 128}, {2, 4, 4, 1, 8, 32}}) {
                schedule s = with_tile(k, rows, columns, down, across, depth, 2);
                s.product.thread_steps = sets;
                s.block_threads *= sets;
                s.unroll = depth / sets;
                for (const int parts : {1, 3, 20}) {
                    SCOPED_TRACE(describe(s));
                    s.blocks_per_output = parts;
                    expect_right(k, parts == 3 ? wide(s) : s, 2);
                }
            }
}

TEST(Product, BlocksDivideStepsOfSeveralAxesAndDtypes) {
    kernel_builder b;
    const int i = b.outer(21), j = b.outer(34);
    const int l = b.loop({5, 6});
    const int x = b.load(b.input(dtype::float64), {{i, 30}, {b.inner(l, 0), 6}, {b.inner(l, 1), 1}}, l);
    const int y = b.load(b.input(dtype::int32), {{j, 5}, {b.inner(l, 0), 1}, {b.inner(l, 1), 170}}, l);
    const int both = b.op("multiply", {x, b.cast(dtype::float64, y, l)}, l);
    b.store(b.reduce("max", both, l), {{i, 34}, {j, 1}});
    b.store(b.reduce("sum", b.cast(dtype::int64, y, l), l), {{i, 34}, {j, 1}});
    schedule s = with_tile(b.k, 4, 4, 8, 8, 4, 2);
    for (s.blocks_per_output = 2; s.blocks_per_output <= 32; s.blocks_per_output *= 4) expect_right(b.k, s, 2);
}

TEST(Product, StepsAreDividedWhereTilesAreFew) {
    const auto of = [](std::int64_t n, std::int64_t m, std::int64_t steps) {
        return chosen(testing::squared_distances(n, m, steps), 132);
    };
    EXPECT_EQ(of(20, 20, 1000000).form, schedule_form::contraction);
    EXPECT_GT(of(20, 20, 1000000).blocks_per_output, 100);
    EXPECT_GT(of(300, 500, 4000).blocks_per_output, 4);
    EXPECT_EQ(of(4096, 4096, 64).blocks_per_output, 1);
    EXPECT_EQ(of(4096, 4096, 4096).blocks_per_output, 1);
}

TEST(Product, LayersWeightsAndColumnsSideBySide) {
    for (const auto& [layers, n, m, steps] : {std::array{1, 64, 64, 16}, {3, 33, 64, 7}, {2, 16, 35, 30}}) {
        const loop_nest k = testing::weighted_products(layers, n, m, steps);
        expect_right(k, with_tile(k, 4, 4, 8, 16, 8, 2));
        expect_right(k, with_tile(k, 4, 2, 8, 8, 5, 2, 8));
    }
}

TEST(Product, SeveralReductionsOfFunctionsWithValuesOfTheGroups) {
    for (const auto& [n, m, steps] : {std::array{64, 64, 16}, {33, 50, 11}}) {
        const loop_nest k = testing::sums_of_kernels(n, m, steps);
        expect_right(k, with_tile(k, 4, 2, 8, 16, 8, 2));
        schedule s = with_tile(k, 4, 4, 8, 8, 8, 4);
        s.unroll = 1;
        expect_right(k, s);
    }
}

// Two axes of the loop that memory tells apart.
TEST(Product, StepsOfSeveralAxes) {
    kernel_builder b;
    const int i = b.outer(21), j = b.outer(34);
    const int l = b.loop({5, 6});
    const int x = b.load(b.input(dtype::float32), {{i, 30}, {b.inner(l, 0), 6}, {b.inner(l, 1), 1}}, l);
    const int y = b.load(b.input(dtype::int32), {{j, 5}, {b.inner(l, 0), 1}, {b.inner(l, 1), 170}}, l);
    b.store(b.reduce("max", b.op("multiply", {x, b.cast(dtype::float32, y, l)}, l), l), {{i, 34}, {j, 1}});
    expect_right(b.k, with_tile(b.k, 4, 4, 8, 8, 8, 4));
    expect_right(b.k, wide(with_tile(b.k, 2, 4, 8, 4, 6, 2)));
}

TEST(Nest, TakesAKernelsReducedResultsIntoItsReader) {
    const loop_nest k = testing::distance_of_nearest(1000, 64, 32);
    verify(k, "nest");
    EXPECT_EQ(k.loops.size(), 2u);
    EXPECT_EQ(k.outer, std::vector<int>{0});
    EXPECT_EQ(k.nest_axis, 1);
    EXPECT_EQ(k.inputs.size(), 2u);
    EXPECT_EQ(k.output_shapes.size(), testing::least_of_rows(1000, 64, 2).output_shapes.size());
    EXPECT_EQ(chosen(k, 132).form, schedule_form::contraction);
    EXPECT_GE(chosen(k, 132).product.columns * chosen(k, 132).product.thread_columns, 64);
    EXPECT_FALSE(chosen(k, 132).product.over_columns);
    EXPECT_TRUE(chosen(testing::distance_of_nearest(20000, 257, 32), 132).product.over_columns);
    EXPECT_TRUE(chosen(testing::distance_of_nearest(20000, 16383, 3), 132).product.over_columns);
    EXPECT_FALSE(chosen(testing::distance_of_nearest(20000, 257, 32), 132).product.one_slice);
    EXPECT_TRUE(chosen(testing::distance_of_nearest(20000, 16383, 3), 132).product.one_slice);
}

TEST(Nest, LeavesAloneWhatDoesNotFit) {
    const loop_nest distances = testing::squared_distances(100, 64, 32);
    EXPECT_TRUE(nest(distances, testing::least_of_rows(100, 64, 2), 2).has_value());
    EXPECT_FALSE(nest(distances, testing::least_of_rows(100, 64, 3), 2).has_value());  // reads another array
    EXPECT_FALSE(nest(distances, testing::least_of_rows(64, 100, 2), 2).has_value());  // in another order
    EXPECT_FALSE(nest(distances, testing::exp_of(100), 2).has_value());                // has no loop
    loop_nest part = testing::least_of_rows(100, 64, 2);
    part.inputs[0].offset = 1;
    EXPECT_FALSE(nest(distances, part, 2).has_value());
    kernel_builder b;  // of each row the greatest distance from row 0: the same array in another order
    const int r = b.outer(100), l = b.loop({64}), in = b.input(dtype::float32);
    b.k.inputs[0].leaf = 2;
    const int own = b.load(in, {{r, 64}, {b.inner(l), 1}}, l), first = b.load(in, {{b.inner(l), 1}}, l);
    b.store(b.reduce("max", b.op("subtract", {own, first}, l), l), {{r, 1}});
    EXPECT_FALSE(nest(distances, b.k, 2).has_value());
    loop_nest half = testing::least_of_rows(100, 64, 2);
    half.extents[1] = 32;
    EXPECT_FALSE(nest(distances, half, 2).has_value());
    EXPECT_FALSE(nest(testing::softmax_of_rows(100, 64), testing::least_of_rows(100, 64, 2), 2).has_value());
    EXPECT_FALSE(nest(testing::squared_distances(0, 64, 32), testing::least_of_rows(0, 64, 2), 2).has_value());
}

TEST(Nest, KernelsMoveUpAndKeepWhatTheyRead) {
    // leaves 0 and 1 are the program's, 2 what kernel 0 stores, 3 what kernel 1 stores
    std::vector<loop_nest> kernels = {testing::squared_distances(100, 64, 32), testing::norm_of_rows(100, 7),
                                      testing::least_of_rows(100, 64, 2), testing::exp_of(100)};
    kernels[3].inputs[0].leaf = 3;
    kernels = merge_kernels(std::move(kernels), 2, device_properties{});
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[1].nest_axis, 1);
    EXPECT_EQ(kernels[2].inputs[0].leaf, 2);  // kernel 1 is kernel 0 now
    // several readers: each of them needs the array
    kernels = {testing::squared_distances(100, 64, 32), testing::least_of_rows(100, 64, 2),
               testing::least_of_rows(100, 64, 2)};
    EXPECT_EQ(merge_kernels(kernels, 2, device_properties{}).size(), 3u);
    // so does the program, where it is a result
    kernels = {testing::squared_distances(100, 64, 32), testing::least_of_rows(100, 64, 2)};
    EXPECT_EQ(merge_kernels(kernels, 2, device_properties{}).size(), 1u);
    kernels[0].results = {0};
    kernels[0].read_later = 1;
    kernels[1].results = {1};
    EXPECT_EQ(merge_kernels(kernels, 2, device_properties{}).size(), 2u);
}

TEST(Product, IsChosenWhereATileSavesReads) {
    const auto form = [](const loop_nest& k) { return chosen(k, 132).form; };
    EXPECT_EQ(form(testing::squared_distances(4096, 4096, 64)), schedule_form::contraction);
    EXPECT_EQ(form(testing::squared_distances(1 << 18, 64, 32)), schedule_form::contraction);
    EXPECT_EQ(form(testing::squared_distances(1000, 999, 3)), schedule_form::contraction);
    EXPECT_EQ(form(testing::weighted_products(50, 300, 200, 100)), schedule_form::contraction);
    EXPECT_EQ(form(testing::sums_of_kernels(1000, 1000, 100)), schedule_form::contraction);
    EXPECT_EQ(form(testing::squared_distances(4096, 4096, 1)), schedule_form::windows);  // no step after the first
    EXPECT_EQ(form(testing::squared_distances(1 << 18, 5, 64)), schedule_form::rows);    // no tile of columns
    EXPECT_EQ(form(testing::squared_distances(32, 32, 1000)), schedule_form::rows);      // too few tiles and steps
    EXPECT_EQ(form(testing::squared_distances(32, 32, 1 << 20)), schedule_form::contraction);
    EXPECT_EQ(form(testing::norm_of_rows(4096, 4096)), schedule_form::rows);
    kernel_builder b;  // every result has elements of its own
    const int i = b.outer(1000), j = b.outer(1000);
    const int l = b.loop({100});
    const int x = b.load(b.input(dtype::float32), {{i, 100}, {b.inner(l), 1}}, l);
    const int y = b.load(b.input(dtype::float32), {{j, 100}, {b.inner(l), 1}}, l);
    const int z = b.load(b.input(dtype::float32), {{i, 100000}, {j, 100}, {b.inner(l), 1}}, l);
    b.store(b.reduce("sum", b.op("multiply", {b.op("multiply", {x, y}, l), z}, l), l), {{i, 1000}, {j, 1}});
    EXPECT_EQ(form(b.k), schedule_form::rows);
}

TEST(Product, FewTilesTakeDeeperSlices) {
    EXPECT_GE(chosen(testing::squared_distances(200, 200, 200), 132).product.depth, 16);
    EXPECT_EQ(chosen(testing::squared_distances(4096, 4096, 64), 132).product.depth, 8);
}

// What is the same for neighbouring results may be read in any order; the other operand decides.
TEST(Product, OfFewResultsGoesAsMemoryDoes) {
    EXPECT_EQ(chosen(testing::weighted_products(1, 32, 128, 785), 132).form, schedule_form::columns);
    EXPECT_EQ(chosen(testing::squared_distances(32, 128, 785), 132).form, schedule_form::rows);
}

TEST(Product, SmallOnesAreNoLibrarys) {
    gemm g;
    g.rows = g.columns = g.depth = 200;
    EXPECT_TRUE(is_small(g));
    gemm larger = g, deep = g, batch = g, calls = g;
    larger.rows = 201;
    deep.rows = 1;
    deep.depth = 257;
    batch.batch.extent = 2;
    calls.batches = {{2}};
    for (const gemm& other : {larger, deep, batch, calls}) EXPECT_FALSE(is_small(other));
}

// A library gives each of many small matrices a block of its own.
TEST(Product, BatchesOfSmallMatricesAreNoLibrarys) {
    gemm g;
    g.rows = g.columns = g.depth = 16;
    g.batch.extent = 1000000;
    EXPECT_TRUE(is_small(g));
    gemm larger = g, deep = g;
    larger.rows = 17;
    deep.depth = 33;
    for (const gemm& other : {larger, deep}) EXPECT_FALSE(is_small(other));
}

// A tile follows how many results there are: large ones when all multiprocessors have some, else smaller ones.
TEST(Product, TilesFollowTheNumberOfResults) {
    const auto tile = [](std::int64_t n, std::int64_t m) {
        const contraction_tile t = chosen(testing::squared_distances(n, m, 64), 132).product;
        return std::pair(t.rows * t.thread_rows, t.columns * t.thread_columns);
    };
    EXPECT_EQ(tile(4096, 4096), std::pair(128, 128));
    EXPECT_EQ(tile(10000, 10000), std::pair(128, 128));
    EXPECT_EQ(tile(1 << 18, 64).second, 64);
    EXPECT_LE(tile(512, 512).first * tile(512, 512).second, 64 * 64);
    // what memory and registers have to hold bounds them as well
    for (int loads : {2, 6, 12}) {
        kernel_builder b;
        const int i = b.outer(4096), j = b.outer(4096);
        const int l = b.loop({64});
        int sum = b.constant(0.0);
        for (int n = 0; n < loads; ++n) {
            const int load = b.load(b.input(dtype::float64), {{n % 2 == 0 ? i : j, 64}, {b.inner(l), 1}}, l);
            sum = b.op("multiply", {sum, load}, l);
        }
        b.store(b.reduce("sum", sum, l), {{i, 4096}, {j, 1}});
        const schedule s = chosen(b.k, 132);
        ASSERT_EQ(s.form, schedule_form::contraction) << loads;
        const contraction_tile& t = s.product;
        EXPECT_LE(2 * t.depth * (t.rows * t.thread_rows + t.columns * t.thread_columns + 4) * 8 * loads / 2, 48 * 1024);
    }
}

}  // namespace
}  // namespace sinter::codegen
