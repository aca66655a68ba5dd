// Kernels whose blocks meet at grid barriers, run on the emulated device and compared with the interpreter.
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/forms.hpp>
#include <tests/codegen/render_running.hpp>
#include <tests/codegen/shaped_expressions.hpp>

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

/// On a device without clusters, which would keep the shorter rows.
schedule chosen_without_clusters(const loop_nest& k) {
    device_properties m;
    m.multiprocessors = 4;
    m.arch = 80;
    return choose_schedule(k, m, std::vector<int>(8, 16));
}

/// Of columns the first candidate: on so small a machine another one may be as good.
schedule barriers_of_columns(const loop_nest& k) {
    device_properties m;
    m.multiprocessors = 4;
    return column_candidates(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), 16)).front();
}

// A loop that calls more functions than compile time allows for keeps one access.
TEST(GridBarrier, ManyCalls) {
    kernel_builder b;
    const int in = b.input(dtype::float32), l0 = b.loop({40000});
    int x = b.load(in, {{b.inner(l0), 1}}, l0);
    for (int i = 0; i < 80; ++i) x = b.op("exp", {b.op("negative", {x}, l0)}, l0);
    const int most = b.reduce("max", x, l0), l1 = b.loop({40000});
    b.store(b.reduce("sum", b.op("subtract", {b.load(in, {{b.inner(l1), 1}}, l1), most}, l1), l1), {});
    const schedule s = chosen_without_clusters(b.k);
    ASSERT_TRUE(s.grid_barrier) << describe(s);
    expect_right(b.k, s);
}

// Every kind of kernel whose blocks meet, in three launches: the barrier and the results' places must be ready again.
TEST(GridBarrier, OverRows) {
    for (const loop_nest& k :
         {testing::share_of_sum(20003), testing::share_of_sum(65536), testing::share_of_sum(140001),
          testing::softmax_of_rows(3, 36004), testing::softmax_of_rows(3, 66000), testing::softmax_of_rows(5, 40001),
          testing::mean_and_var(5, 50001)}) {
        schedule s = chosen_without_clusters(k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        expect_right(k, s, 3);
        expect_right(k, wide(s), 2);
        if (s.register_cached) {
            s.register_cached = false;
            s.unroll = 2;
            expect_right(k, s, 2);
        }
        if (k.outer.empty()) s.block_groups = 1;
        s.blocks_per_output = k.outer.empty() ? 7 : 3;
        s.unroll = 1;
        expect_right(k, s, 3);
    }
}

TEST(GridBarrier, OverColumns) {
    for (const loop_nest& k : {testing::standardised_columns(9001, 3), testing::standardised_columns(8200, 37),
                               testing::standardised_columns(20001, 2), testing::standardised_columns(8193, 70)}) {
        schedule s = barriers_of_columns(k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        expect_right(k, s, 3);
        expect_right(k, wide(s), 2);
        s.register_cached = false;
        s.unroll = 2;
        expect_right(k, s, 2);
        s.block_groups = 1;
        s.blocks_per_output = 4 * s.blocks_per_multiprocessor;
        expect_right(k, s, 2);
    }
}

// Powers of two would leave 27 of 64 threads idle where there are 37 columns.
TEST(GridBarrier, FewThreadsOfTilesAreIdle) {
    for (const std::int64_t columns : {37, 41, 71, 75, 77, 90, 131}) {
        const schedule s = barriers_of_columns(testing::standardised_columns(90001, columns));
        ASSERT_TRUE(s.grid_barrier && !s.register_cached) << describe(s);
        const std::int64_t width = groups_per_block(s), tiles = (columns + width - 1) / width;
        EXPECT_LT(3 * tiles * width, 4 * columns) << describe(s);
    }
}

/// x / sum(x * x) of every row, or of every column.
loop_nest share_along(std::int64_t rows, std::int64_t columns, bool rowwise) {
    kernel_builder b;
    const int outer = b.outer(rowwise ? rows : columns), in = b.input(dtype::float32);
    const std::int64_t length = rowwise ? columns : rows;
    const auto along = [&](int inner) {
        return kernel_builder::strides{{outer, rowwise ? columns : 1}, {inner, rowwise ? 1 : columns}};
    };
    const int l0 = b.loop({length});
    const int total = b.reduce("sum", b.op("square", {b.load(in, along(b.inner(l0)), l0)}, l0), l0);
    const int l1 = b.loop({length});
    b.store(b.op("divide", {b.load(in, along(b.inner(l1)), l1), total}, l1), along(b.inner(l1)), l1);
    return b.k;
}

// More groups than teams, each a different number of turns, and parts that no elements are left for.
TEST(GridBarrier, TeamsTakeTurns) {
    for (int teams : {1, 3, 5}) {
        loop_nest k = testing::softmax_of_rows(11, 9000);
        schedule s = chosen(k);
        s.threads_per_output = s.block_threads = 256;
        s.grid_barrier = true;
        s.blocks_per_multiprocessor = 4;
        s.register_cached = true;
        s.unroll = 4;
        s.blocks_per_output = 3;
        s.block_groups = teams;
        expect_right(k, s, 2);
        s.register_cached = false;
        s.unroll = 1;
        expect_right(k, s, 2);
        k = share_along(11, 300, true);  // one barrier a turn
        expect_right(k, s, 2);
        k = testing::mean_and_var(11, 300);
        s.vector_width = 1;
        expect_right(k, s, 2);
        k = share_along(60, 100, false);
        s.form = schedule_form::columns;
        s.threads_per_output = 8;
        expect_right(k, s, 2);
        k = testing::standardised_columns(60, 100);
        expect_right(k, s, 2);
        s.threads_per_output = 64;
        s.unroll = 16;
        s.register_cached = true;
        expect_right(k, s, 2);
    }
}

// Loops that differ in length, a result stored inside a reduction loop, several reductions of several types.
TEST(GridBarrier, OfMixedLoops) {
    for (std::int64_t outer : {0, 3}) {
        kernel_builder b;
        kernel_builder::strides rx, ry, rz;
        if (outer > 0) {
            const int r = b.outer(outer);
            rx = {{r, 10001}};
            ry = {{r, 9000}};
            rz = {{r, 1}};
        }
        const auto along = [](kernel_builder::strides s, int axis) {
            s.emplace_back(axis, 1);
            return s;
        };
        const int in = b.input(dtype::float64), other = b.input(dtype::int32);
        const int l0 = b.loop({10001});
        const int x = b.load(in, along(rx, b.inner(l0)), l0);
        const int total = b.reduce("sum", x, l0), top = b.reduce("max", x, l0);
        b.store(b.op("exp", {x}, l0), along(rx, b.inner(l0)), l0);
        const int l1 = b.loop({9000});
        const int y = b.load(other, along(ry, b.inner(l1)), l1);
        const int most = b.reduce("max", y, l1);
        b.store(b.op("add", {b.cast(dtype::float64, y, l1), total}, l1), along(ry, b.inner(l1)), l1);
        b.store(b.op("multiply", {top, b.cast(dtype::float64, most)}), rz);
        const schedule s = chosen(b.k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        EXPECT_FALSE(s.register_cached);
        expect_right(b.k, s, 2);
        expect_right(b.k, wide(s), 2);
    }
}

TEST(GridBarrier, ResultsDoNotDependOnTheOrderOfBlocks) {
    for (const loop_nest& k : {testing::share_of_sum(30001), testing::standardised_columns(9001, 20)}) {
        const arguments all = make_arguments(k, 3);
        const schedule s = k.outer.empty() ? chosen(k) : barriers_of_columns(k);
        ASSERT_TRUE(s.grid_barrier) << describe(s);
        const auto forward = run(k, s, all);
        for (const emulate::run_order order : {emulate::run_order::reverse, emulate::run_order::shuffled}) {
            emulated().set_order(order);
            EXPECT_EQ(forward, run(k, s, all));
        }
        emulated().set_order(emulate::run_order::forward);
    }
}

// So many functions of eight neighbours that a thread has fewer copies of them than it has neighbours.
TEST(GridBarrier, OverARowOfManyFunctions) {
    const device_scope on_host(host());
    const auto x = testing::of<float16>(std::int64_t{1} << 22);
    const auto e = logsumexp(tanh(log1p(abs(tanh(silu(x) + sqrt(x * x + 1.f))))), axis=0);
    for (const compiled_kernel& k : compile(testing::bindings_of(e), {}, {}).kernels) EXPECT_GE(k.chosen->unroll, 1);
}

}  // namespace
}  // namespace sinter::codegen
