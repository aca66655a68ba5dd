// Folds of a product's columns compute what the product and its reader do one after the other, by all tiles.
#include <codegen/lower/promises.hpp>
#include <codegen/lower/workspace.hpp>
#include <codegen/schedule/tensor.hpp>
#include <codegen/transforms/pass.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/render_running.hpp>

#include <gmock/gmock.h>

namespace sinter::codegen {
namespace {

using ::testing::HasSubstr;
using testing::interpreter;
using testing::kernel_builder;

struct sizes {
    std::int64_t layers, rows, columns, steps;
};

/// -1 for a single layer.
int layer_axis(kernel_builder& b, const sizes& n) { return n.layers > 1 ? b.outer(n.layers) : -1; }

kernel_builder::strides in_layers(int axis, std::int64_t apart, kernel_builder::strides within) {
    if (axis >= 0) within.insert(within.begin(), {axis, apart});
    return within;
}

/// float16(sum(x * y)) for each row and column: leaf 2.
loop_nest product(const sizes& n, bool along_steps) {
    kernel_builder b;
    const int h = layer_axis(b, n), i = b.outer(n.rows), j = b.outer(n.columns), l = b.loop({n.steps}), k = b.inner(l);
    const auto lies = [&](int axis, std::int64_t extent) {
        return in_layers(h, extent * n.steps,
                         along_steps ? kernel_builder::strides{{axis, n.steps}, {k, 1}}
                                     : kernel_builder::strides{{k, extent}, {axis, 1}});
    };
    const int x = b.cast(dtype::float32, b.load(b.input(dtype::float16), lies(i, n.rows), l), l);
    const int y = b.cast(dtype::float32, b.load(b.input(dtype::float16), lies(j, n.columns), l), l);
    const int sum = b.reduce("sum", b.op("multiply", {x, y}, l), l);
    b.store(b.cast(dtype::float16, sum), in_layers(h, n.rows * n.columns, {{i, n.columns}, {j, 1}}));
    return b.k;
}

/// Of each row, or of each column, of leaf 2: the maximum plus a number of the row (leaf 3), and the sum of squares.
loop_nest reader(const sizes& n, bool of_rows) {
    kernel_builder b;
    const int h = layer_axis(b, n), g = b.outer(of_rows ? n.rows : n.columns);
    const int l = b.loop({of_rows ? n.columns : n.rows});
    kernel_builder::strides at =
        in_layers(h, n.rows * n.columns, {{of_rows ? g : b.inner(l), n.columns}, {of_rows ? b.inner(l) : g, 1}});
    const int x = b.cast(dtype::float32, b.load(b.input(dtype::float16), at, l), l);
    const int of_row = b.load(b.input(dtype::float32), {{g, 1}});
    b.k.inputs[0].leaf = 2;
    b.k.inputs[1].leaf = 3;
    const int most = b.reduce("max", b.op("multiply", {x, of_row}, l), l);
    const int squares = b.reduce("sum", b.op("square", {x}, l), l);
    const kernel_builder::strides to = in_layers(h, of_rows ? n.rows : n.columns, {{g, 1}});
    b.store(b.op("add", {most, of_row}), to);
    b.store(squares, to);
    return b.k;
}

enum class tiles_tried : std::uint8_t { all, persistent };

void expect_right(const sizes& n, bool along_steps, bool of_rows, const device_properties& m = {},
                  tiles_tried which = tiles_tried::all) {
    const loop_nest first = product(n, along_steps), second = reader(n, of_rows);
    const std::optional<loop_nest> k = nest(first, second, 2);
    ASSERT_TRUE(k);
    testing::arguments all = testing::make_arguments(*k, 7), of_first = all, of_second = all;
    of_first.outputs.assign(1, std::vector<double>(static_cast<std::size_t>(n.layers * n.rows * n.columns)));
    interpreter(first, all.inputs, {}, of_first.outputs).run();
    of_second.inputs = {of_first.outputs[0], all.inputs[2]};
    interpreter(second, of_second.inputs, {}, of_second.outputs).run();
    int tiles = 0;
    for (const schedule& s : tensor_candidates(*k, m, aligned(*k))) {
        if (which == tiles_tried::persistent && s.tensor.persistent_blocks == 0) continue;
        SCOPED_TRACE(describe(s));
        const std::vector<std::vector<double>> results =
            testing::run(*k, s, all, 2);  // the second launch finds the tickets that the first left
        for (std::size_t o = 0; o < results.size(); ++o)
            for (std::size_t i = 0; i < results[o].size(); ++i)
                ASSERT_NEAR(results[o][i], of_second.outputs[o][i], 4e-3 * (1 + std::abs(of_second.outputs[o][i])))
                    << "output " << o << ", element " << i;
        const auto p = print_kernel(*k, s, "").program;
        for (const std::string& one : device_ir::verify(*p, lower::promises_of(class_of(*k, s), *p)))
            EXPECT_THAT(one, HasSubstr("that no axis describes"));  // of the workspace
        ++tiles;
    }
    EXPECT_GT(tiles, which == tiles_tried::all ? 4 : 0);
}

TEST(TensorFolds, OfRowsAndColumnsByAllTiles) {
    for (const bool along_steps : {true, false})
        for (const bool of_rows : {true, false}) expect_right({2, 150, 136, 72}, along_steps, of_rows);
}

TEST(TensorFolds, OfOddSizesInLayersByAllTiles) {
    device_properties ampere;
    ampere.arch = 80;
    ampere.dynamic_shared_per_block = 163 * 1024;
    expect_right({3, 67, 139, 21}, true, true);
    expect_right({2, 9, 300, 24}, false, true, ampere);
}

/// Fewer blocks than tiles: each takes several, and their rows' parts come from any of them.
TEST(TensorFolds, OfTilesOfAPersistentGrid) {
    device_properties few;
    few.multiprocessors = 3;
    for (const bool of_rows : {true, false})
        expect_right({1, 264, 520, 136}, of_rows, of_rows, few, tiles_tried::persistent);
    expect_right({1, 400, 120, 72}, true, true, few, tiles_tried::persistent);  // a row is one tile
    expect_right({3, 140, 264, 24}, true, true, few, tiles_tried::persistent);
}

/// What blocks leave for each other fits a workspace, of which a few bytes are tickets.
TEST(TensorFolds, NeedWorkspacesOfLimitedSize) {
    for (const std::int64_t rows : {1 << 15, 1 << 20, 1 << 25}) {
        const sizes n{2, rows, 512, 64};
        const loop_nest k = nest(product(n, true), reader(n, true), 2).value();
        const std::vector<schedule> all = tensor_candidates(k, device_properties{}, aligned(k));
        EXPECT_EQ(all.empty(), rows > 1 << 20);
        for (const schedule& s : all) {
            const std::int64_t bytes = tiles_of(k, s.tensor) * (16 * s.tensor.rows + 16);
            const int maps = s.tensor.persistent_blocks * maps_of_block_bytes;
            EXPECT_LE(workspace_bytes(k, s), static_cast<std::size_t>(bytes + maps)) << describe(s);
            EXPECT_LE(workspace_bytes(k, s), std::size_t{5} << 28) << describe(s);
        }
    }
}

}  // namespace
}  // namespace sinter::codegen
