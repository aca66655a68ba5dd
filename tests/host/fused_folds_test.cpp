// Folds in loops that are compiled at run time: long rows and columns, in several blocks and in part of one, with more
// folds than one. They must have the bits of the library's folds. Elements are finite: sums show each one that is left
// out, folded twice or in another order.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>
#include <runtime/host/instruction_set.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

using bytes = std::vector<std::byte>;

bytes finite_elements(dtype type, std::int64_t count, std::mt19937& random) {
    bytes all(static_cast<std::size_t>(count) * size_of(type));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        const double x = bits / 4294967296.0 - 0.25;
        const auto f = static_cast<float>(x);
        std::byte* const at = all.data() + static_cast<std::size_t>(i) * size_of(type);
        if (type == dtype::float64)
            std::memcpy(at, &x, sizeof x);
        else if (type == dtype::float32)
            std::memcpy(at, &f, sizeof f);
        else
            std::memcpy(at, &bits, size_of(type));
    }
    return all;
}

/// Three results of each row or column: of products, of sums that are converted, and of what is loaded.
loop_nest nest_of_folds(dtype type, bool columns, std::int64_t outer, std::int64_t inner) {
    kernel_builder b;
    const int o = b.outer(outer), l = b.loop({inner});
    const auto i = b.inner(l);
    const kernel_builder::strides at = {{o, columns ? 1 : inner}, {i, columns ? outer : 1}};
    const int x = b.load(b.input(type), at, l), y = b.load(b.input(type), at, l);
    const int group = b.load(b.input(type), {{o, 1}});
    const int wide = b.cast(dtype::int64, b.op("add", {x, y}, l), l);
    const int product = b.op("subtract", {b.op("multiply", {x, y}, l), group}, l);
    const bool floats = is_floating(type);
    b.store(b.reduce("sum", floats ? product : wide, l), {{o, 1}});
    b.store(b.reduce(floats ? "sum" : "max", floats ? x : wide, l), {{o, 1}});
    b.store(b.reduce("min", product, l), {{o, 1}});
    return b.k;
}

std::vector<bytes> results_of(const loop_nest& k, compiled_loops when, const std::vector<bytes>& inputs,
                              std::int64_t outer) {
    const host_plan plan = plan_on_host(k, when);
    EXPECT_EQ(runs_compiled_loops(*plan), when == compiled_loops::at_once);
    std::vector<bytes> results;
    for (const dtype type : k.outputs) results.emplace_back(static_cast<std::size_t>(outer) * size_of(type));
    std::vector<const void*> from;
    std::vector<void*> to;
    for (const bytes& in : inputs) from.push_back(in.data());
    for (bytes& out : results) to.push_back(out.data());
    evaluate_on_host(*plan, from.data(), to.data(), nullptr);
    return results;
}

TEST(fused_folds, of_long_rows_and_columns) {
    std::mt19937 random(20);
    for (const dtype type : {dtype::float32, dtype::float64, dtype::int32, dtype::uint8})
        for (const bool columns : {false, true})
            for (const std::int64_t inner : {10, 16, 31, 33, 63, 64, 65, 127, 255, 1000, 2047, 2049, 5003}) {
                const std::int64_t outer = inner > 1000 ? 3 : 41;
                const loop_nest k = nest_of_folds(type, columns, outer, inner);
                const std::vector<bytes> inputs = {finite_elements(type, outer * inner, random),
                                                   finite_elements(type, outer * inner, random),
                                                   finite_elements(type, outer, random)};
                EXPECT_EQ(results_of(k, compiled_loops::at_once, inputs, outer),
                          results_of(k, compiled_loops::never, inputs, outer))
                    << name(type) << (columns ? " columns of " : " rows of ") << inner;
            }
}

// The library adds them one after the other, as a fused loop would, but what is added comes from vectors.
TEST(fused_folds, are_of_rows_long_enough_for_lanes) {
    for (const std::int64_t inner : {10, 63, 64, 300}) {
        const auto fused =
            blocked::make_fused_plan(nest_of_folds(dtype::float32, false, 41, inner), host_instruction_set());
        ASSERT_TRUE(fused);
        for (const blocked::fold_step& fold : fused->body.loops[0].folds) EXPECT_EQ(fold.fused, inner >= 64) << inner;
    }
}

// Rows of 7 elements lie too far apart for vectors, without which a choice takes three times an addition.
TEST(fused_folds, of_short_rows_choose_by_vectors) {
    for (const std::int64_t apart : {1, 4, 7})
        for (const bool sums : {false, true}) {
            kernel_builder b;
            const int o = b.outer(1000), l = b.loop({7}), in = b.input(dtype::float32);
            const int x = b.load(in, {{o, apart}, {b.inner(l), 1}}, l);
            b.store(b.reduce(sums ? "sum" : "max", b.op("multiply", {x, x}, l), l), {{o, 1}});
            const auto fused = blocked::make_fused_plan(b.k, host_instruction_set());
            EXPECT_EQ(fused && fused->body.loops[0].folds[0].fused, sums || apart < 7) << apart;
        }
}

// Blocks of columns are single elements, whose start takes as long as 64 columns.
TEST(fused_folds, of_columns_take_a_leaf_at_once) {
    for (const bool columns : {true, false}) {
        const auto fused =
            blocked::make_fused_plan(nest_of_folds(dtype::float32, columns, 41, 1000), host_instruction_set());
        ASSERT_TRUE(fused);
        EXPECT_EQ(fused->body.loops[0].body_at_once, columns);
        EXPECT_EQ(fused->body.loops[0].blocks_at_once, columns ? fused->body.loops[0].leaf_blocks : 1);
    }
}

// Integers are added in 64 bits and their least found in 32: a loop with both has no vectors, and a choice by a mask is
// a branch in it.
// Lanes of a fixed number would keep bytes that are widened from being vectors.
TEST(fused_folds, of_integers_have_no_lanes_of_their_own) {
    for (const bool integers : {true, false}) {
        kernel_builder b;
        const int o = b.outer(20), l = b.loop({1000});
        const int x = b.load(b.input(dtype::int8), {{o, 1000}, {b.inner(l), 1}}, l);
        const int y = b.op("square", {b.cast(integers ? dtype::int64 : dtype::float32, x, l)}, l);
        b.store(b.reduce("sum", y, l), {{o, 1}});
        const auto fused = blocked::make_fused_plan(b.k, host_instruction_set());
        ASSERT_TRUE(fused);
        EXPECT_EQ(fused->source.find("l0[") == std::string::npos, integers);
    }
}

TEST(fused_folds, are_of_as_many_lanes) {
    const auto fused = blocked::make_fused_plan(nest_of_folds(dtype::int32, false, 41, 300), host_instruction_set());
    ASSERT_TRUE(fused);
    for (const blocked::fold_step& fold : fused->body.loops[0].folds) EXPECT_FALSE(fold.fused);
}

}  // namespace
}  // namespace sinter::codegen::testing
