// Kernels that the host cuts into regions: what is left in each one, and the values, of arrays that are large enough to
// be cut, against plain loops.
#include <codegen/host/hoist.hpp>
#include <codegen/host/index_pieces.hpp>
#include <codegen/host/index_scalars.hpp>
#include <codegen/host/regions.hpp>
#include <codegen/transforms/index_rows.hpp>

#include <host/index_builder.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>

namespace sinter::codegen::testing {
namespace {

using blocked::region;

bool holds(const region& r, value_kind what) {
    return std::any_of(r.body.values.begin(), r.body.values.end(), [what](const value& v) { return v.what == what; });
}

TEST(regions, a_mask_that_changes_once_cuts_the_axis) {
    index_builder b;
    const int i = b.outer(200), j = b.outer(300);
    const int x = b.load(b.input(dtype::float64), {{i, 300}, {j, 1}}), y = b.load(b.input(dtype::float64), {{j, 1}});
    b.store(b.op("where", {b.op("less", {b.index({{j, 1}}), b.constant(std::int64_t{70})}), x, y}), {{i, 300}, {j, 1}});
    const std::vector<region> regions = blocked::cut_into_regions(b.k, instruction_set::baseline);
    ASSERT_EQ(regions.size(), 2u);
    for (const region& r : regions) {
        EXPECT_FALSE(holds(r, value_kind::elementwise));
        EXPECT_EQ(r.body.inputs.size(), 2u);
    }
    EXPECT_EQ(regions[0].body.extents, (std::vector<std::int64_t>{200, 70}));
    EXPECT_EQ(regions[1].body.extents, (std::vector<std::int64_t>{200, 230}));
    EXPECT_EQ(regions[1].store_starts, std::vector<std::int64_t>{70});
}

TEST(regions, a_mask_that_changes_often_stays) {
    index_builder b;
    const int i = b.outer(200), j = b.outer(300);
    const int x = b.load(b.input(dtype::float64), {{i, 300}, {j, 1}});
    const int odd = b.op(
        "equal", {b.op("remainder", {b.index({{j, 1}}), b.constant(std::int64_t{3})}), b.constant(std::int64_t{0})});
    b.store(b.op("where", {odd, x, b.constant(0.0)}), {{i, 300}, {j, 1}});
    const std::vector<region> regions = blocked::cut_into_regions(b.k, instruction_set::baseline);
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_TRUE(holds(regions[0], value_kind::elementwise));
}

TEST(regions, quotients_of_an_index_become_strides) {
    index_builder b;
    const int i = b.outer(60'000);
    const int at = b.of_index(index_quotient, b.index({{i, 1}}), 4);
    b.store(b.displaced(b.input(dtype::float32), {}, at), {{i, 1}});
    const std::vector<region> regions = blocked::cut_into_regions(b.k, instruction_set::baseline);
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_EQ(regions[0].body.extents, (std::vector<std::int64_t>{15'000, 4}));
    ASSERT_EQ(regions[0].body.values.size(), 1u);
    EXPECT_LT(regions[0].body.values[0].in[0], 0);
}

TEST(regions, scalars_that_indices_are_computed_with) {
    index_builder b;
    const int i = b.outer(60'000);
    const int x = b.load(b.input(dtype::int64), {{i, 1}}), s = b.scalar(dtype::int64), t = b.scalar(dtype::int64);
    b.store(b.op("where", {b.op("less", {b.index({{i, 1}}), s}), x, b.op("add", {x, t})}), {{i, 1}});
    EXPECT_EQ(blocked::find_index_scalars(b.k), std::vector<int>{0});
    EXPECT_EQ(blocked::cut_into_regions(b.k, instruction_set::baseline).size(), 1u);
    const loop_nest known = blocked::with_scalars(b.k, {0}, {1000});
    EXPECT_EQ(blocked::cut_into_regions(known, instruction_set::baseline).size(), 2u);
}

/// The search goes block by block: pieces begin in a block, between two, and where a cut asks for one.
TEST(regions, pieces_on_both_sides_of_a_block_of_their_search) {
    constexpr std::int64_t extent = 5000;
    for (const std::int64_t at : {1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 4998, 4999}) {
        index_builder b;
        const int i = b.outer(extent), place = b.index({{i, 1}});
        const int mask = b.op("less", {place, b.constant(at)}), rest = b.op("remainder", {place, b.constant(at)});
        const int folded = b.op("minimum", {place, b.constant(at)});
        for (const std::vector<std::int64_t>& cuts : {std::vector<std::int64_t>{}, {1, 1024, 3000, 3001}}) {
            const auto found = [&](int id) {
                return blocked::pieces_along(b.k, id, 0, cuts, 64, instruction_set::baseline);
            };
            std::vector<std::int64_t> masks, rests, least;
            for (std::int64_t n = 0; n < extent; ++n) {
                masks.push_back(n < at);
                rests.push_back(n % at);
                least.push_back(std::min(n, at));
            }
            EXPECT_EQ(values_of(found(mask), extent), masks) << at;
            EXPECT_EQ(values_of(found(folded), extent), least) << at;
            if (at == 2) rests.clear();  // more than 64 pieces are a pattern, and none
            EXPECT_EQ(values_of(found(rest), extent), rests) << at;
            for (const std::int64_t cut : cuts)
                EXPECT_TRUE(std::ranges::any_of(found(mask), [cut](const auto& p) { return p.begin == cut; }));
            EXPECT_LE(found(mask).size(), 2 + cuts.size());
        }
    }
}

TEST(regions, what_a_row_has_in_common_is_computed_before_its_loop) {
    index_builder b;
    const int i = b.outer(500), j = b.outer(100);
    const int x = b.load(b.input(dtype::float64), {{i, 100}, {j, 1}}), y = b.load(b.input(dtype::float64), {{i, 1}});
    b.store(b.op("multiply", {x, b.op("sqrt", {y})}), {{i, 100}, {j, 1}});
    region r = blocked::whole_of(b.k);
    blocked::hoist(r);
    ASSERT_EQ(r.body.loops.size(), 1u);
    for (const value& v : r.body.values) EXPECT_EQ(v.loop, v.varies >> r.body.loops[0].axes[0] & 1 ? 0 : group_level);
}

}  // namespace
}  // namespace sinter::codegen::testing

namespace sinter {
namespace {

constexpr std::int64_t rows = 131, columns = 517;

array<double, 2> random_matrix(std::int64_t m, std::int64_t n, unsigned seed) {
    return uniform<double>(random_key(seed), {m, n});
}

/// Compares all elements with what a function of the indices gives.
void expect(const array<double, 2>& got, const std::function<double(std::int64_t, std::int64_t)>& element) {
    const auto shape = got.shape();
    const auto view = got.host_view();
    for (std::int64_t i = 0; i < shape.extent[0]; ++i)
        for (std::int64_t j = 0; j < shape.extent[1]; ++j)
            ASSERT_EQ(view(i, j), element(i, j)) << "at " << i << ", " << j;
}

std::int64_t wrapped(std::int64_t i, std::int64_t n) { return (i % n + n) % n; }

class large_arrays : public ::testing::Test {
protected:
    const array<double, 2> x = random_matrix(rows, columns, 1), y = random_matrix(rows, columns, 2);
    const host_span<double, 2> x_ = x.host_view(), y_ = y.host_view();
    static double at(const host_span<double, 2>& a, std::int64_t i, std::int64_t j) { return a(i, j); }
};

TEST_F(large_arrays, rolled_by_one_shift_after_the_other) {
    for (const std::int64_t shift : {0, 1, -1, 5, 130, -600})
        for (int again = 0; again < 2; ++again) {
            expect(roll(x, shift, axis=0), [&](auto i, auto j) { return at(x_, wrapped(i - shift, rows), j); });
            expect(roll(x, {shift, 7}, axis={0, 1}) * y, [&](auto i, auto j) {
                return at(x_, wrapped(i - shift, rows), wrapped(j - 7, columns)) * at(y_, i, j);
            });
        }
}

/// The pieces of one shift are cut where those of the other begin, in their middle.
TEST_F(large_arrays, rolled_by_two_shifts) {
    for (const int axis_of_both : {0, 1}) {
        const bool down = axis_of_both == 0;
        expect(roll(x, 100, axis=axis_of_both) + roll(y, 37, axis=axis_of_both), [&](auto i, auto j) {
            return at(x_, down ? wrapped(i - 100, rows) : i, down ? j : wrapped(j - 100, columns)) +
                   at(y_, down ? wrapped(i - 37, rows) : i, down ? j : wrapped(j - 37, columns));
        });
    }
}

TEST_F(large_arrays, padded_and_joined) {
    expect(pad(x, {{2, 1}, {3, 40}}, -1.0), [&](auto i, auto j) {
        const bool inside = i >= 2 && i < rows + 2 && j >= 3 && j < columns + 3;
        return inside ? at(x_, i - 2, j - 3) : -1.0;
    });
    const array<double, 2> z = random_matrix(3, columns, 3);
    expect(concat(x + 1.0, z, y, axis=0), [&](auto i, auto j) {
        return i < rows ? at(x_, i, j) + 1.0 : i < rows + 3 ? at(z.host_view(), i - rows, j) : at(y_, i - rows - 3, j);
    });
    expect(concat(x, y, axis=1) * 2.0,
           [&](auto i, auto j) { return 2.0 * (j < columns ? at(x_, i, j) : at(y_, i, j - columns)); });
    expect(reshape(stack(x, y, axis=-1), {rows, 2 * columns}),
           [&](auto i, auto j) { return at(j % 2 == 0 ? x_ : y_, i, j / 2); });
}

TEST_F(large_arrays, repeated_and_tiled) {
    expect(repeat(x, 3, axis=0), [&](auto i, auto j) { return at(x_, i / 3, j); });
    expect(repeat(repeat(x, 2, axis=0), 5, axis=1), [&](auto i, auto j) { return at(x_, i / 2, j / 5); });
    expect(tile(x, {2, 3}) - 1.0, [&](auto i, auto j) { return at(x_, i % rows, j % columns) - 1.0; });
    expect(repeat(roll(x, 3, axis=1), 2, axis=1),
           [&](auto i, auto j) { return at(x_, i, wrapped(j / 2 - 3, columns)); });
}

TEST_F(large_arrays, gathered_by_rows_and_by_columns) {
    std::mt19937 random(5);
    std::vector<std::int64_t> places(700);
    for (std::int64_t& p : places) p = static_cast<std::int64_t>(random() % (2 * rows)) - rows;
    const array<std::int64_t, 1> indices = from_host(places);
    const auto row = [&](std::int64_t i) { return wrapped(places[static_cast<std::size_t>(i)], rows); };
    expect(take(x, indices, axis=0) + 1.0, [&](auto i, auto j) { return at(x_, row(i), j) + 1.0; });
    const array<double, 2> across = transpose(x);
    expect(take(across, indices, axis=1), [&](auto i, auto j) { return at(x_, row(j), i); });
}

/// Rows too short for a loop of their own but for a copy each.
template <class T, int Columns>
void check_gathered_rows() {
    constexpr std::int64_t count = 1000;
    std::vector<T> table(static_cast<std::size_t>(count * Columns));
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i % 251);
    std::mt19937 random(Columns);
    std::vector<std::int64_t> places(3001);
    for (std::int64_t& p : places) p = static_cast<std::int64_t>(random() % (2 * count)) - count;
    const array<T, 2> from = from_host(std::span<const T>(table), shape{count, std::int64_t{Columns}});
    const array<std::int64_t, 1> indices = from_host(places);
    const array<T, 2> taken = take(from, indices, axis=0), more = take(from, indices, axis=0) + T(1);
    const auto values = to_host(taken), others = to_host(more);
    for (std::size_t i = 0; i < places.size(); ++i)
        for (std::size_t j = 0; j < Columns; ++j) {
            const T expected = table[static_cast<std::size_t>(wrapped(places[i], count)) * Columns + j];
            ASSERT_EQ(values[i * Columns + j], expected) << i << ", " << j << " of " << Columns;
            ASSERT_EQ(others[i * Columns + j], static_cast<T>(expected + T(1)));
        }
}

TEST(short_rows, gathered) {
    check_gathered_rows<float, 1>();
    check_gathered_rows<float, 3>();
    check_gathered_rows<float, 4>();
    check_gathered_rows<float, 5>();
    check_gathered_rows<float, 8>();
    check_gathered_rows<double, 4>();
    check_gathered_rows<double, 16>();
    check_gathered_rows<std::uint8_t, 4>();
    check_gathered_rows<std::uint8_t, 12>();
    check_gathered_rows<std::int16_t, 16>();
}

TEST_F(large_arrays, chosen_by_indices_and_scalars) {
    for (const std::int64_t limit : {0, 1, 100, 516, 517, 1000})
        expect(where(arange(columns) < limit, x, y), [&](auto i, auto j) { return at(j < limit ? x_ : y_, i, j); });
    expect(where(arange(rows)(all, newaxis) >= arange(columns), x, 0.0),
           [&](auto i, auto j) { return i >= j ? at(x_, i, j) : 0.0; });
    expect(astype<double>(arange(rows)(all, newaxis) * 1000 + flip(arange(columns), axis=0)) + x,
           [&](auto i, auto j) { return static_cast<double>(i * 1000 + columns - 1 - j) + at(x_, i, j); });
}

}  // namespace
}  // namespace sinter
