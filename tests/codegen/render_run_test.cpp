// Generated kernels compute what their kernel says: every form and schedule runs on the emulated device and is compared
// with the interpreter.
#include <tests/codegen/render_running.hpp>

#include <algorithm>
#include <complex>

namespace sinter::codegen {
namespace {

using testing::arguments;
using testing::chosen;
using testing::emulated;
using testing::expect_right;
using testing::kernel_builder;
using testing::make_arguments;
using testing::run;
using testing::wide;

TEST(RenderRun, ElementwiseVectorsAndTheirTail) {
    for (std::int64_t n : {1, 1000, 1024, 20003}) expect_right(testing::exp_of(n), chosen(testing::exp_of(n)));
    schedule s = chosen(testing::exp_of(20003), 1);
    s.unroll = 4;
    expect_right(testing::exp_of(20003), s);
    expect_right(testing::exp_of(20003), wide(s));
    EXPECT_EQ(s.vector_width, 4);
    EXPECT_EQ(chosen(testing::exp_of(20003), 1, 4).vector_width, 1);
}

TEST(RenderRun, ElementwiseBroadcast) {
    expect_right(testing::axpy_with_row(33, 64), chosen(testing::axpy_with_row(33, 64), 1));
    expect_right(testing::axpy_with_row(33, 67), chosen(testing::axpy_with_row(33, 67), 1));
    expect_right(testing::axpy_with_row(33, 67), wide(chosen(testing::axpy_with_row(33, 67), 1)));
}

TEST(RenderRun, ElementwiseLoadsAlongFewerAxesThanStores) {
    kernel_builder b;
    const int i = b.outer(33), j = b.outer(67);
    b.store(b.load(b.input(dtype::float64), {{i, 2}}), {{i, 70}, {j, 1}});
    schedule s = chosen(b.k, 1);
    for (s.unroll = 1; s.unroll <= 4; s.unroll *= 2) expect_right(b.k, s);
}

TEST(RenderRun, ElementwiseTransposedRankThreeWithMixedTypes) {
    kernel_builder b;
    const int i = b.outer(7), j = b.outer(9), l = b.outer(11);
    const int x = b.load(b.input(dtype::int8), {{i, 1}, {j, 7}, {l, 63}});
    const int y = b.load(b.input(dtype::float64), {{i, 22}, {l, 2}});
    const int z = b.load(b.input(dtype::float64), {});
    const int smaller = b.op("less", {b.cast(dtype::float64, x), y});
    b.store(smaller, {{i, 99}, {j, 11}, {l, 1}});
    b.store(b.op("where", {smaller, b.op("multiply", {y, z}), b.constant(-0.25)}), {{i, 99}, {j, 11}, {l, 1}});
    schedule s = chosen(b.k, 1);
    expect_right(b.k, s);
    s.unroll = 2;
    expect_right(b.k, s);
    expect_right(b.k, wide(s));
}

TEST(RenderRun, ElementwiseInPlace) {
    kernel_builder b;
    const int i = b.outer(3001);
    b.store(b.op("exp", {b.load(b.input(dtype::float32, true), {{i, 1}})}), {{i, 1}});
    EXPECT_EQ(print_kernel(b.k, chosen(b.k, 1), "").text.find("__restrict__"), std::string::npos);
    expect_right(b.k, chosen(b.k, 1));
}

TEST(RenderRun, AConstantMayBeTheOnlyComplexNumber) {
    kernel_builder b;
    const int i = b.outer(5);
    b.store(b.cast(dtype::float32, b.constant(std::complex<float>(1.5f, -2))), {{i, 1}});
    testing::arguments none = make_arguments(b.k, 7);
    EXPECT_EQ(run(b.k, chosen(b.k), none)[0][4], 1.5);
}

TEST(RenderRun, NoAxesAtAll) {
    kernel_builder b;
    b.store(b.op("exp", {b.load(b.input(dtype::float64), {})}), {});
    expect_right(b.k, chosen(b.k));
}

TEST(RenderRun, RowsOfEveryLength) {
    for (std::int64_t n : {0, 1, 2, 5, 8, 40, 100, 333, 1000, 1026, 3000}) {
        SCOPED_TRACE(n);
        expect_right(testing::norm_of_rows(13, n), chosen(testing::norm_of_rows(13, n)));
    }
}

TEST(RenderRun, RowsOfEveryGroup) {
    for (int group : {1, 2, 16, 32, 64, 256, 1024}) {
        schedule s = chosen(testing::norm_of_rows(13, 700));
        s.threads_per_output = group;
        s.block_threads = std::max(group, group == 64 ? 256 : 128);
        s.unroll = group == 16 ? 1 : 4;
        expect_right(testing::norm_of_rows(13, 700), s);
        if (group == 64) expect_right(testing::norm_of_rows(13, 700), wide(s));
    }
}

TEST(RenderRun, SeveralLoopsOverRows) {
    for (std::int64_t n : {5, 64, 1001, 4096}) {
        schedule s = chosen(testing::softmax_of_rows(9, n));
        EXPECT_TRUE(s.register_cached);
        expect_right(testing::softmax_of_rows(9, n), s);
        s.register_cached = false;
        expect_right(testing::softmax_of_rows(9, n), s);
        expect_right(testing::mean_and_var(9, n), chosen(testing::mean_and_var(9, n)));
    }
    schedule s = chosen(testing::softmax_of_rows(9, 1000));
    s.unroll = 1;
    s.threads_per_output = s.block_threads = 256;
    expect_right(testing::softmax_of_rows(9, 1000), wide(s));
}

TEST(RenderRun, OneRowWithAnOddEnd) {
    for (std::int64_t n : {1, 3, 1000, 1003, 5001}) {
        SCOPED_TRACE(n);
        const schedule s = chosen(testing::dot_and_max(n));
        EXPECT_EQ(s.blocks_per_output, 1);
        EXPECT_EQ(s.vector_width, 4);
        expect_right(testing::dot_and_max(n), s);
    }
}

TEST(RenderRun, ColumnsOfEveryShape) {
    for (const auto& [n, columns] : {std::pair{1, 5}, {7, 33}, {100, 64}, {1000, 3}, {999, 1}, {0, 40}, {3000, 70}}) {
        SCOPED_TRACE(::testing::Message() << n << " by " << columns);
        expect_right(testing::norm_of_columns(n, columns), chosen(testing::norm_of_columns(n, columns)));
    }
    expect_right(testing::norm_of_middle(5, 60, 47), chosen(testing::norm_of_middle(5, 60, 47)));
    expect_right(testing::norm_of_middle(5, 60, 47), wide(chosen(testing::norm_of_middle(5, 60, 47))));
    schedule s = chosen(testing::norm_of_columns(100, 70));
    s.threads_per_output = 1;
    s.unroll = 1;
    s.block_threads = 64;
    expect_right(testing::norm_of_columns(100, 70), s);
}

TEST(RenderRun, SeveralLoopsOverColumns) {
    expect_right(testing::standardised_columns(130, 45), chosen(testing::standardised_columns(130, 45)));
    expect_right(testing::standardised_columns(2000, 45), chosen(testing::standardised_columns(2000, 45), 132));
}

TEST(RenderRun, SeveralInnerAxes) {
    expect_right(testing::sum_of_outer_and_last(6, 5, 24), chosen(testing::sum_of_outer_and_last(6, 5, 24)));
    expect_right(testing::sum_of_outer_and_last(6, 5, 21), chosen(testing::sum_of_outer_and_last(6, 5, 21)));
    expect_right(testing::sum_of_outer_and_last(600, 5, 21), chosen(testing::sum_of_outer_and_last(600, 5, 21)));
}

TEST(RenderRun, SplitReductionsAndTheirTickets) {
    for (const loop_nest& k :
         {testing::dot_and_max(20003), testing::dot_and_max(65536), testing::norm_of_rows(3, 20000),
          testing::norm_of_columns(5000, 37), testing::sum_of_outer_and_last(1700, 5, 21)}) {
        schedule s = chosen(k);
        ASSERT_GT(s.blocks_per_output, 1) << describe(s);
        expect_right(k, s, 3);  // the ticket must be ready again for each launch
        expect_right(k, wide(s));
        s.blocks_per_output = 7;
        expect_right(k, s, 2);
        s.blocks_per_output = 300;  // most parts are empty
        expect_right(k, s, 2);
    }
}

TEST(RenderRun, SplitResultsDoNotDependOnTheOrderOfBlocks) {
    const loop_nest k = testing::dot_and_max(30001);
    const arguments all = make_arguments(k, 3);
    const schedule s = chosen(k);
    emulated().set_order(emulate::run_order::forward);
    const auto forward = run(k, s, all);
    emulated().set_order(emulate::run_order::reverse);
    const auto reverse = run(k, s, all);
    emulated().set_order(emulate::run_order::forward);
    EXPECT_EQ(forward, reverse);
}

}  // namespace
}  // namespace sinter::codegen
