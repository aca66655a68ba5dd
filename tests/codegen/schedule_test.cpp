// Which schedule a kernel gets: the form by how memory lies, widths by alignment, threads by length, and never one that
// the extents do not allow.
#include <codegen/schedule/schedule.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <gtest/gtest.h>

#include <random>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;

schedule chosen(const loop_nest& k, int alignment = 16, const device_properties& m = {}) {
    return choose_schedule(k, m, std::vector<int>(8, alignment));
}

TEST(Schedule, FormFollowsMemory) {
    EXPECT_EQ(chosen(testing::exp_of(1000)).form, schedule_form::elementwise);
    EXPECT_EQ(chosen(testing::norm_of_rows(1000, 1000)).form, schedule_form::rows);
    EXPECT_EQ(chosen(testing::norm_of_columns(1000, 1000)).form, schedule_form::columns);
    EXPECT_EQ(chosen(testing::norm_of_middle(100, 100, 100)).form, schedule_form::columns);
    EXPECT_EQ(chosen(testing::dot_and_max(1000)).form, schedule_form::rows);
}

TEST(Schedule, VectorsNeedAlignmentAndExtents) {
    EXPECT_EQ(chosen(testing::exp_of(1 << 20)).vector_width, 4);
    EXPECT_EQ(chosen(testing::exp_of((1 << 20) + 1)).vector_width, 4);  // a tail takes the odd element
    EXPECT_EQ(chosen(testing::exp_of(1 << 20), 8).vector_width, 2);
    EXPECT_EQ(chosen(testing::exp_of(1 << 20), 4).vector_width, 1);
    EXPECT_EQ(chosen(testing::norm_of_rows(1000, 1000)).vector_width, 2);
    EXPECT_EQ(chosen(testing::norm_of_rows(1000, 1001)).vector_width, 1);
    EXPECT_EQ(chosen(testing::axpy_with_row(1000, 1002)).vector_width, 2);
    kernel_builder b;  // every second element
    const int i = b.outer(1 << 20);
    b.store(b.op("exp", {b.load(b.input(dtype::float32), {{i, 2}})}), {{i, 1}});
    EXPECT_EQ(chosen(b.k).vector_width, 1);
    for (const auto& [stride, vector] : {std::pair(1001, 1), {1002, 2}, {1004, 4}}) {  // rows of a wider matrix
        kernel_builder map, sum;
        const int r = map.outer(1000), c = map.outer(1000);
        map.store(map.op("exp", {map.load(map.input(dtype::float32), {{r, stride}, {c, 1}})}), {{r, 1000}, {c, 1}});
        EXPECT_EQ(chosen(map.k).vector_width, vector);
        const int row = sum.outer(1000), l = sum.loop({1000});
        const int x = sum.load(sum.input(dtype::float32), {{row, stride}, {sum.inner(l), 1}}, l);
        sum.store(sum.reduce("sum", x, l), {{row, 1}});
        EXPECT_EQ(chosen(sum.k).vector_width, stride == 1001 ? 4 : vector);
        EXPECT_EQ(chosen(sum.k).peeled, stride == 1001);
        sum.k.extents[1] = 1001;  // none but the last of all rows has a tail
        EXPECT_EQ(chosen(sum.k).vector_width, 4);
        EXPECT_TRUE(chosen(sum.k).peeled);
        EXPECT_EQ(chosen(sum.k, 4).vector_width, 1);
    }
}

TEST(Schedule, RowsOfAThousandDoublesHaveManyAccessesUnderWay) {
    const schedule s = chosen(testing::norm_of_rows(100000, 1000));
    EXPECT_EQ(s.threads_per_output, 128);
    EXPECT_EQ(s.vector_width, 2);
    EXPECT_EQ(s.unroll, 4);
    EXPECT_EQ(s.blocks_per_output, 1);
}

// Rows of a length that no vector divides have as many bytes under way as others, in more accesses.
TEST(Schedule, ShortRowsOfAnyLengthHaveEnoughUnderWay) {
    for (std::int64_t n = 3; n < 64; ++n) {
        const schedule s = chosen(testing::softmax_of_rows(1 << 22, n));
        const std::int64_t accesses =
            (n + s.vector_width * s.threads_per_output - 1) / (s.vector_width * s.threads_per_output);
        EXPECT_GE(accesses * s.vector_width * 4, n < 8 ? 12 : 16) << n << ": " << describe(s);
        EXPECT_GE(2 * n, accesses * s.vector_width * s.threads_per_output)
            << n << ": " << describe(s);  // half of the threads have work
    }
    EXPECT_EQ(chosen(testing::softmax_of_rows(1 << 22, 7)).threads_per_output, 1);
    EXPECT_EQ(chosen(testing::softmax_of_rows(1 << 22, 31)).threads_per_output, 4);
}

TEST(Schedule, RowsOfBytesThatAreReadOneByOneHaveSixteenUnderWay) {
    const auto of_rows = [](dtype type, std::int64_t columns, int alignment = 16) {
        kernel_builder b;
        const int i = b.outer(100000), l = b.loop({columns});
        const int x = b.load(b.input(type), {{i, columns}, {b.inner(l), 1}}, l);
        b.store(b.reduce("max", x, l), {{i, 1}});
        return chosen(b.k, alignment);
    };
    EXPECT_EQ(of_rows(dtype::uint8, 1021, 1).unroll, 16);
    EXPECT_EQ(of_rows(dtype::uint8, 1021, 1).threads_per_output, 64);
    EXPECT_EQ(of_rows(dtype::uint16, 1021, 2).unroll, 8);
    EXPECT_EQ(of_rows(dtype::uint8, 1024).vector_width, 16);
    EXPECT_EQ(of_rows(dtype::uint8, 1024).unroll, 2);
}

// Accesses of less than 8 bytes are: by as wide ones as leave two for each of the threads that the ends need.
TEST(Schedule, RowsThatBeginAtAnyElementArePeeled) {
    const auto of_rows = [](dtype type, std::int64_t columns, bool shares, std::int64_t pitch = 0) {
        kernel_builder b;
        const int i = b.outer(100000), l = b.loop({columns});
        int x = b.load(b.input(type), {{i, columns}, {b.inner(l), 1}}, l);
        if (shares) x = b.op("multiply", {x, b.load(b.input(type), {{b.inner(l), 1}}, l)}, l);
        if (pitch > 0) x = b.op("multiply", {x, b.load(b.input(type), {{i, pitch}, {b.inner(l), 1}}, l)}, l);
        b.store(b.reduce("sum", x, l), {{i, 1}});
        const schedule s = chosen(b.k);
        EXPECT_TRUE(!s.peeled || s.threads_per_output >= 2 * s.vector_width) << describe(s);
        return s.peeled ? s.vector_width : 0;
    };
    EXPECT_EQ(of_rows(dtype::float32, 63, false), 0);
    EXPECT_EQ(of_rows(dtype::float32, 65, false), 4);
    EXPECT_EQ(of_rows(dtype::float32, 1022, false), 0);  // accesses of 8 bytes
    EXPECT_EQ(of_rows(dtype::float64, 1021, false), 0);
    EXPECT_EQ(of_rows(dtype::int16, 1022, false), 8);
    EXPECT_EQ(of_rows(dtype::uint8, 1021, false), 8);
    EXPECT_EQ(of_rows(dtype::uint8, 1025, false), 16);
    EXPECT_EQ(of_rows(dtype::int16, 1021, true), 4);           // what rows share is read by single accesses
    EXPECT_EQ(of_rows(dtype::float32, 1021, false, 1025), 4);  // rows of a wider matrix, which begin in phase
    EXPECT_EQ(of_rows(dtype::float32, 1021, false, 1022), 0);
}

TEST(Schedule, ShiftedArraysHaveMoreAccessesUnderWay) {
    EXPECT_EQ(chosen(testing::exp_of(1 << 28), 4).unroll, 8);
    EXPECT_EQ(chosen(testing::exp_of(1 << 28), 16).unroll, 1);
}

TEST(Schedule, FewGroupsOfLongLoopsAreSplit) {
    EXPECT_GT(chosen(testing::dot_and_max(1 << 28)).blocks_per_output, 100);
    EXPECT_EQ(chosen(testing::dot_and_max(5000)).blocks_per_output, 1);
    EXPECT_GT(chosen(testing::norm_of_columns(1000000, 100)).blocks_per_output, 10);
    EXPECT_EQ(chosen(testing::norm_of_columns(1000, 100000)).blocks_per_output, 1);
}

// Tiles of several blocks lie within the neighbours that memory has side by side.
// A block that finds no room waits for the whole first wave.
TEST(Schedule, SplitRowsOfManyRegistersAreOneWave) {
    const auto means = [](int number, int rows) {  // of so many arrays, in one loop
        kernel_builder b;
        const int row = b.outer(rows), l = b.loop({1 << 18});
        for (int i = 0; i < number; ++i) {
            const int x = b.load(b.input(dtype::float32), {{row, 1 << 18}, {b.inner(l), 1}}, l);
            b.store(b.reduce("sum", x, l), {{row, 1}});
        }
        return b.k;
    };
    // four on each multiprocessor: 528 in all
    EXPECT_EQ(chosen(means(1, 64), 132).blocks_per_output, 8);
    EXPECT_EQ(chosen(means(2, 64), 132).blocks_per_output, 8);
    EXPECT_EQ(chosen(means(1, 200), 132).blocks_per_output, 3);  // two would leave a quarter of them idle
    EXPECT_EQ(chosen(means(2, 200), 132).blocks_per_output, 2);
}

TEST(Schedule, TilesOfSplitColumnsAreNarrow) {
    const auto across = [](const schedule& s) { return s.block_threads / s.threads_per_output * s.vector_width; };
    EXPECT_EQ(across(chosen(testing::norm_of_columns(1 << 20, 4))), 4);
    EXPECT_EQ(across(chosen(testing::norm_of_columns(1 << 20, 512))), 32);  // 256 bytes of doubles
    EXPECT_EQ(across(chosen(testing::norm_of_columns(1 << 20, 41))), 44);   // a few widths serve all numbers of columns
    EXPECT_EQ(across(chosen(testing::norm_of_columns(1 << 20, 1001))), 96);  // 11 tiles
}

// Rows of a table of 256 columns, at indices: folded into one row, or each along itself.
TEST(Schedule, GatheredRowsAreReadAsTheyLie) {
    const auto form_of = [](std::int64_t rows, bool along) {
        kernel_builder b;
        const int outer = b.outer(along ? rows : 256);
        const int l = b.loop({along ? 256 : rows});
        const int row = along ? outer : b.inner(l), element = along ? b.inner(l) : outer;
        const int table = b.input(dtype::float32), index = b.input(dtype::int64), at = along ? group_level : l;
        const int place = b.op("multiply", {b.load(index, {{row, 1}}, at), b.constant(std::int64_t{256})}, at);
        const int x = b.load(table, {{element, 1}}, l);
        value& gather = b.k.values[static_cast<std::size_t>(x)];
        gather.in[0] = place;
        gather.varies |= 1u << row;
        b.store(b.reduce("sum", x, l), {{outer, 1}});
        return chosen(b.k).form;
    };
    EXPECT_EQ(form_of(1 << 17, false), schedule_form::columns);
    EXPECT_EQ(form_of(1 << 17, true), schedule_form::rows);
    EXPECT_EQ(form_of(1 << 12, false), schedule_form::rows);  // so few are bound by latency
}

// Joined parts that begin and end at multiples of an access are read by whole accesses.
TEST(Schedule, JoinedRowsAreReadAsTheyLie) {
    const auto of = [](std::int64_t first, std::int64_t second) {
        return chosen(testing::joined_rows(1 << 17, first, second));
    };
    EXPECT_EQ(of(64, 32).vector_width, 4);
    EXPECT_EQ(of(64, 32).wide_gathers, 3u);
    EXPECT_EQ(of(63, 33).vector_width, 4);
    EXPECT_EQ(of(63, 33).wide_gathers, 0u);
    EXPECT_EQ(of(60, 33).wide_gathers, 0u);  // rows of an odd length: an access moves one element
}

TEST(Schedule, ColumnsOfBytesHaveRowsOfThreads) {
    kernel_builder
        b;  // 16 neighbours per access: a tile as wide as a warp's widest accesses has more columns than threads
    const int c = b.outer(512);
    const int l = b.loop({1 << 16}), again = b.loop({1 << 16});
    const int in = b.input(dtype::uint8);
    const int least = b.reduce("min", b.load(in, {{c, 1}, {b.inner(l), 512}}, l), l);
    const int x = b.load(in, {{c, 1}, {b.inner(again), 512}}, again);
    b.store(b.op("subtract", {x, least}, again), {{c, 1}, {b.inner(again), 512}}, again);
    const schedule s = chosen(b.k);
    EXPECT_GE(s.threads_per_output, 1) << describe(s);
    EXPECT_GE(s.block_threads, s.threads_per_output) << describe(s);
}

// sum(x + transpose(y), axis=1): a warp reads whole sectors of both, and a block uses the lines that it reads across.
TEST(Schedule, RowsReadAcrossAreCoveredByBlocks) {
    const auto rows_of = [](std::int64_t rows, std::int64_t n) {
        kernel_builder b;
        const int r = b.outer(rows), l = b.loop({n});
        const int x = b.load(b.input(dtype::float32), {{r, n}, {b.inner(l), 1}}, l);
        const int y = b.load(b.input(dtype::float32), {{r, 1}, {b.inner(l), rows}}, l);
        b.store(b.reduce("sum", b.op("add", {x, y}, l), l), {{r, 1}});
        return chosen(b.k);
    };
    const schedule many = rows_of(20600, 1023), few = rows_of(5578, 1000);
    EXPECT_EQ(many.threads_per_output, 8) << describe(many);
    EXPECT_EQ(many.block_threads, 256) << describe(many);
    EXPECT_EQ(few.threads_per_output, 16) << describe(few);  // so that all multiprocessors have enough to read
}

TEST(Schedule, ShortRowsStayInRegisters) {
    EXPECT_TRUE(chosen(testing::softmax_of_rows(8192, 4096)).register_cached);
    EXPECT_TRUE(chosen(testing::softmax_of_rows(8192, 32768)).register_cached);
    EXPECT_FALSE(chosen(testing::norm_of_rows(8192, 100)).register_cached);           // one loop has nothing to keep
    EXPECT_EQ(chosen(testing::softmax_of_rows(8192, 4096)).threads_per_output, 256);  // it stores elements, too
}

TEST(Schedule, BlocksThatNeedTheWholeResultMeet) {
    const schedule whole = chosen(testing::share_of_sum(1 << 28));  // too much to keep: read twice
    EXPECT_TRUE(whole.grid_barrier);
    EXPECT_FALSE(whole.register_cached);
    EXPECT_EQ(whole.blocks_per_output * whole.block_threads, 132 * 1024);
    EXPECT_TRUE(chosen(testing::share_of_sum(132 * 4 * 256 * 32)).register_cached);
    EXPECT_FALSE(chosen(testing::share_of_sum(132 * 4 * 256 * 32 + 1)).register_cached);
    EXPECT_FALSE(chosen(testing::share_of_sum(5000)).grid_barrier);    // soon done by one block
    EXPECT_FALSE(chosen(testing::dot_and_max(1 << 28)).grid_barrier);  // the last block has all that is left to do

    const schedule rows = chosen(testing::softmax_of_rows(64, 262144));
    EXPECT_TRUE(rows.grid_barrier && rows.register_cached);
    EXPECT_EQ(rows.block_groups, 16);
    EXPECT_EQ(rows.blocks_per_output, 33);
    EXPECT_TRUE(chosen(testing::softmax_of_rows(8192, 1 << 20)).register_cached);  // a row fits no block, but a team
    EXPECT_FALSE(chosen(testing::softmax_of_rows(8192, 1 << 27)).grid_barrier);    // rows enough for every block

    EXPECT_TRUE(chosen(testing::standardised_columns(8200, 512)).register_cached);
    const schedule long_columns = chosen(testing::standardised_columns(131072, 512));  // not all tiles fit at once
    EXPECT_TRUE(long_columns.grid_barrier);
    EXPECT_FALSE(long_columns.register_cached);
    EXPECT_EQ(long_columns.block_groups, 4);
    EXPECT_TRUE(chosen(testing::standardised_columns(1 << 22, 64)).grid_barrier);
    EXPECT_FALSE(chosen(testing::standardised_columns(4096, 16384)).grid_barrier);
}

// Two blocks of 512 threads per multiprocessor: rows of up to 8 * 512 * 128 bytes, if there are enough to go round.
TEST(Schedule, BlocksThatReadEachOthersSharedMemory) {
    EXPECT_EQ(chosen(testing::softmax_of_rows(8192, 32768)).cluster, 1);  // one block is enough
    EXPECT_EQ(chosen(testing::softmax_of_rows(256, 65536)).cluster, 4);
    EXPECT_EQ(chosen(testing::softmax_of_rows(20, 65536)).cluster, 8);  // few rows: more blocks each
    const schedule longest = chosen(testing::softmax_of_rows(128, 131072));
    EXPECT_EQ(longest.cluster, 8);
    EXPECT_TRUE(longest.register_cached && !longest.grid_barrier);
    EXPECT_EQ(grid_size(testing::softmax_of_rows(128, 131072), longest), 128 * 8);
    EXPECT_TRUE(chosen(testing::softmax_of_rows(128, 131076)).grid_barrier);
    EXPECT_TRUE(chosen(testing::softmax_of_rows(16, 131072)).grid_barrier);  // half the device would idle
    device_properties ampere;
    ampere.arch = 80;
    EXPECT_TRUE(chosen(testing::softmax_of_rows(128, 131072), 16, ampere).grid_barrier);
}

// A block may wait only for blocks that run: registers, threads and shared memory bound the grid.
TEST(Schedule, BlocksThatMeetAreResident) {
    device_properties small;
    small.threads_per_multiprocessor = 512;
    EXPECT_EQ(grid_size(testing::share_of_sum(1 << 28), chosen(testing::share_of_sum(1 << 28), 16, small)), 132);
    kernel_builder b;  // 12 reductions of doubles: 24 KB of shared memory a block
    const int c = b.outer(16);
    const int l = b.loop({1 << 20}), again = b.loop({1 << 20});
    int last = -1;
    for (int i = 0; i < 12; ++i)
        last = b.reduce("sum", b.load(b.input(dtype::float64), {{c, 1}, {b.inner(l), 16}}, l), l);
    const int x = b.load(0, {{c, 1}, {b.inner(again), 16}}, again);
    b.store(b.op("divide", {x, last}, again), {{c, 1}, {b.inner(again), 16}}, again);
    const schedule s = choose_schedule(b.k, device_properties{}, std::vector<int>(13, 16));
    EXPECT_TRUE(s.grid_barrier);
    EXPECT_EQ(s.blocks_per_multiprocessor, 2);
    EXPECT_LE(grid_size(b.k, s), 132 * 2);
}

TEST(Schedule, PositionsTakeSixtyFourBitsOnlyWhenTheyMust) {
    EXPECT_FALSE(chosen(testing::exp_of(std::int64_t{1} << 30)).wide_index);
    EXPECT_TRUE(chosen(testing::exp_of(std::int64_t{1} << 31)).wide_index);
    EXPECT_TRUE(chosen(testing::exp_of((std::int64_t{1} << 31) - 10)).wide_index);  // the last block looks past the end
    EXPECT_TRUE(chosen(testing::norm_of_rows(1 << 20, 4096)).wide_index);
    kernel_builder b;
    const int i = b.outer(1000);
    b.store(b.load(b.input(dtype::float32), {{i, -(std::int64_t{1} << 30)}}), {{i, 1}});
    EXPECT_TRUE(chosen(b.k).wide_index);
}

TEST(Schedule, SharedMemoryBoundsTheReductionsOfAColumn) {
    kernel_builder b;
    const int c = b.outer(100000);
    const int l = b.loop({1000});
    for (int i = 0; i < 40; ++i) {
        const int x = b.load(b.input(dtype::float64), {{c, 1}, {b.inner(l), 100000}}, l);
        b.store(b.reduce("sum", x, l), {{c, 1}});
    }
    const schedule s = choose_schedule(b.k, device_properties{}, std::vector<int>(80, 16));
    EXPECT_LE(static_cast<std::size_t>(s.block_threads) * 40 * 8, device_properties{}.shared_per_block);
}

/// The steps that the threads of a row take along a loop; of peeled rows, those over whole vectors.
std::int64_t steps_of(const loop_nest& k, const inner_loop& l, const schedule& s) {
    const std::int64_t threads = s.threads_per_output, step = threads * s.vector_width;
    const std::int64_t accesses = trip_count(k, l) / s.vector_width;
    const bool whole = s.peeled && !s.grid_barrier && s.cluster == 1;
    return whole ? (accesses + threads - 1) / threads : (trip_count(k, l) + step - 1) / step;
}

// Whatever the extents, a schedule keeps the rules that lowering relies on.
TEST(Schedule, RulesHoldForRandomExtents) {
    std::mt19937 random(11);
    const auto extent = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)); };
    const auto power = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
    for (int round = 0; round < 2000; ++round) {
        device_properties m;
        m.multiprocessors = 1 + static_cast<int>(random() % 150);
        const std::int64_t a = extent(round % 2 == 0 ? 70 : 100000), b = extent(round % 3 == 0 ? 70 : 100000);
        for (const loop_nest& k :
             {testing::exp_of(a * b), testing::axpy_with_row(a, b), testing::norm_of_rows(a, b),
              testing::norm_of_columns(a, b), testing::norm_of_middle(3, a, b), testing::softmax_of_rows(a, b),
              testing::standardised_columns(a, b), testing::dot_and_max(a * b), testing::share_of_sum(a * b),
              testing::sum_of_outer_and_last(a, 5, b), testing::squared_distances(a, b, 1 + round % 70),
              testing::weighted_products(1 + round % 3, b, a, 1 + round % 70)}) {
            const schedule s = chosen(k, 16, m);
            SCOPED_TRACE(describe(s));
            ASSERT_TRUE(power(s.threads_per_output) && power(s.vector_width));
            ASSERT_TRUE(s.form == schedule_form::columns ? s.block_threads % s.threads_per_output == 0
                                                         : power(s.block_threads));
            ASSERT_TRUE(power(s.unroll) || s.form == schedule_form::contraction || s.form == schedule_form::columns);
            ASSERT_GE(s.block_threads, 32);
            ASSERT_LE(s.block_threads, 1024);
            ASSERT_LE(s.threads_per_output, s.block_threads);
            ASSERT_GE(s.blocks_per_output, 1);
            if (s.blocks_per_output > 1 && s.form == schedule_form::rows) {
                ASSERT_EQ(s.threads_per_output, s.block_threads);
            }
            if (s.form == schedule_form::rows && k.outer.empty()) {
                ASSERT_EQ(s.threads_per_output, s.block_threads);
            }
            if (s.grid_barrier) {
                const std::int64_t blocks = static_cast<std::int64_t>(s.block_groups) * s.blocks_per_output;
                ASSERT_GE(s.blocks_per_output, 2);
                ASSERT_LE(blocks, static_cast<std::int64_t>(m.multiprocessors) * s.blocks_per_multiprocessor);
                ASSERT_LE(s.block_threads * s.blocks_per_multiprocessor, 1024);
                ASSERT_EQ(grid_size(k, s), blocks);
            } else if (s.blocks_per_output > 1) {
                ASSERT_LE((outer_size(k) + groups_per_block(s) - 1) / groups_per_block(s), 1024);  // one ticket each
            }
            if (s.form == schedule_form::contraction) {
                const contraction_tile& t = s.product;
                ASSERT_EQ(t.thread_rows * t.thread_columns, s.block_threads);
                ASSERT_TRUE(t.rows % s.vector_width == 0 && t.columns % s.vector_width == 0);
                ASSERT_LE(t.depth, 32);
                ASSERT_GE(grid_size(k, s), 1);
            }
            if (s.register_cached) {
                for (const inner_loop& l : k.loops)
                    ASSERT_GE(s.unroll, (steps_of(k, l, s) + s.blocks_per_output * s.cluster - 1) /
                                            (s.blocks_per_output * s.cluster));
            }
            ASSERT_EQ(s, chosen(k, 16, m));
        }
    }
}

}  // namespace
}  // namespace sinter::codegen
