// The order in which groups run that read the same elements.
#include <codegen/transforms/pass.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

constexpr std::int64_t batches = 8, heads = 16, columns = 1024;

/// sum(x * a, axis=2) of floats, x of (batches, heads, columns) and a of (heads, columns), or of (batches, 1, columns).
loop_nest weighted_sums(bool by_batch) {
    testing::kernel_builder b;
    const int batch = b.outer(batches), head = b.outer(heads), l = b.loop({columns}), column = b.inner(l);
    const int x = b.load(b.input(dtype::float32), {{batch, heads * columns}, {head, columns}, {column, 1}}, l);
    const int a = b.load(b.input(dtype::float32), {{by_batch ? batch : head, columns}, {column, 1}}, l);
    b.store(b.reduce("sum", b.op("multiply", {x, a}, l), l), {{batch, heads}, {head, 1}});
    return b.k;
}

/// Floats of x and a, and a result, that a group moves.
constexpr std::int64_t bytes_of_group = (2 * columns + 1) * 4;

TEST(order_of_groups, those_that_share_elements_follow_each_other_where_no_cache_holds_these) {
    const loop_nest k = weighted_sums(false);
    const std::optional<loop_nest> other = with_sharing_groups_together(k, heads * bytes_of_group - 1);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->extents, (std::vector<std::int64_t>{heads, batches, columns}));
    const auto strides = [&](std::size_t load) {
        const layout& l = other->layouts[static_cast<std::size_t>(other->values[load].at)];
        return std::vector<std::int64_t>{l.stride[0], l.stride[1], l.stride[2]};
    };
    EXPECT_EQ(strides(0), (std::vector<std::int64_t>{columns, heads * columns, 1}));
    EXPECT_EQ(strides(1), (std::vector<std::int64_t>{columns, 0, 1}));
    const layout& stored = other->layouts[static_cast<std::size_t>(other->stores[0].at)];
    EXPECT_EQ(stored.stride[0], 1);
    EXPECT_EQ(stored.stride[1], heads);
}

TEST(order_of_groups, others_run_in_the_order_of_memory) {
    EXPECT_FALSE(with_sharing_groups_together(weighted_sums(false), heads * bytes_of_group));  // a cache holds them
    EXPECT_FALSE(with_sharing_groups_together(weighted_sums(true), 0));  // they follow each other already
    testing::kernel_builder b;
    const int i = b.outer(100), j = b.outer(100);
    b.store(b.load(b.input(dtype::float32), {{j, 1}}), {{i, 100}, {j, 1}});
    EXPECT_FALSE(with_sharing_groups_together(b.k, 0));  // an element is no group of a warp
}

}  // namespace
}  // namespace sinter::codegen
