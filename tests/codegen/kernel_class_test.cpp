// The class of a kernel: what decides its source, and nothing else. Members are gone through by reflection, so that one
// that is added later is tested, too.
#include <codegen/cuda/source.hpp>
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/reflection.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace sinter::codegen {
namespace {

/// Another value of a member.
template <class T>
void change(T& member) {
    if constexpr (std::is_same_v<T, bool>) {
        member = !member;
    } else if constexpr (std::is_enum_v<T>) {
        member = static_cast<T>(static_cast<int>(member) + 1);
    } else if constexpr (std::is_integral_v<T>) {
        member = member * 2 + 2;
    } else if constexpr (requires { member.emplace_back(); }) {
        member.emplace_back();
    } else {
        boost::hana::for_each(reflection::fields_of<T>(),
                              [&](const auto& field) { change(boost::hana::second(field)(member)); });
    }
}

TEST(KernelClass, EveryMemberOfAScheduleIsInTheKeyButTheGroupsUnderWay) {
    const loop_nest k = testing::norm_of_rows(100000, 1000);
    const schedule base = choose_schedule(k, device_properties{}, std::vector<int>(8, 16));
    const std::string key = class_key(k, base);
    int members = 0;
    boost::hana::for_each(reflection::fields_of<schedule>(), [&](const auto& field) {
        schedule other = base;
        change(boost::hana::second(field)(other));
        const std::string name = boost::hana::to<char const*>(boost::hana::first(field));
        if (name == "block_groups")
            EXPECT_EQ(class_key(k, other), key);
        else
            EXPECT_NE(class_key(k, other), key) << name;
        ++members;
    });
    EXPECT_EQ(members, 23);
}

TEST(KernelClass, HowManyBlocksShareAGroupIsALaunchValue) {
    const loop_nest k = testing::norm_of_rows(100, 1000000);
    schedule s = choose_schedule(k, device_properties{}, std::vector<int>(8, 16));
    s.blocks_per_output = 2;
    const std::string two = class_key(k, s);
    s.blocks_per_output = 7;
    EXPECT_EQ(class_key(k, s), two);
    s.blocks_per_output = 1;
    EXPECT_NE(class_key(k, s), two);
}

TEST(KernelClass, ForgetsShapesAndTheProgramAndNothingElse) {
    const loop_nest k = testing::axpy_with_row(300, 500);
    const schedule s = choose_schedule(k, device_properties{}, std::vector<int>(8, 16));
    const kernel_class c = class_of(k, s);
    loop_nest other = testing::axpy_with_row(70, 640);
    for (value& v : other.values) v.node += 3;
    for (kernel_input& in : other.inputs) in.leaf += 1;
    EXPECT_EQ(class_of(other, s), c);
    EXPECT_EQ(key_of(class_of(other, s)), key_of(c));
    other.inputs[0].may_alias_output = true;
    EXPECT_NE(class_of(other, s), c);
    EXPECT_NE(key_of(class_of(other, s)), key_of(c));
}

TEST(KernelClass, ARowIsWhatItSaysWhereverItLies) {
    loop_nest k = testing::norm_of_rows(100, 1000);
    const schedule s = choose_schedule(k, device_properties{}, std::vector<int>(8, 16));
    value& folded = k.values[static_cast<std::size_t>(k.loops[0].reductions[0])];
    const op_row row = *folded.op;
    const std::string key = class_key(k, s);
    const auto key_with = [&](const op_row& other) {
        folded.op = &other;
        return class_key(k, s);
    };
    EXPECT_EQ(key_with(row), key);
    op_row name = row, body = row, identity = row, rule = row;
    name.name = "another";
    body.body = "x - y";
    identity.identity = "T(1)";
    rule.rule = dtype_rule::floating;
    for (const op_row& other : {name, body, identity, rule}) EXPECT_NE(key_with(other), key);
}

/// What one register holds for several loops is one element of one array.
TEST(KernelClass, LoadsAreEqualWhereTheyReadTheSameElements) {
    testing::kernel_builder b;
    const std::int64_t n = 64;
    const int row = b.outer(100), first = b.loop({n}), second = b.loop({n});
    const int x = b.input(dtype::float32), y = b.input(dtype::float32);
    const auto load = [&](int input, int loop, std::int64_t outer, std::int64_t inner) {
        return b.load(input, {{row, outer}, {b.inner(loop), inner}}, loop);
    };
    const int once = load(x, first, n, 1), again = load(x, second, n, 1);
    const std::vector<int> others = {load(y, second, n, 1), load(x, second, 2 * n, 1), load(x, second, n, 2)};
    int sum = again;
    for (int other : others) sum = b.op("add", {sum, other}, second);
    b.store(b.op("add", {b.reduce("max", once, first), b.reduce("sum", sum, second)}), {{row, 1}});
    schedule s = choose_schedule(b.k, device_properties{}, std::vector<int>(8, 16));
    s.register_cached = true;
    const std::vector<int> equivalents = class_of(b.k, s).equivalents;
    EXPECT_EQ(equivalents[static_cast<std::size_t>(again)], once);
    for (int other : others) EXPECT_EQ(equivalents[static_cast<std::size_t>(other)], other);
}

TEST(KernelClass, RenderingNeedsNoExtents) {
    for (const testing::sample& sample : testing::samples()) {
        const schedule s = choose_schedule(sample.small, device_properties{}, std::vector<int>(8, 16));
        const kernel_class c = class_of(sample.small, s);
        EXPECT_EQ(print_kernel(c, sample.heading).text, print_kernel(sample.small, s, sample.heading).text);
        EXPECT_EQ(c.body.extents, std::vector<std::int64_t>(sample.small.extents.size(), 0)) << sample.name;
    }
}

}  // namespace
}  // namespace sinter::codegen
