// Tiled schedules: when they are chosen, with which tiles, and that the generated kernels compute what they should.
#include <tests/codegen/render_running.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;
using testing::plus_transposed;
using testing::transposed_planes;
using testing::wide;

bool is_tiled(const schedule& s) { return s.form == schedule_form::tiled; }

TEST(Tiled, WhereALoadLiesAcross) {
    EXPECT_TRUE(is_tiled(chosen(plus_transposed(8192, 8192), 132)));
    EXPECT_FALSE(is_tiled(chosen(testing::axpy_with_row(8192, 8192), 132)));
    EXPECT_FALSE(is_tiled(chosen(plus_transposed(256, 256), 132)));                           // too few tiles
    EXPECT_FALSE(is_tiled(chosen(plus_transposed(1 << 22, 7), 132)));                         // rows of few neighbours
    EXPECT_TRUE(is_tiled(chosen(plus_transposed(3, 1 << 22), 132)));                          // columns may be short
    EXPECT_FALSE(is_tiled(chosen(transposed_planes(dtype::float32, 1 << 18, 16, 16), 132)));  // the cache turns these
    EXPECT_TRUE(is_tiled(chosen(transposed_planes(dtype::float32, 1 << 18, 32, 32), 132)));
    kernel_builder b;  // a column beside a matrix lies across nothing
    const int i = b.outer(8192), j = b.outer(8192);
    const int x = b.load(b.input(dtype::float32), {{i, 8192}, {j, 1}});
    b.store(b.op("add", {x, b.load(b.input(dtype::float32), {{i, 1}})}), {{i, 8192}, {j, 1}});
    EXPECT_FALSE(is_tiled(chosen(b.k, 132)));
}

TEST(Tiled, TilesFollowTheElements) {
    const auto tile = [](dtype d) { return chosen(transposed_planes(d, 9, 4096, 4096), 132); };
    EXPECT_EQ(describe(tile(dtype::float32)),
              "tiled: 256 threads per tile of 32 rows of 64 elements, 4 elements per "
              "access, 1 load transposed in shared memory");
    EXPECT_EQ(tile(dtype::float64).tile.row_length, 32);
    EXPECT_EQ(tile(dtype::int16).tile.column_length, 64);
    EXPECT_EQ(tile(dtype::int8).tile.row_length, 128);
    EXPECT_EQ(tile(dtype::int8).vector_width, 16);
    EXPECT_EQ(chosen(plus_transposed(8191, 8192), 132).vector_width, 4);  // only the columns have an odd length
    EXPECT_EQ(chosen(plus_transposed(8191, 8192), 132).tile.column_vector, 1);
    EXPECT_EQ(chosen(plus_transposed(8192, 8191), 132).vector_width, 1);
    EXPECT_EQ(chosen(plus_transposed(8192, 8191), 132).tile.column_vector, 1);
    EXPECT_EQ(chosen(plus_transposed(8192, 8192), 132, 4).vector_width, 1);
    EXPECT_EQ(chosen(plus_transposed(3, 1 << 22), 132).tile.column_length, 4);
    EXPECT_EQ(chosen(transposed_planes(dtype::float32, 1 << 18, 32, 32), 132).unroll, 1);
    // few of a tile's rows lie beyond the end: 65 are one tile of 72, 107 two of 64
    EXPECT_EQ(chosen(plus_transposed(1 << 20, 65), 132).tile.row_length, 72);
    EXPECT_EQ(chosen(plus_transposed(1 << 20, 65), 132).tile.column_length, 32);
    EXPECT_EQ(chosen(plus_transposed(1 << 20, 107), 132).tile.row_length, 64);
}

TEST(Tiled, EveryExtent) {
    for (const auto& [rows, columns] : {std::pair{64, 64},
                                        {100, 132},
                                        {33, 131},
                                        {3, 2000},
                                        {500, 9},
                                        {36, 1000},
                                        {500, 70},
                                        {101, 132},
                                        {132, 101}}) {
        const schedule s = chosen(plus_transposed(rows, columns), 1);
        SCOPED_TRACE(::testing::Message() << rows << " by " << columns);
        ASSERT_TRUE(is_tiled(s)) << describe(s);
        expect_right(plus_transposed(rows, columns), s);
        if (rows == 33 || rows == 100) expect_right(plus_transposed(rows, columns), wide(s));
    }
    expect_right(plus_transposed(100, 132), chosen(plus_transposed(100, 132), 1, 4));
}

TEST(Tiled, EveryWidthOfElement) {
    for (dtype d : {dtype::int8, dtype::bool_, dtype::int32, dtype::int64, dtype::float64})
        for (const auto& [rows, columns] : {std::pair{160, 144}, {131, 144}, {144, 131}, {97, 201}}) {
            const loop_nest k = transposed_planes(d, 3, rows, columns);
            SCOPED_TRACE(::testing::Message() << name(d) << ' ' << rows << " by " << columns);
            ASSERT_TRUE(is_tiled(chosen(k, 1)));
            expect_right(k, chosen(k, 1));
        }
}

// Every order of the axes, so that tiles have other axes before, between and behind theirs.
TEST(Tiled, PermutedAxesAndMixedTypes) {
    const std::int64_t e[4] = {2, 24, 36, 40};
    std::vector<int> order = {0, 1, 2, 3};
    int tiled = 0;
    do {
        kernel_builder b;
        for (std::int64_t extent : e) b.outer(extent);
        const auto dense = [&](const std::vector<int>& axes) {
            kernel_builder::strides all;
            std::int64_t stride = 1;
            for (std::size_t p = axes.size(); p-- > 0; stride *= e[axes[p]]) all.emplace_back(axes[p], stride);
            return all;
        };
        const int x = b.load(b.input(dtype::int8), dense(order));
        const int y = b.load(b.input(dtype::float64), dense({0, 1, 3, 2}));
        const int z = b.load(b.input(dtype::float64), {{1, 1}, {2, 24}});
        const int sum = b.op("add", {b.op("multiply", {b.cast(dtype::float64, x), z}), y});
        b.store(sum, dense({0, 1, 2, 3}));
        const schedule s = chosen(b.k, 1);
        if (is_tiled(s)) ++tiled;
        expect_right(b.k, s);
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(tiled, 24);
}

TEST(Tiled, SeveralTurnedLoadsWhileThereIsRoom) {
    for (const std::size_t room : {48u << 10, 20u << 10, 9u << 10, 1u << 10}) {
        kernel_builder b;
        const int i = b.outer(96), j = b.outer(64);
        int sum = b.load(b.input(dtype::float32), {{i, 1}, {j, 96}});
        for (int n = 0; n < 3; ++n) sum = b.op("add", {sum, b.load(b.input(dtype::float32), {{i, 1}, {j, 96}})});
        b.store(sum, {{i, 64}, {j, 1}});
        device_properties m;
        m.multiprocessors = 1;
        m.shared_per_block = room;
        const schedule s = choose_schedule(b.k, m, std::vector<int>(5, 16));
        EXPECT_EQ(s.tile.transposed.size(), room > 40000 ? 4u : room > 20000 ? 2u : room > 9000 ? 1u : 0u) << room;
        expect_right(b.k, s);
    }
}

TEST(Tiled, ResultsThatLieAcross) {
    kernel_builder b;  // the loads run along i, the results along j, and a part of a larger array is written
    const int i = b.outer(70), j = b.outer(90);
    const int x = b.load(b.input(dtype::float32), {{i, 1}, {j, 75}});
    b.store(b.op("exp", {x}), {{i, 200}, {j, 2}});
    const schedule s = chosen(b.k, 1);
    EXPECT_TRUE(is_tiled(s) && s.vector_width == 1);
    expect_right(b.k, s);
}

// take(x, i, axis=0) + transpose(y)
TEST(Tiled, BesideGathers) {
    for (const std::int64_t columns : {300, 301, 68}) {
        kernel_builder b;
        const int i = b.outer(100), j = b.outer(columns);
        const int row = b.load(b.input(dtype::int64), {{i, 1}});
        const int x = b.gather(b.input(dtype::float32), {{j, 1}}, b.op("multiply", {row, b.number(columns)}));
        b.store(b.op("add", {x, b.load(b.input(dtype::float32), {{i, 1}, {j, 100}})}), {{i, columns}, {j, 1}});
        const schedule s = chosen(b.k, 1);
        EXPECT_EQ(is_tiled(s), columns >= 300) << describe(s) << ": of short rows the cache keeps what lies across";
        EXPECT_EQ(s.wide_gathers != 0, columns == 300);
    }
}

TEST(Tiled, SeveralResults) {
    kernel_builder b;
    const int i = b.outer(100), j = b.outer(68);
    const int x = b.load(b.input(dtype::float32), {{i, 68}, {j, 1}});
    const int y = b.load(b.input(dtype::float32), {{i, 1}, {j, 100}});
    b.store(b.op("add", {x, y}), {{i, 68}, {j, 1}});
    b.store(b.cast(dtype::int8, b.op("less", {x, y})), {{i, 72}, {j, 1}});
    const schedule s = chosen(b.k, 1);
    EXPECT_TRUE(is_tiled(s) && s.vector_width == 4);
    expect_right(b.k, s);
}

}  // namespace
}  // namespace sinter::codegen
