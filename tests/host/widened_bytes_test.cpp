// Compiled loops that widen bytes give the bits that the library's own loops give.
#include <codegen/host/plan.hpp>
#include <codegen/kernel_builder.hpp>
#include <host/compare_loops.hpp>
#include <runtime/host/instruction_set.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace sinter::codegen::testing {
namespace {

// Bytes that are only converted are widened in strips (fused_loop_text.cpp): rows of any length, from any address, to
// numbers of each width, and bytes that something else reads, too.
TEST(widened_bytes, in_strips_and_beyond) {
    for (const dtype from : {dtype::int8, dtype::uint8})
        for (const dtype to : {dtype::int16, dtype::int32, dtype::float32, dtype::float64})
            for (const std::int64_t n : {31, 131}) {
                kernel_builder b;
                const int i = b.outer(7), j = b.outer(n), in = b.input(from);
                const int x = b.load(in, {{i, n + 3}, {j, 1}}), y = b.load(in, {{i, n + 1}, {j, 1}});
                const int z = b.load(b.input(from), {{i, n}, {j, 1}}), across = b.load(in, {{i, 1}, {j, 7}});
                const auto wide = [&](int v) { return b.cast(to, v); };
                const int sum = b.op("subtract", {b.op("multiply", {wide(x), wide(y)}), wide(across)});
                b.store(b.cast(from, b.op("add", {sum, wide(z)})), {{i, n}, {j, 1}});
                b.store(b.op("where", {b.op("less", {z, x}), z, x}), {{i, n}, {j, 1}});
                check(b.k, 4);
                kernel_builder plain;
                const int r = plain.outer(7), c = plain.outer(n);
                const int one = plain.load(plain.input(from), {{r, n + 3}, {c, 1}});
                const int other = plain.load(plain.input(from), {{r, n}, {c, 1}});
                const int product = plain.op("multiply", {plain.cast(to, one), plain.cast(to, other)});
                plain.store(plain.cast(from, plain.op("add", {product, plain.cast(to, one)})), {{r, n}, {c, 1}});
                check(plain.k, 5);
            }
}

// Channels of pixels, which are read whole: of arrays that end with the last byte that is read.
TEST(widened_bytes, of_channels) {
    for (const dtype from : {dtype::int8, dtype::uint8})
        for (const std::int64_t channels : {2, 3})
            for (const std::int64_t n : {33, 1001}) {
                kernel_builder b;
                const int i = b.outer(n), c = b.outer(channels);
                const int x = b.load(b.input(from), {{i, 4}, {c, 1}}), weight = b.load(b.input(from), {{i, 3}});
                const int y = b.load(b.input(from), {{i, channels}, {c, 1}});
                const auto real = [&](int v) { return b.cast(dtype::float32, v); };
                const int product = b.op("multiply", {real(x), real(weight)});
                b.store(b.cast(from, b.op("subtract", {product, real(y)})), {{i, channels}, {c, 1}});
                check(b.k, 6);
            }
}

TEST(widened_bytes, are_those_that_are_only_converted) {
    for (const bool compared : {false, true}) {
        kernel_builder b;
        const int i = b.outer(1000), x = b.load(b.input(dtype::uint8), {{i, 1}});
        const int sum = b.op("add", {b.cast(dtype::int32, x), b.cast(dtype::int32, x)});
        b.store(sum, {{i, 1}});
        if (compared) b.store(b.op("equal", {x, x}), {{i, 1}});
        const auto fused = blocked::make_fused_plan(b.k, host_instruction_set());
        ASSERT_TRUE(fused);
        EXPECT_EQ(fused->source.find("widen_strip(w0") != std::string::npos, !compared);
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
