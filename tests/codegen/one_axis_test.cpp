// Several axes in place of one, or one in place of several: what an element takes in accesses decides.
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <codegen/schedule/traversal.hpp>
#include <sinter.hpp>
#include <tests/codegen/shaped_expressions.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <utility>

namespace sinter::codegen {
namespace {

using testing::of;

template <class Tree>
compiled_kernel only_kernel(const expr<Tree>& e) {
    const device_scope on_host(host());
    compiled_program made = compile(testing::bindings_of(e), {}, {});
    EXPECT_EQ(made.kernels.size(), 1u);
    return std::move(made.kernels.at(0));
}

// A repetition keeps axes of 31 elements apart, along which nothing is wide.
TEST(OneAxis, WhereAccessesBecomeWider) {
    const auto x = of(300, 400, 31);
    const auto y = of(400);
    const compiled_kernel made = only_kernel(max(x * y(newaxis, all, newaxis), axis={0, 1, 2}));
    EXPECT_EQ(made.chosen->vector_width, 4);
    EXPECT_LT(accesses_per_element(made.body, *made.chosen), 2);
}

// As one axis, x would move 8 elements at a time, and both tables one; apart, all move 4.
TEST(OneAxis, NotWhereGathersBecomeSingle) {
    const auto x = of<bfloat16>(716, 5000, 4), table = of<bfloat16>(64, 5000, 4);
    const auto y = of<bfloat16>(5000);
    const auto i = of<std::int64_t>(716), j = of<std::int64_t>(716);
    const auto e = x / (1 + abs(y(newaxis, all, newaxis))) * take(table, i, axis=0) + take(table, j, axis=0);
    const compiled_kernel made = only_kernel(min(e, axis={0, 1, 2}));
    EXPECT_EQ(made.chosen->vector_width, 4);
    EXPECT_EQ(made.chosen->wide_gathers, 3u);
    EXPECT_DOUBLE_EQ(accesses_per_element(made.body, *made.chosen), 0.75);  // the cache holds y and the indices
}

// A row is in one part of a join, and loads nothing of the other.
TEST(OneAxis, RowsOfAJoinLoadOnePart) {
    const auto x = of(3000, 1000), y = of(3000, 1000);
    const compiled_kernel rows = only_kernel(sum(concat(x, y, axis=0), axis=1));
    const std::string text = print_kernel(rows.body, *rows.chosen, "").text;
    EXPECT_NE(text.find("if (less_"), std::string::npos) << text;
    EXPECT_NE(text.find("if (!less_"), std::string::npos) << text;
}

}  // namespace
}  // namespace sinter::codegen
