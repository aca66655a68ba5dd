// Which integers of a kernel have 32 bits, and what they come to.
#include <codegen/driver/pipeline.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace sinter::codegen {
namespace {

class Narrow : public testing::Test {
protected:
    device_scope on_host_{host()};
    array<float, 1> x_ = {3, 1, 2, 1};
    array<std::int64_t, 1> places_ = {3, 0, 2, 1};
};

template <class Tree>
loop_nest kernel_of(const expr<Tree>& e) {
    const std::vector<loop_nest> all = make_kernels(sinter::detail::program_of<Tree>, e.arguments());
    EXPECT_EQ(all.size(), 1u);
    return all.front();
}

int count(const loop_nest& k, dtype type) {
    int n = 0;
    for (const value& v : k.values) n += v.type == type;
    return n;
}

TEST_F(Narrow, KeysAndIndicesOfAnArgminArePackedIntoOneInteger) {
    for (const loop_nest& k :
         {kernel_of(argmin(x_)), kernel_of(argmax(x_ > 1.f)), kernel_of(argmax(x_(range(1, end))))}) {
        EXPECT_EQ(count(k, dtype::keyed_index), 0);
        EXPECT_EQ(count(k, dtype::uint64), 2);
        EXPECT_EQ(count(k, dtype::int32), 1);
        EXPECT_EQ(count(k, dtype::int64), 1);  // what is stored
        EXPECT_STREQ(k.values.at(k.loops.at(0).reductions.at(0)).op->name, "max");
    }
}

TEST_F(Narrow, KeysOf64BitsAndIndicesBehindTheGreatestInt32AreNotPacked) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const array<float, 1> one = {1};
    EXPECT_EQ(count(kernel_of(argmin(broadcast_to(one, {most}))), dtype::keyed_index), 0);
    EXPECT_EQ(count(kernel_of(argmin(broadcast_to(one, {most + 1}))), dtype::keyed_index), 2);
    EXPECT_EQ(count(kernel_of(argmin(places_)), dtype::keyed_index), 2);
    EXPECT_EQ(count(kernel_of(argmin(places_)), dtype::int32), 0);
    const loop_nest both = kernel_of(argmax(x_) + argmax(astype<double>(x_)));
    EXPECT_EQ(count(both, dtype::keyed_index), 2);
    EXPECT_EQ(count(both, dtype::uint64), 2);
}

TEST_F(Narrow, SumsAndProductsOfPlacesKeep64BitsWhereTheyNeedThem) {
    const auto i = arange(std::int64_t{100000});
    EXPECT_GT(count(kernel_of(max(i + i)), dtype::int32), 1);
    EXPECT_EQ(count(kernel_of(max(i * i)), dtype::int32), 0);
    EXPECT_EQ(count(kernel_of(max(i + std::int64_t{1})), dtype::int32), 0);  // a program's scalar is any number
}

TEST_F(Narrow, DifferencesOfPlacesGoAsFarBelowZeroAsAbove) {
    const auto i = arange(std::int64_t{1'500'000'000});
    const auto type_of_max = [](const auto& e) {
        const loop_nest k = kernel_of(max(e));
        return k.values[k.loops.at(0).reductions.at(0)].type;
    };
    EXPECT_EQ(type_of_max(flip(i, axis=0) - i), dtype::int32);
    EXPECT_EQ(type_of_max(flip(i, axis=0) - i - i), dtype::int64);
    EXPECT_EQ(type_of_max(i - (flip(i, axis=0) - i)), dtype::int64);
}

TEST_F(Narrow, IndicesWithinAnOperandHave32Bits) {
    const auto computed_with_64_bits = [](const loop_nest& k) {
        int n = 0;
        for (const value& v : k.values) n += v.what == value_kind::elementwise && v.type == dtype::int64;
        return n;
    };
    const loop_nest joined = kernel_of(concat(x_, x_ * 2.f));
    EXPECT_GT(count(joined, dtype::int32), 1);
    EXPECT_EQ(computed_with_64_bits(joined), 0);
    const array<float, 1> one = {1};
    const std::int64_t most = std::numeric_limits<std::int32_t>::max();
    EXPECT_GT(computed_with_64_bits(kernel_of(concat(broadcast_to(one, {most}), x_))), 0);
}

TEST_F(Narrow, IndicesOfRollsHave32BitsAsTheArraysTheyRead) {
    const auto computed_with_64_bits = [](const loop_nest& k) {
        int n = 0;
        for (const value& v : k.values) n += v.what == value_kind::elementwise && v.type == dtype::int64;
        return n;
    };
    const array<float, 2> x = {{3, 1}, {2, 1}};
    EXPECT_EQ(computed_with_64_bits(kernel_of(roll(x, 1, axis=1) + x)), 0);
    EXPECT_EQ(computed_with_64_bits(kernel_of(roll(roll(x, 1, axis=0), -1, axis=1) * 2.f)), 0);
    // the extent of what is rolled is known to the arrays that are joined in it, but not to the kernel
    EXPECT_GT(computed_with_64_bits(kernel_of(roll(concat(x_, x_ * 2.f), 1, axis=0))), 0);
}

TEST_F(Narrow, SumsOfSmallIntegersHave32BitsAsLongAsTheyFit) {
    const auto type_of_sum = [](const auto& e) {
        const loop_nest k = kernel_of(e);
        return k.values[k.loops.at(0).reductions.at(0)].type;
    };
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const array<std::int8_t, 1> small = {-128};
    const array<std::uint8_t, 1> bytes = {255};
    const array<bool, 1> is = {true};
    EXPECT_EQ(type_of_sum(sum(broadcast_to(small, {most / 128}))), dtype::int32);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(small, {most / 128 + 1}))), dtype::int64);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(bytes, {most / 255}))), dtype::int32);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(bytes, {most / 255 + 1}))), dtype::uint64);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(is, {most - 1}))), dtype::int32);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(is, {most}))), dtype::int64);
    EXPECT_EQ(type_of_sum(sum(square(broadcast_to(astype<int>(small), {1000})))), dtype::int64);  // a function's range
    const auto product = astype<int>(small) * astype<int>(small);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(product, {1000}))), dtype::int32);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(product * product, {10}))), dtype::int64);
    EXPECT_EQ(type_of_sum(sum(broadcast_to(astype<int>(x_), {10, 4}))), dtype::int64);  // any number
    EXPECT_EQ(type_of_sum(prod(broadcast_to(small, {2}))), dtype::int64);
}

TEST_F(Narrow, WhatHasWrappedAroundIsAnywhere) {
    const array<std::uint8_t, 1> a = {255, 200}, b = {1, 100};
    EXPECT_EQ(item(sum(a + b)), 44u);
    EXPECT_EQ(item(sum(b - a)), 2u + 156u);
    EXPECT_EQ(item(sum(astype<std::uint32_t>(b) - astype<std::uint32_t>(a))), 2 * (std::uint64_t{1} << 32) - 354);
    EXPECT_EQ(item(sum(astype<int>(b) - astype<int>(a))), -354);
}

TEST_F(Narrow, ArraysAndWhatIsComputedOfThemKeep64Bits) {
    EXPECT_EQ(count(kernel_of(max(places_ + places_)), dtype::int32), 0);
}

TEST_F(Narrow, ComputedPlacesAreReadWith64Bits) {
    const array<float, 2> m = {{1, 2, 3}, {4, 5, 6}};
    const loop_nest k = kernel_of(reshape(transpose(m), {2, 3}));
    EXPECT_GT(count(k, dtype::int32), 1);  // row and column are worked out in 32
    int displaced = 0;
    for (const value& v : k.values) {
        if (v.what != value_kind::load || v.in[0] < 0) continue;
        EXPECT_EQ(k.values[v.in[0]].type, dtype::int64);
        ++displaced;
    }
    EXPECT_EQ(displaced, 1);
    const array<float, 2> expected = {{1, 4, 2}, {5, 3, 6}};
    EXPECT_TRUE(item(all(reshape(transpose(m), {2, 3}) == expected)));
}

TEST_F(Narrow, WhatIsReadOfKnownMemoryIsReadWith32Bits) {
    const auto displacements = [](const auto& e, std::int64_t span) {
        loop_nest k = kernel_of(e);
        narrow_index_types(k, std::vector<std::int64_t>(k.inputs.size(), span));
        std::vector<dtype> types;
        for (const value& v : k.values)
            if (v.what == value_kind::load && v.in[0] >= 0) types.push_back(k.values[v.in[0]].type);
        return types;
    };
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto square = wrap(reinterpret_cast<std::int8_t*>(4096), {40000, 40000});  // unbacked: only compiled
    const auto down = roll(square, 1, axis=0) + square, along = roll(square, 1, axis=1) + square;
    EXPECT_THAT(displacements(down, 40000 * 40000), testing::ElementsAre(dtype::int32));
    EXPECT_THAT(displacements(down, 0), testing::ElementsAre(dtype::int64));  // unknown
    EXPECT_THAT(displacements(along, 40000 * 40000), testing::ElementsAre(dtype::int32));
    EXPECT_THAT(displacements(along, most), testing::ElementsAre(dtype::int64));  // the rest of the index is far off
}

TEST_F(Narrow, WhatACastCutsOffIsCutOff) {
    const auto bytes = astype<std::int64_t>(astype<std::int8_t>(arange(200)));
    const array<std::int64_t, 1> r = bytes;
    EXPECT_EQ(item(r(127)), 127);
    EXPECT_EQ(item(r(128)), -128);
    EXPECT_EQ(item(r(199)), 199 - 256);
    EXPECT_EQ(item(max(bytes)), 127);
}

}  // namespace
}  // namespace sinter::codegen
