// Columns with several neighbours per thread: which kernels get them, how many thread rows share a column, and that the
// generated kernels compute what they should.
#include <codegen/schedule/forms.hpp>
#include <tests/codegen/render_running.hpp>

#include <algorithm>
#include <optional>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;
using testing::norm_of_columns;
using testing::norm_of_middle;
using testing::standardised_columns;
using testing::wide;

/// max(x, axis=1) of a rank-3 array.
loop_nest largest_of_middle(dtype type, std::int64_t planes, std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int p = b.outer(planes), c = b.outer(columns);
    const int l = b.loop({n});
    const int x = b.load(b.input(type), {{p, n * columns}, {c, 1}, {b.inner(l), columns}}, l);
    b.store(b.reduce("max", x, l), {{p, columns}, {c, 1}});
    return b.k;
}

/// A kernel with everything that may stand around a reduction: weights along the loop, a bias for each column, one for
/// all, and a loop that stores.
loop_nest with_all_kinds_of_loads(std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int c = b.outer(columns);
    const int in = b.input(dtype::float32), weights = b.input(dtype::float32);
    const int bias = b.load(b.input(dtype::float32), {{c, 1}}), same = b.load(b.input(dtype::float32), {});
    const int l0 = b.loop({n});
    const int x0 = b.load(in, {{c, 1}, {b.inner(l0), columns}}, l0);
    const int w0 = b.load(weights, {{b.inner(l0), 1}}, l0);
    const int total = b.reduce("sum", b.op("multiply", {x0, w0}, l0), l0);
    const int shifted =
        b.op("multiply", {b.op("add", {b.op("multiply", {total, b.scalar(dtype::float32)}), bias}), same});
    b.store(shifted, {{c, 1}});
    const int l1 = b.loop({n});
    const int x1 = b.load(in, {{c, 1}, {b.inner(l1), columns}}, l1);
    b.store(b.op("subtract", {x1, shifted}, l1), {{c, 1}, {b.inner(l1), columns}}, l1);
    return b.k;
}

std::vector<schedule> candidates(const loop_nest& k, int multiprocessors) {
    device_properties m;
    m.multiprocessors = multiprocessors;
    return column_candidates(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), 16));
}

/// The first candidate that fits, or none.
template <class F>
std::optional<schedule> candidate(const loop_nest& k, int multiprocessors, F fits) {
    const std::vector<schedule> all = candidates(k, multiprocessors);
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? std::nullopt : std::optional(*found);
}
std::optional<schedule> kept(const loop_nest& k) {
    return candidate(k, 1, [](const schedule& s) { return s.register_cached && !s.grid_barrier; });
}

TEST(Columns, NeighboursNeedAlignmentAndExtents) {
    EXPECT_EQ(chosen(norm_of_middle(1000, 100, 1000), 132).vector_width, 4);
    EXPECT_EQ(chosen(norm_of_middle(1000, 100, 999), 132).vector_width, 1);
    EXPECT_EQ(chosen(norm_of_middle(1000, 100, 1002), 132).vector_width, 2);
    EXPECT_EQ(chosen(norm_of_middle(1000, 100, 1000), 132, 4).vector_width, 1);
    EXPECT_EQ(chosen(norm_of_columns(1000, 100000), 132).vector_width, 2);
    EXPECT_EQ(chosen(norm_of_columns(1000, 1000), 132).vector_width, 1);  // too few columns for warps of them
    EXPECT_EQ(chosen(largest_of_middle(dtype::int8, 100, 100, 10000), 132).vector_width, 16);
    EXPECT_EQ(chosen(largest_of_middle(dtype::int16, 100, 100, 10000), 132).vector_width, 8);
}

// Two threads would have three steps and two, of which ptxas unrolls four: a few steps of functions are one thread's.
TEST(Columns, FewStepsOfFunctionsAreOfOneThread) {
    const auto of_steps = [](std::int64_t steps, const char* op) {
        kernel_builder b;
        const int p = b.outer(128), c = b.outer(2048), in = b.input(dtype::float32), l = b.loop({steps});
        const int x = b.load(in, {{p, steps * 2048}, {b.inner(l), 2048}, {c, 1}}, l);
        b.store(b.reduce("min", b.op(op, {x}, l), l), {{p, 2048}, {c, 1}});
        return b.k;
    };
    for (const std::int64_t steps : {3, 5, 7}) {
        const loop_nest k = of_steps(steps, "exp");
        const schedule s = chosen(k, 132);
        EXPECT_EQ(s.threads_per_output, 1) << describe(s);
        EXPECT_EQ(s.unroll, steps) << describe(s);
        EXPECT_NE(chosen(of_steps(steps, "abs"), 132).unroll, steps) << "a kernel for each length";
    }
    expect_right(of_steps(5, "exp"), chosen(of_steps(5, "exp"), 132));
}

/// Indices along the loop, along the columns, along both, and of a column, in a loop that reduces and in one that
/// stores.
loop_nest with_indices(std::int64_t planes, std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int p = b.outer(planes), c = b.outer(columns);
    const int in = b.input(dtype::int64);
    const auto term = [&](int l, const kernel_builder::strides& of) {
        const int x = b.load(in, {{p, n * columns}, {c, 1}, {b.inner(l), columns}}, l);
        return b.op("multiply", {x, b.index(of, l)}, l);
    };
    const int l0 = b.loop({n});
    const int down = b.reduce("sum", term(l0, {{b.inner(l0), 1}}), l0);
    const int across = b.reduce("sum", term(l0, {{c, 1}}), l0);
    const int both = b.reduce("max", term(l0, {{p, 7}, {c, 3}, {b.inner(l0), 5}}), l0);
    const int all = b.op("add", {b.op("add", {down, across}), both});
    const int placed = b.op("multiply", {all, b.index({{p, 11}, {c, 2}})});
    b.store(placed, {{p, columns}, {c, 1}});
    const int l1 = b.loop({n});
    b.store(b.op("add", {term(l1, {{c, 1}, {b.inner(l1), 2}}), placed}, l1),
            {{p, n * columns}, {c, 1}, {b.inner(l1), columns}}, l1);
    return b.k;
}

// Each column of a thread has its own index across, and shares the one down.
TEST(Columns, NeighboursHaveIndices) {
    for (const std::int64_t columns : {16, 130})
        for (const std::int64_t n : {1, 33}) {
            const loop_nest k = with_indices(3, n, columns);
            const auto has_two = [](const schedule& s) { return s.vector_width == 2; };
            EXPECT_TRUE(candidate(k, 132, has_two));
            for (const schedule& s : candidates(k, 132)) expect_right(k, s);
        }
}

// What a thread row more costs: see codegen/schedule/columns.cpp.
TEST(Columns, ThreadRowsAreFewWhereColumnsAreMany) {
    EXPECT_EQ(chosen(norm_of_middle(1000, 60, 1000), 132).threads_per_output, 2);
    EXPECT_EQ(chosen(norm_of_middle(1000, 100, 999), 132).threads_per_output, 1);
    EXPECT_EQ(chosen(norm_of_middle(1000, 2, 100000), 132).threads_per_output, 1);
    EXPECT_EQ(chosen(norm_of_columns(1000, 100000), 132).threads_per_output, 8);
}

TEST(Columns, ColumnsOfAHundredElementsTakeTwoSteps) {
    for (const std::int64_t length : {65, 100, 127, 128}) {
        const schedule s = chosen(norm_of_middle(1000, length, 1000), 132);
        EXPECT_EQ(s.threads_per_output, 8) << length;
        EXPECT_GE(2 * s.threads_per_output * s.unroll, length);
        EXPECT_LT(s.threads_per_output * (2 * s.unroll - 1), length + s.threads_per_output);
    }
    expect_right(norm_of_middle(3, 100, 200), chosen(norm_of_middle(1000, 100, 1000), 132));
}

TEST(Columns, SplitTilesOfSingleColumnsAreOneWave) {
    for (const std::int64_t columns : {67, 419, 671, 1025}) {
        const loop_nest k = norm_of_columns(200003, columns);
        const schedule s = chosen(k, 132);
        EXPECT_EQ(s.vector_width, 1);
        EXPECT_LE(grid_size(k, s) * s.block_threads, 132 * 1536) << columns;
    }
}

/// x - mean(x, axis=1, keepdims) of a rank-3 array.
loop_nest centred_middle(std::int64_t planes, std::int64_t n, std::int64_t columns) {
    kernel_builder b;
    const int p = b.outer(planes), c = b.outer(columns), in = b.input(dtype::float32);
    const auto at = [&](int inner) { return kernel_builder::strides{{p, n * columns}, {c, 1}, {inner, columns}}; };
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, at(b.inner(l0)), l0), l0);
    const int l1 = b.loop({n});
    b.store(b.op("subtract", {b.load(in, at(b.inner(l1)), l1), total}, l1), at(b.inner(l1)), l1);
    return b.k;
}

// Tiles of columns that a thread keeps have the width of the rows that lie one behind another.
TEST(Columns, AdjoiningRowsAreTilesOfTheirOwn) {
    for (const std::int64_t columns : {2, 3, 6, 7, 13, 31}) {
        const schedule s = chosen(centred_middle(2000, 521, columns), 132);
        EXPECT_TRUE(s.register_cached) << describe(s);
        EXPECT_EQ(groups_per_block(s), columns) << describe(s);
        const loop_nest few = centred_middle(3, 521, columns);
        expect_right(few, s, 1);
    }
    const schedule wide_rows = chosen(centred_middle(2000, 521, 37), 132);
    EXPECT_NE(groups_per_block(wide_rows), 37) << describe(wide_rows);
}

// A few blocks more than a whole number for each multiprocessor would make all wait.
TEST(Columns, BlocksThatShareTilesAreAsManyOnEachMultiprocessor) {
    for (const dtype type : {dtype::float32, dtype::float64, dtype::int8})
        for (std::int64_t columns = 16; columns <= 4096; columns += 16) {
            kernel_builder b;
            const int c = b.outer(columns), l = b.loop({1 << 20});
            const int x = b.load(b.input(type), {{c, 1}, {b.inner(l), columns}}, l);
            b.store(b.reduce(columns % 32 == 0 ? "max" : "prod", x, l), {{c, 1}});
            const schedule s = chosen(b.k, 132);
            const std::int64_t blocks = grid_size(b.k, s), on_each = (blocks + 131) / 132,
                               tiles = blocks / s.blocks_per_output;
            EXPECT_GT(blocks, 132 * on_each - tiles) << columns << ": " << describe(s);
            EXPECT_LE(blocks * s.block_threads, 132 * 1536) << columns << ": " << describe(s);
        }
}

// However many columns there are: 141 blocks of 256 threads took six times as long for bytes.
TEST(Columns, LongOnesOccupyTheDevice) {
    for (const dtype type : {dtype::int8, dtype::float16, dtype::float32, dtype::float64})
        for (std::int64_t columns = 2000; columns <= 100000; columns += 1000) {
            const schedule s = chosen(largest_of_middle(type, 1, 9000, columns), 132);
            EXPECT_GE(grid_size(largest_of_middle(type, 1, 9000, columns), s) * s.block_threads, 132 * 480)
                << columns << ": " << describe(s);
        }
}

TEST(Columns, NeighboursOfEveryKind) {
    const auto expect_all_right = [](const loop_nest& k, int vector) {
        int most = 0;
        for (const schedule& s : candidates(k, 1)) {
            most = std::max(most, s.vector_width);
            expect_right(k, s);
        }
        EXPECT_EQ(most, vector);
    };
    for (const std::int64_t columns : {128, 200, 516}) {
        SCOPED_TRACE(columns);
        for (const loop_nest& k :
             {norm_of_columns(50, columns), norm_of_middle(3, 17, columns), norm_of_middle(2, 1, columns),
              standardised_columns(70, columns), with_all_kinds_of_loads(45, columns)})
            expect_all_right(k, k.inputs[0].type == dtype::float64 ? 2 : 4);
        expect_right(norm_of_middle(3, 17, columns), wide(candidates(norm_of_middle(3, 17, columns), 1)[0]));
    }
    for (const dtype type : {dtype::int8, dtype::bool_, dtype::int64, dtype::float64})
        for (const std::int64_t n : {3, 100})
            expect_all_right(largest_of_middle(type, 3, n, 528), 16 / static_cast<int>(size_of(type)));
}

// Read once, however many loops go over them, as long as the threads of one block have room for them.
TEST(Columns, KeptInRegisters) {
    for (const std::int64_t n : {1, 2, 10, 45, 151, 521, 1000})
        for (const std::int64_t columns : {96, 132, 527}) {
            const loop_nest k = standardised_columns(n, columns);
            const std::optional<schedule> s = kept(k);
            ASSERT_TRUE(s) << n << " x " << columns;
            SCOPED_TRACE(describe(*s));
            EXPECT_TRUE(s->blocks_per_output == 1 && s->block_threads <= 1024);
            EXPECT_GE(static_cast<std::int64_t>(s->threads_per_output) * s->unroll, n);
            expect_right(k, *s);
        }
    EXPECT_FALSE(kept(standardised_columns(5000, 132)));
    EXPECT_FALSE(kept(norm_of_columns(100, 132)));  // it is read once
    const loop_nest k = standardised_columns(151, 132);
    expect_right(k, wide(*kept(k)));
}

TEST(Columns, NeighboursAndEveryNumberOfThreadRows) {
    for (const int rows : {1, 2, 16}) {
        const loop_nest k = with_all_kinds_of_loads(45, 200);
        schedule s = chosen(k, 1);
        s.register_cached = false;
        s.threads_per_output = rows;
        expect_right(k, s);
        s.unroll = 1;
        expect_right(k, s);
    }
}

TEST(Columns, NeighboursInSplitColumns) {
    for (const loop_nest& k : {norm_of_columns(5000, 64), norm_of_columns(5003, 6)}) {
        std::optional<schedule> found =
            candidate(k, 4, [](const schedule& s) { return s.blocks_per_output > 1 && s.vector_width == 2; });
        ASSERT_TRUE(found);
        schedule s = *found;
        expect_right(k, s, 3);
        s.blocks_per_output = 7;
        expect_right(k, wide(s), 2);
    }
}

}  // namespace
}  // namespace sinter::codegen
