// Proofs that the indices of device programs are within their arrays: kernels of each form have them, and lose them by
// a small change.
#include <tests/codegen/device_programs.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// Elementwise kernels of several axes: without divisions, by single elements, by vectors.
std::vector<kernel_class> elementwise_classes() {
    std::vector<kernel_class> all;
    for (const auto& [rows, columns] : {std::pair{8192, 8192}, {8191, 8191}, {100, 100}, {7, 1}}) {
        all.push_back(class_chosen(testing::axpy_with_row(rows, columns)));
        all.push_back(class_chosen(testing::exp_of(static_cast<std::int64_t>(rows) * columns)));
        for (dtype type : {dtype::float32, dtype::float64, dtype::int16})
            all.push_back(class_chosen(testing::transposed_planes(type, 20, rows, columns)));
        all.push_back(class_chosen(testing::plus_transposed(rows, columns)));
        all.push_back(class_chosen(testing::second_difference(rows, columns)));
    }
    for (const testing::images& of : {testing::images{1, 1 << 20, 3, 3}, {16, 1 << 16, 5, 5}, {16, 1 << 16, 3, 4}}) {
        all.push_back(class_chosen(testing::planes_of_pixels(of, dtype::uint8, dtype::float32)));
        all.push_back(class_chosen(testing::pixels_of_planes(of, dtype::float32, dtype::uint8)));
    }
    all.push_back(class_chosen(testing::stacked_pixels((1 << 20) + 1)));
    const std::size_t narrow = all.size();
    for (std::size_t i = 0; i < narrow; ++i) {
        kernel_class wide = all[i];
        wide.how.wide_index = true;
        all.push_back(wide);
    }
    return all;
}

TEST(Bounds, EveryIndexOfKernelsWithoutLoopsHasAProof) {
    for (const kernel_class& c : elementwise_classes()) EXPECT_EQ(unproved_of(lowered(c)), "") << describe(c.how);
}

TEST(Bounds, AnIndexWithoutItsGuardHasNoProof) {
    lowered_kernel p = exponentials();
    statement& guard = nth(p, statement_kind::branch);
    guard.kind = statement_kind::scope;
    guard.otherwise.clear();
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of out0"));
}

TEST(Bounds, AnIndexPastItsGuardHasNoProof) {
    lowered_kernel p = exponentials();
    const id sum = p.at(nth(p, statement_kind::branch).value).in[0];
    ASSERT_EQ(p.at(sum).how, arithmetic_kind::add);
    --at(p, p.at(sum).in[1]).value;
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Bounds, ExtentsThatAreNoMultiplesOfTheWidthNeedSingleAccesses) {
    lowered_kernel p = transposition();
    EXPECT_EQ(unproved_of(p), "");
    p.promises.multiples.assign(2, 1);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis"));
}

TEST(Bounds, SwappedAxesHaveNoProof) {
    lowered_kernel p = transposition();
    expression& load = at(p, nth(p, statement_kind::assign).value);
    std::swap(load.terms.front().axis, load.terms.back().axis);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x1"));
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 1 of x1"));
}

TEST(Bounds, NeighboursLieAlongAnAxis) {
    lowered_kernel p = transposition();
    expression& load = at(p, nth(p, statement_kind::assign).value);
    load.terms.back().stride = load.terms.front().stride;
    EXPECT_THAT(unproved_of(p), HasSubstr("neighbours along no axis"));
}

TEST(Bounds, AGatherIsTheProgramsOwn) {
    testing::kernel_builder b;
    const int i = b.outer(1000);
    const int at = b.load(b.input(dtype::int64), {{i, 1}});
    const int gathered = b.load(b.input(dtype::float32), {});
    b.k.values[static_cast<std::size_t>(gathered)].in[0] = at;
    b.k.values[static_cast<std::size_t>(gathered)].varies = 1;
    b.store(gathered, {{i, 1}});
    EXPECT_EQ(unproved_of(lowered(b.k)), "");
}

/// sums of rows of few elements, of which a block has several.
TEST(Bounds, RowsPastTheLastRepeatIt) {
    lowered_kernel p = lowered(testing::norm_of_rows(100000, 50));
    EXPECT_EQ(unproved_of(p), "");
    const auto select = std::find_if(p.expressions.begin(), p.expressions.end(), [](const expression& e) {
        return e.kind == expression_kind::arithmetic && e.how == arithmetic_kind::select;
    });
    ASSERT_NE(select, p.expressions.end());
    std::swap(select->in[1], select->in[2]);
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Bounds, AxesOfResidentElementsAreAlike) {
    lowered_kernel p = lowered(testing::softmax_of_rows(8192, 4096));
    EXPECT_EQ(unproved_of(p), "");
    for (std::size_t axis = 0; axis < p.promises.like.size(); ++axis) p.promises.like[axis] = {static_cast<int>(axis)};
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 3 of out0"));
}

TEST(Bounds, AStencilReadsNoMoreThanItsWindow) {
    lowered_kernel p = lowered(testing::second_difference(8190, 8190));
    ASSERT_FALSE(p.promises.margins.empty());
    --p.promises.margins.front().after;
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Bounds, AxesBesideTilesRelyOnTheGrid) {
    lowered_kernel p = lowered(testing::transposed_planes(dtype::uint8, 20, 4096, 4096));
    EXPECT_EQ(unproved_of(p), "");
    p.promises.tiles.clear();
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 0 of x0"));
}

TEST(Bounds, SharedMemoryIsIndexedWithinItsExtents) {
    lowered_kernel p = transposition();
    for (array& a : p.arrays)
        if (a.where == space::shared) --a.extents[0];
    EXPECT_THAT(unproved_of(p), HasSubstr("of x1_tile"));
}

TEST(Bounds, RegistersHaveConstantIndicesWithinTheirExtents) {
    lowered_kernel p = transposition();
    for (array& a : p.arrays)
        if (a.where == space::registers && !a.extents.empty()) --a.extents[0];
    EXPECT_THAT(fault_of(p), HasSubstr("is beyond the registers"));

    p = transposition();
    nth(p, statement_kind::loop).unroll = 1;
    EXPECT_THAT(fault_of(p), HasSubstr("is not constant when loops are unrolled"));
}

TEST(Bounds, BlocksThatShareARowAreAsManyForEach) {
    const lowered_kernel p = lowered(norm_of_rows(4, 10000000));
    ASSERT_TRUE(p.promises.is_split);
    for (const std::string& one : verify(p, p.promises)) EXPECT_THAT(one, HasSubstr("that no axis describes"));
}

/// Slices that the threads of a block share unevenly, and several products side by side.
TEST(Bounds, EveryIndexOfProductsHasAProof) {
    for (const auto& [n, m, steps] : {std::array{4096, 4096, 64}, {1000, 999, 3}, {301, 5000, 7}, {2048, 100, 300}})
        for (const loop_nest& k :
             {squared_distances(n, m, steps), weighted_products(3, n, m, steps), sums_of_kernels(n, m, steps),
              distance_of_nearest(100 * n, 64, steps), distance_of_nearest(100 * n, 1000, steps)}) {
            SCOPED_TRACE(std::to_string(n) + " " + std::to_string(m) + " " + std::to_string(steps));
            const lowered_kernel p = lowered(k);
            if (!p.promises.is_split) {
                EXPECT_EQ(unproved_of(p), "");
            }
            for (const std::string& one : verify(p, p.promises)) EXPECT_THAT(one, HasSubstr("that no axis describes"));
        }
}

/// min(sum(square(x(all, all, newaxis, all) - y(all, newaxis, all, all)), axis=3), axis=2): the least distances in each
/// layer.
TEST(Bounds, NestedProductsSideBySide) {
    const auto distances = [](std::int64_t layers, std::int64_t n, std::int64_t m, std::int64_t steps) {
        kernel_builder b;
        const int layer = b.outer(layers), i = b.outer(n), j = b.outer(m);
        const int l = b.loop({steps});
        const int x = b.load(b.input(dtype::float32), {{layer, n * steps}, {i, steps}, {b.inner(l), 1}}, l);
        const int y = b.load(b.input(dtype::float32), {{layer, m * steps}, {j, steps}, {b.inner(l), 1}}, l);
        const int squares = b.op("square", {b.op("subtract", {x, y}, l)}, l);
        b.store(b.reduce("sum", squares, l), {{layer, n * m}, {i, m}, {j, 1}});
        return b.k;
    };
    kernel_builder b;
    const int layer = b.outer(5), i = b.outer(50000);
    const int l = b.loop({64});
    const int in = b.input(dtype::float32);
    b.k.inputs[0].leaf = 2;
    const int all = b.load(in, {{layer, 50000 * 64}, {i, 64}, {b.inner(l), 1}}, l);
    b.store(b.reduce("min", all, l), {{layer, 50000}, {i, 1}});
    const std::optional<loop_nest> nested = nest(distances(5, 50000, 64, 32), b.k, 2);
    ASSERT_TRUE(nested.has_value());
    const kernel_class c = class_chosen(*nested);
    ASSERT_EQ(c.how.form, schedule_form::contraction);
    EXPECT_EQ(unproved_of(lowered(c)), "");
}

TEST(Bounds, WideAccessesOfProductsNeedTheirMultiples) {
    lowered_kernel p = lowered(squared_distances(4096, 4096, 64));
    EXPECT_EQ(unproved_of(p), "");
    p.promises.steps_multiple = 1;
    EXPECT_THAT(unproved_of(p), HasSubstr("an index beyond axis 2 of x0"));
}

}  // namespace
}  // namespace sinter::codegen
