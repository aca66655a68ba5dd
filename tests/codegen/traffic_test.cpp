// Bytes and operations that explain() counts: what is read again counts again, unless it is still near.
#include <codegen/cost/launch_time.hpp>
#include <codegen/cost/traffic.hpp>
#include <codegen/driver/compile.hpp>
#include <runtime/launch/explain.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

template <class Tree>
kernel_report report_of(const expr<Tree>& e, const device_properties& m) {
    const explanation why = explain_for(m, sinter::detail::program_of<Tree>, e.arguments());
    EXPECT_EQ(why.launches, 1);
    return why.kernels.at(0);
}

template <class Tree>
compiled_kernel compiled_of(const expr<Tree>& e, const device_properties& m) {
    target to;
    to.device = m;
    return compile({&sinter::detail::program_of<Tree>, e.arguments()}, to, {fusion::on, current_fast_math()})
        .kernels.at(0);
}

/// The lower bound by which the compiler decides.
template <class Tree>
kernel_time bound_of(const expr<Tree>& e, const device_properties& m) {
    const compiled_kernel k = compiled_of(e, m);
    return time_of(k.body, k.chosen.value(), m);
}

class traffic : public testing::Test {
protected:
    device_scope on_host_{host()};
    array<float, 2> x_{shape<2>(4, 1 << 18)};
    static constexpr std::int64_t bytes_ = 4 * 4 * (1 << 18);
};

TEST_F(traffic, what_stays_in_registers_is_read_once) {
    const kernel_report k = report_of(softmax(x_, axis=1), device_properties{});
    EXPECT_NE(k.schedule.find("kept in registers"), std::string::npos) << k.schedule;
    EXPECT_EQ(k.bytes, 2 * bytes_);
}

TEST_F(traffic, what_a_later_loop_reads_again_counts_where_no_cache_holds_it) {
    device_properties small;
    small.multiprocessors = 2;  // too few registers for the rows
    const kernel_report cached = report_of(softmax(x_, axis=1), small);
    EXPECT_EQ(cached.schedule.find("kept in registers"), std::string::npos) << cached.schedule;
    EXPECT_EQ(cached.bytes, 2 * bytes_);
    small.l2_bytes = 1 << 20;
    // the maximum with the sum of exponentials, and the result, each read x
    EXPECT_EQ(report_of(softmax(x_, axis=1), small).bytes, 3 * bytes_);
    EXPECT_EQ(report_of(sum(x_ * x_, axis=1), small).bytes, bytes_ + 4 * 4);
}

TEST_F(traffic, gathers_count_an_element_for_each_index) {
    const array<float, 2> table = ones<float>({1000, 64});
    const array<int, 1> few = arange<int>(100), many = arange<int>(5000) % 1000;
    EXPECT_EQ(report_of(take(table, few, axis=0), device_properties{}).bytes, 100 * (64 * 8 + 4));
    EXPECT_EQ(report_of(take(table, many, axis=0), device_properties{}).bytes, 1000 * 64 * 4 + 5000 * (64 * 4 + 4));
    EXPECT_EQ(report_of(roll(table, 3, axis=0), device_properties{}).bytes, 2 * 1000 * 64 * 4);
    EXPECT_EQ(report_of(concat(table, table, axis=0), device_properties{}).bytes, 3 * 1000 * 64 * 4);  // of one array
}

TEST_F(traffic, strided_views_count_the_sectors_that_hold_their_elements) {
    const array<std::uint8_t, 2> pixels = ones<std::uint8_t>({5000, 3});
    EXPECT_EQ(report_of(pixels(all, 0) + pixels(all, 2), device_properties{}).bytes, 5000 * (3 + 1));
    const array<float, 2> table = ones<float>({1000, 64});
    EXPECT_EQ(report_of(table(all, 5) * 2.f, device_properties{}).bytes, 1000 * (32 + 4));
    EXPECT_EQ(report_of(table(all, range(0, end, 2)) * 2.f, device_properties{}).bytes, 1000 * 64 * 4 + 1000 * 32 * 4);
    EXPECT_EQ(report_of(transpose(table) * 2.f, device_properties{}).bytes, 2 * 1000 * 64 * 4);
}

TEST_F(traffic, operations_are_bodies_of_the_table_for_each_element) {
    const kernel_report k = report_of(sqrt(sum(x_ * x_, axis=1)), device_properties{});
    EXPECT_EQ(k.operations, 2.0 * 4 * (1 << 18) + 4);
    EXPECT_GT(k.predicted_seconds, 1.6e-6);
    EXPECT_EQ(report_of(x_ + 1, device_properties{}).operations, 4.0 * (1 << 18));
}

TEST_F(traffic, functions_and_divisions_take_longer_than_operators) {
    const device_properties m;
    const auto seconds = [&](const auto& e) { return bound_of(e, m).computing; };
    const double one = seconds(x_ + 1);
    EXPECT_NEAR(one, 4.0 * (1 << 18) / m.operations_per_second, 1e-12);
    EXPECT_GT(seconds(x_ / 3), 8 * one);
    EXPECT_GT(seconds(exp(x_)), 15 * one);
    EXPECT_NEAR(seconds(abs(x_)), one, 1e-12);         // its body converts, T(0), and calls nothing
    EXPECT_NEAR(seconds(maximum(x_, 1)), one, 1e-12);  // calls what calls nothing
    EXPECT_GT(seconds(x_ % 3), 15 * one);              // calls what calls fmod
    EXPECT_NEAR(seconds(astype<double>(x_) + 1), 2 * one, 1e-12);
    const fast_math_scope fast;
    EXPECT_LT(seconds(exp(x_)), 8 * one);
}

TEST_F(traffic, barriers_over_the_device_are_waited_for) {
    const array<float, 2> few(shape<2>(2, 1 << 19)), many(shape<2>(128, 1 << 19));
    const auto waits = [](const auto& e) {
        const kernel_report k = report_of(e, device_properties{});
        EXPECT_NE(k.schedule.find("grid barriers"), std::string::npos) << k.schedule;
        return bound_of(e, device_properties{}).waiting;
    };
    const double one_round = waits(softmax(few, axis=1));
    EXPECT_NEAR(one_round, 2.6e-6, 1e-12);  // of the maximum with the sum of exponentials
    EXPECT_GT(waits(softmax(many, axis=1)), 3 * one_round);
}

// Of one row all tiles under way are before one another; of many columns, few.
TEST_F(traffic, tiles_wait_for_those_before_them) {
    const array<float, 1> row(shape<1>(1 << 24));
    const array<float, 2> columns(shape<2>(1 << 11, 1 << 13));
    const auto waits = [](const auto& e, const char* blocks) {
        const kernel_report k = report_of(e, device_properties{});
        EXPECT_NE(k.schedule.find(blocks), std::string::npos) << k.schedule;
        return bound_of(e, device_properties{}).waiting;
    };
    // 2048 tiles in 4 rounds of 528; the same in 64 groups, of each of which 9 are under way
    EXPECT_NEAR(waits(cumsum(row), "2048 blocks per row"), 4 * 3.8e-6, 1e-9);
    EXPECT_NEAR(waits(cumsum(columns, axis=0), "32 blocks per tile"), 4 * 3.8e-6 * 9 / 16, 1e-9);
    EXPECT_NEAR(waits(cumsum(columns, axis=1), "rows"), 0, 1e-12);
}

TEST_F(traffic, who_binds) {
    device_properties m;
    EXPECT_EQ(report_of(x_(0, range(0, 10)) + 1, m).bound_by, "the launch");
    m.bytes_per_second = 1e9;
    EXPECT_EQ(report_of(x_ + 1, m).bound_by, "bytes");
    m.bytes_per_second = 1e15;
    m.operations_per_second = 1e9;
    EXPECT_EQ(report_of(exp(sin(x_)), m).bound_by, "arithmetic");
    const array<float, 1> table = ones<float>({1 << 20});
    const array<int, 1> far(shape<1>(1 << 24));
    EXPECT_EQ(report_of(take(table, far) + take(table, far * 3), {}).bound_by, "accesses");
}

}  // namespace
}  // namespace sinter::codegen
