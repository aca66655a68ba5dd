// Schedules with windows: when they are chosen, what they keep in registers, and that the generated kernels compute
// what they should, with tiles that fit the results and tiles that do not.
#include <tests/codegen/render_running.hpp>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::filter;
using testing::filtered;
using testing::kernel_builder;
using testing::normalised_rows;
using testing::wide;

bool has_windows(const schedule& s) { return s.form == schedule_form::windows; }

/// sum over channels and windows of one row.
loop_nest channels_and_windows(std::int64_t batch, std::int64_t columns, std::int64_t channels, std::int64_t taps) {
    kernel_builder b;
    const std::int64_t length = columns + taps - 1;
    const int n = b.outer(batch), j = b.outer(columns);
    const int l = b.loop({channels, taps});
    const int c = b.inner(l, 0), t = b.inner(l, 1);
    const int x = b.load(b.input(dtype::float64), {{n, channels * length}, {j, 1}, {c, length}, {t, 1}}, l);
    const int weight = b.load(b.input(dtype::float64), {{c, taps}, {t, 1}}, l);
    b.store(b.reduce("sum", b.op("multiply", {x, weight}, l), l), {{n, columns}, {j, 1}});
    return b.k;
}

/// The maxima of blocks of height x width, of planes.
loop_nest pooled(std::int64_t planes, std::int64_t rows, std::int64_t columns, std::int64_t height, std::int64_t width,
                 dtype type) {
    kernel_builder b;
    const std::int64_t length = columns * width;
    const int p = b.outer(planes), i = b.outer(rows), j = b.outer(columns);
    const int l = b.loop({height, width});
    const int x = b.load(
        b.input(type),
        {{p, rows * height * length}, {i, height * length}, {j, width}, {b.inner(l, 0), length}, {b.inner(l, 1), 1}},
        l);
    b.store(b.reduce("max", x, l), {{p, rows * columns}, {i, columns}, {j, 1}});
    return b.k;
}

/// The folds of all windows of so many taps in rows of 256 elements.
loop_nest sliding(std::int64_t rows, std::int64_t columns, std::int64_t taps, const char* fold) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    const int l = b.loop({taps});
    const int x = b.load(b.input(dtype::float32), {{i, 256}, {j, 1}, {b.inner(l), 1}}, l);
    b.store(b.reduce(fold, x, l), {{i, columns}, {j, 1}});
    return b.k;
}

/// A fold of rows.
loop_nest folded_rows(std::int64_t rows, std::int64_t n, const char* fold, dtype type) {
    kernel_builder b;
    const int r = b.outer(rows);
    const int l = b.loop({n});
    b.store(b.reduce(fold, b.load(b.input(type), {{r, n}, {b.inner(l), 1}}, l), l), {{r, 1}});
    return b.k;
}

/// Products of matrices of n x n with vectors.
loop_nest transformed(std::int64_t batch, std::int64_t n) {
    kernel_builder b;
    const int p = b.outer(batch), i = b.outer(n);
    const int l = b.loop({n});
    const int matrix = b.load(b.input(dtype::float32), {{p, n * n}, {i, n}, {b.inner(l), 1}}, l);
    const int vector = b.load(b.input(dtype::float32), {{p, n}, {b.inner(l), 1}}, l);
    b.store(b.reduce("sum", b.op("multiply", {matrix, vector}, l), l), {{p, n}, {i, 1}});
    return b.k;
}

TEST(Windows, WhereNeighboursShareWhatTheyRead) {
    EXPECT_EQ(describe(chosen(filtered(4096, 4096, {}), 132)),
              "windows: 8 x 4 results per thread, 128 threads per block, 1 window in registers");
    EXPECT_TRUE(has_windows(chosen(filtered(4096, 4096, {.height = 11, .width = 11}), 132)));
    EXPECT_FALSE(has_windows(chosen(filtered(100, 100, {}), 132)));                 // too few
    EXPECT_FALSE(has_windows(chosen(filtered(4096, 4096, {.width = 1000}), 132)));  // too long
    EXPECT_FALSE(has_windows(chosen(testing::norm_of_rows(1 << 20, 1000), 132)));
    EXPECT_FALSE(has_windows(chosen(testing::norm_of_columns(3, 1 << 20), 132)));  // neighbours share nothing
    // a block goes along planes, of which these have nine places for its 128 threads
    EXPECT_TRUE(has_windows(chosen(pooled(4096, 64, 64, 2, 2, dtype::float32), 132)));
    EXPECT_FALSE(has_windows(chosen(pooled(1 << 20, 3, 3, 2, 2, dtype::float32), 132)));
}

TEST(Windows, ShortRowsMoveWide) {
    const schedule s = chosen(normalised_rows(1 << 20, 3), 132);
    ASSERT_TRUE(has_windows(s));
    ASSERT_EQ(s.windows.windows.size(), 1u);  // both loops read the same elements
    EXPECT_EQ(s.windows.windows[0].elements, 12);
    EXPECT_EQ(s.windows.windows[0].vector, 4);
    EXPECT_EQ(s.windows.store_vectors, std::vector<int>{4});
    EXPECT_EQ(chosen(normalised_rows(1 << 20, 3), 132, 8).windows.windows[0].vector, 2);
    EXPECT_FALSE(has_windows(chosen(normalised_rows(1 << 20, 3), 132, 4)));  // single elements either way
    loop_nest two_of_three = folded_rows(1 << 20, 3, "sum", dtype::float32);
    two_of_three.extents[1] = 2;
    EXPECT_FALSE(has_windows(chosen(two_of_three, 132)));  // the third is not read
    EXPECT_EQ(chosen(transformed(1 << 20, 4), 132).windows.columns, 4);
    EXPECT_EQ(chosen(transformed(1 << 20, 4), 132).windows.windows.size(), 2u);
}

TEST(Windows, FiltersOfEveryExtent) {
    for (const auto& [rows, columns] : {std::pair{64, 256}, {61, 255}, {40, 130}, {9, 1001}, {200, 37}})
        for (const filter& f : {filter{}, {5, 4}, {2, 7, 1, 3}, {3, 3, 2, 1}, {1, 9, 3, 1}, {17, 2}}) {
            const loop_nest k = filtered(rows, columns, f);
            const schedule s = chosen(k, 1);
            ASSERT_TRUE(has_windows(s)) << describe(s);
            SCOPED_TRACE(::testing::Message() << rows << " by " << columns << ", " << f.height << " by " << f.width);
            expect_right(k, s);
            if (HasFatalFailure()) return;
        }
    expect_right(filtered(64, 254, {}), wide(chosen(filtered(64, 254, {}), 1)));
    expect_right(filtered(40, 250, {}, dtype::float64), chosen(filtered(40, 250, {}, dtype::float64), 1));
}

// Of rows that no wide access fits.
TEST(Windows, StagedByBlocks) {
    for (const auto& [rows, columns] : {std::pair{64, 256}, {61, 301}, {70, 1030}})
        for (const filter& f : {filter{11, 12}, {3, 20, 1, 1}}) {
            const loop_nest k = filtered(rows, columns, f);
            const schedule s = chosen(k, 1);
            SCOPED_TRACE(::testing::Message() << rows << " by " << columns << ", " << f.height << " by " << f.width);
            ASSERT_TRUE(s.windows.stages()) << describe(s);
            EXPECT_EQ(s.windows.filters.size(), 1u);
            expect_right(k, s);
            if (HasFatalFailure()) return;
        }
    for (const auto& [columns, channels] : {std::pair{1024, 3}, {1300, 40}}) {
        const loop_nest k = channels_and_windows(5, columns, channels, 22);
        EXPECT_TRUE(chosen(k, 1).windows.stages());
        expect_right(k, chosen(k, 1));
    }
    const loop_nest maxima = sliding(70, 230, 27, "max");  // folds that neighbours share
    EXPECT_TRUE(chosen(maxima, 1, 4).windows.stages());
    expect_right(maxima, chosen(maxima, 1, 4));
    const loop_nest few = filtered(4096, 4096, {});
    EXPECT_FALSE(chosen(few, 132).windows.stages());
}

// Windows of a row that have elements in common, and of which none is common to all.
TEST(Windows, SlidingFoldsShareWhatIsCommon) {
    for (const char* fold : {"max", "sum"})
        for (const std::int64_t taps : {3, 8, 21})
            for (const std::int64_t columns : {160, 154}) {
                const loop_nest k = sliding(30, columns, taps, fold);
                const schedule s = chosen(k, 1);
                ASSERT_TRUE(has_windows(s)) << describe(s);
                expect_right(k, s);
                if (HasFatalFailure()) return;
            }
}

TEST(Windows, OtherAxesAreLoops) {
    for (const std::int64_t columns : {128, 131}) {
        const loop_nest k = channels_and_windows(20, columns, 7, 5);
        ASSERT_TRUE(has_windows(chosen(k, 1)));
        expect_right(k, chosen(k, 1));
    }
}

TEST(Windows, BlocksOfPlanes) {
    for (const dtype type : {dtype::float32, dtype::uint8, dtype::float64})
        for (const std::int64_t columns : {128, 50, 33}) {
            const loop_nest k = pooled(5, 20, columns, 2, 2, type);
            const schedule s = chosen(k, 1);
            if (columns == 128) {
                ASSERT_TRUE(has_windows(s));
            }
            expect_right(k, s);
            if (HasFatalFailure()) return;
        }
    expect_right(pooled(3, 20, 48, 3, 5, dtype::float32), chosen(pooled(3, 20, 48, 3, 5, dtype::float32), 1));
}

TEST(Windows, RowsOfAFewElements) {
    for (const std::int64_t rows : {4096, 4097, 5003})
        for (const std::int64_t n : {2, 3, 4, 7}) {
            for (const loop_nest& k : {normalised_rows(rows, n), folded_rows(rows, n, "sum", dtype::float32),
                                       folded_rows(rows, n, "max", dtype::uint8)}) {
                ASSERT_TRUE(has_windows(chosen(k, 1))) << rows << " x " << n;
                expect_right(k, chosen(k, 1));
                if (HasFatalFailure()) return;
            }
        }
    for (const std::int64_t n : {3, 4}) expect_right(transformed(1001, n), chosen(transformed(1001, n), 1));
}

// Rows of which a thread stores several accesses are stored by way of shared memory, also by threads without a whole
// tile of their own.
TEST(Windows, ResultsOfSeveralAccessesAreStaged) {
    for (const std::int64_t rows : {4096, 4099, 5001})
        for (const std::int64_t n : {2, 3, 5, 8, 12, 16})
            for (const dtype type : {dtype::float32, dtype::float64}) {
                SCOPED_TRACE(::testing::Message() << rows << " x " << n);
                const loop_nest k = normalised_rows(rows, n, type);
                const schedule s = chosen(k, 1);
                if (!has_windows(s)) continue;  // long rows of doubles
                const bool several = s.windows.columns * n > 16 / static_cast<std::int64_t>(size_of(type));
                EXPECT_EQ(s.windows.staged_stores, several) << describe(s);
                expect_right(k, s);
                if (HasFatalFailure()) return;
            }
    EXPECT_FALSE(chosen(folded_rows(1 << 20, 3, "sum", dtype::float32), 132).windows.staged_stores);  // one access
    EXPECT_FALSE(chosen(filtered(4096, 4096, {}), 132).windows.staged_stores);
}

}  // namespace
}  // namespace sinter::codegen
