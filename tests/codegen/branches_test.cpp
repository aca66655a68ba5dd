// Choices of which an element computes one side alone: what belongs to a side, and that the kernel branches.
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/branches.hpp>
#include <sinter.hpp>
#include <tests/codegen/shaped_expressions.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace sinter::codegen {
namespace {

using testing::of;

template <class Tree>
loop_nest only_nest_of(const expr<Tree>& e) {
    const device_scope on_host(host());
    compiled_program made = compile(testing::bindings_of(e), {}, {});
    EXPECT_EQ(made.kernels.size(), 1u);
    return std::move(made.kernels.at(0).body);
}

/// The names of the ops that are on some side of a choice.
std::string on_sides(const loop_nest& k) {
    const branches found = branches_of(k, std::vector<char>(k.values.size(), 1));
    std::string names;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (found.of[v].choice >= 0 && k.values[v].op != nullptr)
            names += (names.empty() ? "" : " ") + std::string(k.values[v].op->name);
    return names;
}

TEST(Branches, WhatOnePartNeedsIsComputedThere) {
    const auto x = of<double>(1000, 300), y = of<double>(1000, 300);
    EXPECT_EQ(on_sides(only_nest_of(max(concat(exp(tanh(x)), y, axis=0), axis=1))), "tanh exp");
}

TEST(Branches, WhatBothSidesNeedIsNot) {
    const auto x = of<double>(1000, 300);
    const auto both = tanh(x);
    const auto first = arange<std::int64_t>(300)(newaxis, all) < 100;
    EXPECT_EQ(on_sides(only_nest_of(max(where(first, exp(sin(both)), both), axis=1))), "sin exp");
}

TEST(Branches, NorWhatIsCheapOrChosenByData) {
    const auto x = of(1000, 300), y = of(1000, 300);
    EXPECT_EQ(on_sides(only_nest_of(max(concat(x * 2.f, y, axis=0), axis=1))), "");
    EXPECT_EQ(on_sides(only_nest_of(max(where(y > 0, exp(tanh(x)), y), axis=1))), "");
}

TEST(Branches, LieWithinOneAnother) {
    const auto x = of<double>(1000, 300), y = of<double>(1000, 300), z = of<double>(1000, 300);
    EXPECT_EQ(on_sides(only_nest_of(max(concat(concat(exp(x), erf(y), axis=0) * 0.5, z, axis=0), axis=1))),
              "less exp erf where multiply");
}

}  // namespace
}  // namespace sinter::codegen
