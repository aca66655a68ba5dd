// The generated text: kept examples that people read, and what it may and may not depend on. SINTER_UPDATE_GOLDEN=1
// rewrites tests/codegen/golden.
#include <codegen/cuda/literal.hpp>
#include <codegen/cuda/source.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/lower/launch_value.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <regex>
#include <sstream>

namespace sinter::codegen {
namespace {

using testing::kernel_builder;
using testing::sample;

schedule chosen(const loop_nest& k) { return choose_schedule(k, device_properties{}, std::vector<int>(8, 16)); }

std::string golden_path(const sample& s) { return std::string(SINTER_TEST_DIR) + "/codegen/golden/" + s.name + ".cu"; }

TEST(Render, TextsAreAsKept) {
    for (const sample& s : testing::samples()) {
        const std::string text = print_kernel(s.small, chosen(s.small), s.heading).text;
        if (std::getenv("SINTER_UPDATE_GOLDEN") != nullptr) std::ofstream(golden_path(s)) << text;
        std::stringstream kept;
        kept << std::ifstream(golden_path(s)).rdbuf();
        EXPECT_EQ(text, kept.str()) << golden_path(s) << " differs; SINTER_UPDATE_GOLDEN=1 rewrites it";
    }
}

TEST(Render, LinesAreNotTooLong) {
    for (const sample& s : testing::samples()) {
        std::istringstream text(print_kernel(s.small, chosen(s.small), s.heading).text);
        for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 120u) << line;
    }
}

TEST(Render, HeadingsCallParametersByTheirNames) {
    for (const sample& s : testing::samples()) {
        const std::string heading = expression_text(s.small);
        const std::string text = print_kernel(s.small, chosen(s.small), "").text;
        const std::regex name("\\b[a-z][0-9]+\\b");
        std::sregex_iterator it(heading.begin(), heading.end(), name);
        EXPECT_NE(it, std::sregex_iterator()) << heading;
        for (; it != std::sregex_iterator(); ++it)
            EXPECT_TRUE(std::regex_search(text, std::regex(" " + it->str() + "[,)]")))
                << it->str() << " of " << heading;
    }
}

TEST(Render, OneClassHasOneKeyAndOneText) {
    for (const sample& s : testing::samples()) {
        SCOPED_TRACE(s.name);
        const schedule small = chosen(s.small), large = chosen(s.large);
        EXPECT_EQ(class_key(s.small, small), class_key(s.large, large));
        EXPECT_EQ(print_kernel(s.small, small, s.heading).text, print_kernel(s.large, large, s.heading).text);
    }
}

TEST(Render, DifferentClassesHaveDifferentKeys) {
    std::vector<std::string> keys;
    for (const sample& s : testing::samples()) keys.push_back(class_key(s.small, chosen(s.small)));
    const schedule base = chosen(testing::norm_of_rows(100000, 1000));
    for (int change = 0; change < 8; ++change) {
        schedule s = base;
        if (change == 0) s.wide_index = true;
        if (change == 1) s.unroll *= 2;
        if (change == 2) s.vector_width = 1;
        if (change == 3) s.blocks_per_output = 5;
        if (change == 4) s.block_threads *= 2;
        if (change == 5) s.threads_per_output *= 2;
        if (change == 7) s.cluster = 4;
        if (change == 6) s.grid_barrier = true, s.blocks_per_output = 5, s.blocks_per_multiprocessor = 4;
        keys.push_back(class_key(testing::norm_of_rows(100000, 1000), s));
    }
    loop_nest in_place = testing::exp_of(1 << 25);
    in_place.inputs[0].may_alias_output = true;
    keys.push_back(class_key(in_place, chosen(in_place)));
    // some samples are one kernel with two schedules; no two others are alike
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
}

// As bytes they would be unpacked before the next load leaves, into a register each.
TEST(Render, LoadedBytesStayInWords) {
    kernel_builder b;
    const int r = b.outer(100000), l = b.loop({1024});
    const int in = b.input(dtype::int8);
    b.store(b.reduce("max", b.load(in, {{r, 1024}, {b.inner(l), 1}}, l), l), {{r, 1}});
    const std::string text = print_kernel(b.k, chosen(b.k), "").text;
    EXPECT_NE(text.find("int8_words_x16 x0_at["), std::string::npos) << text;
    EXPECT_NE(text.find("x0_at[u].get(e)"), std::string::npos) << text;
    EXPECT_EQ(text.find("int8_x16"), std::string::npos) << text;
}

// NVRTC extends the sign of what a kernel does not write by an instruction of its own.
TEST(Render, SignedBytesAreExtendedByTheirAccess) {
    const auto text = [](dtype type, bool reduces) {
        kernel_builder b;
        const int r = b.outer(100000), l = b.loop({1021});  // rows of single accesses
        const int x = b.load(b.input(type), {{r, 1021}, {b.inner(l), 1}}, l);
        if (reduces)
            b.store(b.reduce("max", x, l), {{r, 1}});
        else
            b.store(x, {{r, 1021}, {b.inner(l), 1}}, l);
        return print_kernel(b.k, choose_schedule(b.k, device_properties{}, {1, 1}), "").text;
    };
    EXPECT_NE(text(dtype::int8, true).find("const int8* x0"), std::string::npos);
    EXPECT_NE(text(dtype::uint8, true).find("const uint8* __restrict__ x0"), std::string::npos);
    EXPECT_NE(text(dtype::int8, false).find("const int8* __restrict__ x0"), std::string::npos);
}

// A key must change whenever the text does: strides of 0 and 1 and layouts that agree are part of the class.
TEST(Render, StridesOfZeroAndOneAreInTheKey) {
    std::vector<loop_nest> kernels;
    for (const auto& [sx, sy] : {std::pair<int, int>{1, 1}, {1, 3}, {3, 3}, {1, 0}, {3, 4}}) {
        kernel_builder b;
        const int i = b.outer(5000);
        const int x = b.load(b.input(dtype::float32), {{i, sx}});
        const int y = b.load(b.input(dtype::float32), {{i, sy}});
        b.store(b.op("add", {x, y}), {{i, 1}});
        kernels.push_back(b.k);
    }
    for (std::size_t i = 0; i < kernels.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool same_text =
                print_kernel(kernels[i], schedule{}, "").text == print_kernel(kernels[j], schedule{}, "").text;
            const bool same_key = class_key(kernels[i], schedule{}) == class_key(kernels[j], schedule{});
            EXPECT_FALSE(same_key && !same_text) << i << " and " << j;
            EXPECT_FALSE(same_text) << i << " and " << j;
        }
}

TEST(Render, ConstantsAreWrittenExactly) {
    const auto bits = [](auto v) {
        std::uint64_t b = 0;
        std::memcpy(&b, &v, sizeof v);
        return b;
    };
    EXPECT_EQ(literal(dtype::float32, bits(0.1f)), "0.1f");
    EXPECT_EQ(literal(dtype::float32, bits(-2.0f)), "(-2.0f)");
    EXPECT_EQ(literal(dtype::float32, bits(1e30f)), "1e+30f");
    EXPECT_EQ(literal(dtype::float64, bits(0.1)), "0.1");
    EXPECT_EQ(literal(dtype::float64, bits(-0.0)), "(-0.0)");
    EXPECT_EQ(literal(dtype::float64, bits(1.0 / 3)), "0.3333333333333333");
    EXPECT_EQ(literal(dtype::float64, bits(5e-324)), "5e-324");
    EXPECT_EQ(literal(dtype::float32, bits(-std::numeric_limits<float>::infinity())),
              "(-__int_as_float(0x7f800000 /* infinity */))");
    EXPECT_EQ(literal(dtype::float64, bits(std::numeric_limits<double>::infinity())),
              "__longlong_as_double(0x7ff0000000000000LL /* infinity */)");
    EXPECT_EQ(literal(dtype::float32, 0x7fc00000u), "__int_as_float(2143289344 /* nan */)");
    EXPECT_EQ(literal(dtype::int32, bits(std::numeric_limits<int>::min())), "(-2147483647 - 1)");
    EXPECT_EQ(literal(dtype::int64, bits(std::int64_t{-7})), "(-7LL)");
    EXPECT_EQ(literal(dtype::int64, bits(std::numeric_limits<std::int64_t>::min())), "(-9223372036854775807LL - 1)");
    EXPECT_EQ(literal(dtype::uint64, ~std::uint64_t{0}), "18446744073709551615ULL");
    EXPECT_EQ(literal(dtype::int8, 0xff), "(-1)");
    EXPECT_EQ(literal(dtype::bool_, 1), "true");
}

TEST(Render, OperandsTakeThePlacesOfLetters) {
    EXPECT_EQ(substitute("x > T(0) ? x : T(0) - x", {"x0", "", ""}, "int64"), "x0 > int64(0) ? x0 : int64(0) - x0");
    EXPECT_EQ(substitute("exp(x) + exp2(y) * xyz_z + T2", {"a", "b", "c"}, "float"), "exp(a) + exp2(b) * xyz_z + T2");
}

// A name made of the user's op could meet another; a row of any name must not change what names mean.
TEST(Render, TwoLoadsOfOneInputHaveTwoNames) {
    kernel_builder b;
    const int i = b.outer(100), j = b.outer(100);
    const int in = b.input(dtype::float32);
    const int sum = b.op("add", {b.load(in, {{i, 100}, {j, 1}}), b.load(in, {{i, 1}, {j, 100}})});
    b.store(sum, {{i, 100}, {j, 1}});
    const std::string text = print_kernel(b.k, chosen(b.k), "x0 + transpose(x0)").text;
    EXPECT_NE(text.find("const float x0, const float x0_b"), std::string::npos) << text;
    EXPECT_NE(text.find("= x0 + x0_b;"), std::string::npos) << text;
}

TEST(Render, AHeadingOfSeveralLinesStaysAComment) {
    const loop_nest k = testing::exp_of(100);
    const std::string heading = "first\nsecond ends in a backslash \\\n" + std::string(300, 'x');
    std::istringstream text(print_kernel(k, schedule{}, heading).text);
    for (std::string line; std::getline(text, line) && line.rfind("struct", 0) != 0 && !line.empty();) {
        EXPECT_EQ(line.rfind("//", 0), 0u) << line;
        EXPECT_NE(line.back(), '\\') << line;
    }
}

// What the launch passes must divide every position exactly, to the last one that a kernel may have.
TEST(Render, MultipliersDivideExactly) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 20000; ++round) {
        const bool is_wide = round % 2 == 1;
        const int bits = is_wide ? 63 : 31;
        const std::uint64_t last = (std::uint64_t{1} << bits) - 1;
        loop_nest k;
        const std::uint64_t d =
            round < 40 ? 1 + static_cast<std::uint64_t>(round / 2)
                       : std::max<std::uint64_t>(random() >> (64 - bits + random() % static_cast<unsigned>(bits)), 1);
        k.extents = {static_cast<std::int64_t>(d)};
        schedule s;
        s.wide_index = is_wide;
        const auto multiplier = static_cast<std::uint64_t>(launch_value(k, s, {parameter::kind::multiplier, 0, 0}));
        const auto shift = static_cast<int>(launch_value(k, s, {parameter::kind::shift, 0, 0}));
        const auto quotient = [&](std::uint64_t i) {
            __extension__ using product = unsigned __int128;
            if (is_wide) return (static_cast<std::uint64_t>(product(i) * multiplier >> 64) + i) >> shift;
            return std::uint64_t{(static_cast<std::uint32_t>(i * multiplier >> 32) + static_cast<std::uint32_t>(i)) >>
                                 shift};
        };
        const std::uint64_t multiple = last / d * d, any = random() & last;
        for (std::uint64_t i :
             {std::uint64_t{0}, d - 1, d, last, multiple, multiple - 1, any, any / d * d, any / d * d + d - 1})
            if (i <= last) {
                ASSERT_EQ(quotient(i), i / d) << i << " / " << d;
            }
    }
}

}  // namespace
}  // namespace sinter::codegen
