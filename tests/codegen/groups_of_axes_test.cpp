// Groups that one loop goes over as a line and another axis by axis, because something there goes along one of them:
// normalised channels, each with a scale of its own.
#include <codegen/schedule/loops.hpp>
#include <tests/codegen/device_programs.hpp>
#include <tests/codegen/render_running.hpp>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;

/// (x - sum(x, axis={1, 2}) / n) * w of an array of groups x channels x elements; w has a number for each channel.
loop_nest scaled_channels(std::int64_t groups, std::int64_t channels, std::int64_t elements) {
    kernel_builder b;
    const std::int64_t n = channels * elements;
    const int g = b.outer(groups), in = b.input(dtype::float32), weights = b.input(dtype::float32);
    const int count = b.scalar(dtype::float32);
    const int l0 = b.loop({n});
    const int total = b.reduce("sum", b.load(in, {{g, n}, {b.inner(l0), 1}}, l0), l0);
    const int mean = b.op("divide", {total, count});
    const int l1 = b.loop({channels, elements});
    const kernel_builder::strides at = {{g, n}, {b.inner(l1, 0), elements}, {b.inner(l1, 1), 1}};
    const int w = b.load(weights, {{b.inner(l1, 0), 1}}, l1);
    b.store(b.op("multiply", {b.op("subtract", {b.load(in, at, l1), mean}, l1), w}, l1), at, l1);
    return b.k;
}

TEST(GroupsOfAxes, StayInRegistersFromLoopToLoop) {
    for (const auto& [groups, channels, elements] :
         {std::array{100, 5, 64}, {70, 3, 31}, {64, 10, 400}, {90, 1, 100}, {90, 100, 1}, {20, 10, 1024}}) {
        const loop_nest k = scaled_channels(groups, channels, elements);
        const schedule s = chosen(k, 4);
        SCOPED_TRACE(describe(s));
        EXPECT_EQ(bytes_read_again(k), 4);
        EXPECT_TRUE(s.register_cached);
        EXPECT_EQ(testing::unproved_of(testing::lowered(class_of(k, s))), "");
        expect_right(k, s);
    }
}

TEST(GroupsOfAxes, AreClustersWhereOneBlockHasNoRoom) {
    device_properties m;
    m.multiprocessors = 8;
    m.arch = 90;
    const loop_nest k = scaled_channels(24, 10, 4096);
    const schedule s = choose_schedule(k, m, {16, 16, 16});
    EXPECT_GT(s.cluster, 1) << describe(s);
    EXPECT_TRUE(s.register_cached);
    expect_right(k, s);
}

// As many elements, met in another order.
TEST(GroupsOfAxes, AreReadAgainInAnotherOrder) {
    loop_nest k = scaled_channels(100, 5, 64);
    const value& again = *std::find_if(k.values.begin(), k.values.end(), [](const value& v) {
        return v.what == value_kind::load && v.loop == 1 && v.input == 0;
    });
    layout& at = k.layouts[static_cast<std::size_t>(again.at)];
    const std::vector<int>& axes = k.loops[1].axes;
    at.stride[static_cast<std::size_t>(axes[0])] = 1;
    at.stride[static_cast<std::size_t>(axes[1])] = 5;
    EXPECT_EQ(bytes_read_again(k), 0);
    EXPECT_FALSE(chosen(k, 4).register_cached);
    expect_right(k, chosen(k, 4));
}

}  // namespace
}  // namespace sinter::codegen
