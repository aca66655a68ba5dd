// Loops compiled at run time: they give the bits that the library's own loops give, for kernels of every form.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <host/compare_loops.hpp>
#include <runtime/host/evaluate.hpp>
#include <runtime/host/loop_compiler.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::testing {
namespace {

constexpr dtype computed[] = {dtype::float32, dtype::float64, dtype::int32,  dtype::int64,     dtype::int8,
                              dtype::uint8,   dtype::uint16,  dtype::uint64, dtype::complex64, dtype::complex128};

TEST(fused_loops, chains_in_every_dtype) {
    for (const dtype t : computed) {
        kernel_builder b;
        const int i = b.outer(37), j = b.outer(211);
        const int x = b.load(b.input(t), {{i, 211}, {j, 1}}), y = b.load(b.input(t), {{j, 1}});
        const int z = b.load(b.input(t), {{j, 37}, {i, 1}}), s = b.scalar(t);
        const int sum = b.op("add", {b.op("multiply", {b.op("subtract", {x, y}), z}), s});
        const int same = b.op("equal", {x, sum});
        b.store(b.op("where", {same, y, b.op("negative", {sum})}), {{i, 211}, {j, 1}});
        b.store(same, {{j, 37}, {i, 1}});
        b.store(b.cast(dtype::float64, sum), {{i, 211}, {j, 1}});
        const ir::scalar_bits bits{0x4000000000400000, 0x3ff0000000000000};
        check(b.k, 1, &bits);
    }
}

/// Every row of the table that is computed in place, in the dtypes of its rule.
TEST(fused_loops, every_row_that_is_arithmetic) {
    std::vector<std::pair<std::string, int>> rows;
#define SINTER_ROW_UNARY(name, rule, ...) rows.emplace_back(#name, 1);
#define SINTER_ROW_BINARY(name, rule, ...) rows.emplace_back(#name, 2);
#define SINTER_ROW_TERNARY(name, rule, ...) rows.emplace_back(#name, 3);
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) rows.emplace_back(#name, 1);
#define SINTER_ROW_INFIX(name, symbol, rule, ...) rows.emplace_back(#name, 2);
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...)
#include <sinter/op/table.def>
    for (const dtype t : {dtype::float32, dtype::float64, dtype::int32, dtype::uint8, dtype::int16, dtype::bool_}) {
        kernel_builder b;
        const int i = b.outer(1000);
        int loads[3];
        for (int& l : loads) l = b.load(b.input(t), {{i, 1}});
        for (const auto& [name, arity] : rows) {
            const op_row& row = row_of(name);
            if (!computes_in(row.rule, t) || row.rule == dtype_rule::select || b.k.outputs.size() > 20) continue;
            if (result_of(row.rule, t) != t && result_of(row.rule, t) != dtype::bool_) continue;
            b.store(b.op(name, std::vector<int>(loads, loads + arity)), {{i, 1}});
        }
        b.store(b.op("equal", {b.op("maximum", {loads[0], loads[1]}), loads[2]}), {{i, 1}});
        check(b.k, 2);
    }
}

TEST(fused_loops, conversions_between_all_dtypes) {
    const std::vector<dtype> all = {
        dtype::bool_,    dtype::int8,    dtype::int16,   dtype::int32,       dtype::int64,       dtype::uint8,
        dtype::uint16,   dtype::uint32,  dtype::uint64,  dtype::float8_e4m3, dtype::float8_e5m2, dtype::float16,
        dtype::bfloat16, dtype::float32, dtype::float64, dtype::complex64,   dtype::complex128};
    for (const dtype from : all) {
        if (from == dtype::float16) continue;  // leave_conversions_of_float16
        kernel_builder b;
        const int i = b.outer(800);
        const int x = b.load(b.input(from), {{i, 1}});
        for (const dtype to : all)
            if (to != from) b.store(b.cast(to, x), {{i, 1}});
        check(b.k, 3);
    }
}

TEST(fused_loops, short_rows_and_channels) {
    for (const std::int64_t channels : {1, 2, 3, 4, 5, 8, 9})
        for (const bool joined : {false, true}) {
            kernel_builder b;
            const int i = b.outer(500), j = b.outer(7), c = b.outer(channels);
            const std::int64_t row = joined ? channels : channels + 1;
            const int x = b.load(b.input(dtype::uint8), {{i, 7 * row}, {j, row}, {c, 1}});
            const int mean = b.load(b.input(dtype::float32), {{c, 1}}),
                      of_row = b.load(b.input(dtype::float32), {{i, 1}});
            const int f = b.op("subtract", {b.cast(dtype::float32, x), mean});
            b.store(b.op("multiply", {f, of_row}), {{i, 7 * channels}, {j, channels}, {c, 1}});
            check(b.k, 4);
        }
}

TEST(fused_loops, functions_of_the_library_in_between) {
    for (const dtype t : {dtype::float32, dtype::float64}) {
        kernel_builder b;
        const int i = b.outer(3), j = b.outer(4097);
        const int x = b.load(b.input(t), {{i, 4097}, {j, 1}}), y = b.load(b.input(t), {{j, 1}});
        const int inside = b.op("add", {b.op("multiply", {x, y}), y});
        const int power = b.op("exp", {b.op("negative", {b.op("abs", {inside})})});
        const int under = b.op("sqrt", {b.op("add", {power, power})});
        b.store(b.op("multiply", {b.op("sin", {under}), b.op("subtract", {under, x})}), {{i, 4097}, {j, 1}});
        b.store(b.op("add", {power, b.op("multiply", {inside, power})}), {{j, 3}, {i, 1}});
        check(b.k, 5);
    }
}

TEST(fused_loops, reductions_of_rows_and_columns) {
    for (const bool columns : {false, true})
        for (const auto& [outer, inner] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                 {300, 3}, {1000, 1}, {40, 700}, {3, 30000}, {700, 40}, {1, 200000}, {5, 9}}) {
            kernel_builder b;
            const int o = b.outer(outer), first = b.loop({inner}), second = b.loop({inner});
            const auto at = [&](int l) {
                return columns ? strides{{b.inner(l), outer}, {o, 1}} : strides{{o, inner}, {b.inner(l), 1}};
            };
            const int in = b.input(dtype::float32), weights = b.input(dtype::float64);
            const int group = b.load(b.input(dtype::float32), {{o, 1}});
            const auto difference = [&](int l) {
                return b.op("square", {b.op("subtract", {b.load(in, at(l), l), group}, l)}, l);
            };
            const int weight = b.load(weights, {{b.inner(first), 1}}, first);
            const int weighed = b.op("multiply", {b.cast(dtype::float64, difference(first), first), weight}, first);
            const int sum = b.reduce("sum", weighed, first), most = b.reduce("max", difference(first), first);
            const int scale = b.op("reciprocal", {b.op("add", {b.cast(dtype::float32, sum), most})});
            b.store(b.op("add", {b.op("multiply", {difference(second), scale}, second), group}, second), at(second),
                    second);
            b.store(b.op("add", {b.op("multiply", {scale, most}), group}), {{o, 1}});
            check(b.k, 6);
        }
}

/// Windows and channels: few elements per group, folded at once, also where groups are neighbours.
TEST(fused_loops, folds_of_few_elements) {
    for (const auto& extents : std::vector<std::vector<std::int64_t>>{{3}, {2, 2}, {3, 3}, {1}, {9}, {2, 5}})
        for (const dtype t : {dtype::float32, dtype::int64, dtype::float64}) {
            kernel_builder b;
            const int i = b.outer(70), j = b.outer(53), l = b.loop(extents);
            strides at = {{i, 400}, {j, 7}};
            for (std::size_t a = 0; a < extents.size(); ++a)
                at.push_back({b.inner(l, static_cast<int>(a)), a + 1 < extents.size() ? 371 : 1});
            const int x = b.load(b.input(t), at, l), y = b.load(b.input(t), {{b.inner(l), 1}, {j, 9}}, l);
            const int group = b.load(b.input(t), {{j, 1}});
            const int z = b.op("add", {b.op("multiply", {x, y}, l), group}, l);
            const int sum = b.reduce("sum", z, l), most = b.reduce("max", x, l), product = b.reduce("prod", y, l);
            b.store(b.op("add", {b.op("multiply", {sum, most}), product}), {{i, 53}, {j, 1}});
            check(b.k, 14);
        }
}

TEST(fused_loops, several_inner_axes) {
    kernel_builder b;
    const int i = b.outer(11), l = b.loop({5, 6, 35}), m = b.loop({6, 3});
    const int x = b.load(b.input(dtype::float32),
                         {{b.inner(l, 0), 11 * 35}, {i, 35}, {b.inner(l, 2), 1}, {b.inner(l, 1), 11 * 35 * 5}}, l);
    const int y = b.load(b.input(dtype::float32), {{b.inner(l, 1), 1}}, l);
    const int sum = b.reduce("sum", b.op("add", {b.op("multiply", {x, y}, l), y}, l), l);
    const int z = b.load(b.input(dtype::float32), {{i, 1}, {b.inner(m, 0), 33}, {b.inner(m, 1), 11}}, m);
    b.store(b.op("multiply", {b.op("subtract", {z, sum}, m), sum}, m),
            {{i, 18}, {b.inner(m, 1), 6}, {b.inner(m, 0), 1}}, m);
    check(b.k, 7);
}

TEST(fused_loops, scans) {
    for (const bool backwards : {false, true}) {
        kernel_builder b;
        const int i = b.outer(20), l = b.loop({333});
        b.k.loops[0].backwards = backwards;
        const int x = b.load(b.input(dtype::float32), {{i, 333}, {b.inner(l), 1}}, l);
        const int y = b.op("add", {b.op("multiply", {x, x}, l), x}, l);
        const int run = b.scan("sum", y, l);
        b.store(b.op("subtract", {b.op("multiply", {run, x}, l), y}, l), {{i, 333}, {b.inner(l), 1}}, l);
        check(b.k, 8);
    }
}

/// float16 is widened and rounded by the library's loops, for which processors have instructions.
TEST(fused_loops, leave_conversions_of_float16) {
    kernel_builder b;
    const int i = b.outer(3000), half = b.load(b.input(dtype::float16), {{i, 1}});
    const int x = b.cast(dtype::float32, half), y = b.load(b.input(dtype::float32), {{i, 1}});
    b.store(b.op("multiply", {b.op("add", {x, y}), y}), {{i, 1}});
    const auto fused = blocked::make_fused_plan(b.k, instruction_set::baseline);
    ASSERT_TRUE(fused);
    EXPECT_EQ(fused->source.find("= float16_value("), std::string::npos);
    check(b.k, 11);
}

/// Loads at places that indices in memory give: one for each element, and one for each row.
TEST(fused_loops, gathers) {
    const auto indices = [](std::size_t n) {
        memory bytes(n * 8);
        for (std::size_t i = 0; i < n; ++i) {
            const auto place = static_cast<std::int64_t>(i * 7919 % 900);
            std::memcpy(bytes.data() + 8 * i, &place, 8);
        }
        return bytes;
    };
    kernel_builder b;
    const int i = b.outer(3000);
    const int where = b.load(b.input(dtype::int64), {{i, 1}}), table = b.input(dtype::float32);
    const int found = b.load(table, {});
    b.k.values[static_cast<std::size_t>(found)].in[0] = where;
    b.k.values[static_cast<std::size_t>(found)].varies = 1u << i;
    const int y = b.load(b.input(dtype::float32), {{i, 1}});
    b.store(b.op("multiply", {b.op("add", {found, y}), y}), {{i, 1}});
    const std::vector<memory> of_elements = {indices(3000), {}, {}};
    check(b.k, 9, nullptr, -1, &of_elements);

    kernel_builder rows;
    const int r = rows.outer(50), l = rows.loop({37});
    const int row = rows.load(rows.input(dtype::int64), {{r, 1}}), in = rows.input(dtype::float32);
    const int element = rows.load(in, {{rows.inner(l), 1}}, l);
    rows.k.values[static_cast<std::size_t>(element)].in[0] = row;
    rows.k.values[static_cast<std::size_t>(element)].varies |= 1u << r;
    const int z = rows.load(rows.input(dtype::float32), {{r, 37}, {rows.inner(l), 1}}, l);
    rows.store(rows.reduce("sum", rows.op("multiply", {rows.op("subtract", {element, z}, l), z}, l), l), {{r, 1}});
    const std::vector<memory> of_rows = {indices(50), {}, {}};
    check(rows.k, 10, nullptr, -1, &of_rows);
}

TEST(fused_loops, indices) {
    kernel_builder b;
    const int i = b.outer(40), j = b.outer(90);
    value v;
    v.what = value_kind::index;
    v.type = dtype::int64;
    v.varies = 1u << i | 1u << j;
    const int x = b.load(b.input(dtype::int64), {{i, 90}, {j, 1}});
    v.at = b.k.values[static_cast<std::size_t>(x)].at;
    b.k.values.push_back(v);
    const int place = static_cast<int>(b.k.values.size()) - 1;
    const int masked = b.op("where", {b.op("less", {place, b.constant<std::int64_t>(1234)}), x, place});
    b.store(b.op("remainder", {masked, b.constant<std::int64_t>(17)}), {{j, 40}, {i, 1}});
    check(b.k, 11);
}

TEST(fused_loops, in_place) {
    kernel_builder b;
    const int i = b.outer(900), j = b.outer(3);
    const int x = b.load(b.input(dtype::float32, true), dense(b, {i, j})),
              y = b.load(b.input(dtype::float32), {{j, 1}});
    const int sum = b.op("add", {b.op("multiply", {x, y}), x});
    b.store(sum, dense(b, {i, j}));
    check(b.k, 12, nullptr, 0);
    b.k.stores.clear(), b.k.outputs.clear();
    b.store(b.op("subtract", {b.op("multiply", {b.op("exp", {sum}), x}), x}), dense(b, {i, j}));
    b.store(b.op("multiply", {b.op("add", {x, y}), x}), dense(b, {i, j}));
    check(b.k, 12, nullptr, 0);
}

/// Joined parts become regions, each with loops of its own.
TEST(fused_loops, regions) {
    kernel_builder b;
    const int i = b.outer(30), j = b.outer(100);
    value v;
    v.what = value_kind::index;
    v.type = dtype::int64;
    v.varies = 1u << j;
    const int left = b.load(b.input(dtype::float32), {{i, 100}, {j, 1}});
    const int along = b.load(b.input(dtype::float32), {{j, 1}});
    v.at = b.k.values[static_cast<std::size_t>(along)].at;
    b.k.values.push_back(v);
    const int place = static_cast<int>(b.k.values.size()) - 1;
    const int right = b.load(b.input(dtype::float32), {{i, 100}, {j, 1}});
    const int part = b.op("where", {b.op("less", {place, b.constant<std::int64_t>(41)}), left, right});
    b.store(b.op("add", {b.op("multiply", {part, along}), part}), {{i, 100}, {j, 1}});
    EXPECT_EQ(blocked::make_plan(b.k, instruction_set::baseline).regions.size(), 2u);
    check(b.k, 13);
}

TEST(fused_loops, one_operation_is_left_to_the_loops_of_the_library) {
    kernel_builder b;
    const int i = b.outer(1000);
    b.store(b.op("add", {b.load(b.input(dtype::float32), {{i, 1}}), b.load(b.input(dtype::float32), {{i, 1}})}),
            {{i, 1}});
    EXPECT_FALSE(blocked::make_fused_plan(b.k, instruction_set::baseline));
}

TEST(fused_loops, shapes_of_one_class_have_one_source) {
    const auto source = [](std::int64_t rows, std::int64_t columns) {
        kernel_builder b;
        const int i = b.outer(rows), j = b.outer(columns);
        const int x = b.load(b.input(dtype::float32), {{i, columns}, {j, 1}}),
                  y = b.load(b.input(dtype::float32), {{j, 1}});
        b.store(b.op("multiply", {b.op("add", {x, y}), y}), {{i, columns}, {j, 1}});
        return blocked::make_fused_plan(b.k, instruction_set::baseline)->source;
    };
    EXPECT_EQ(source(100, 300), source(77, 5000));
    EXPECT_NE(source(100, 300), source(100, 3));
}

}  // namespace
}  // namespace sinter::codegen::testing
