// The host back end against the literal reading of a kernel: every form of loop, random shapes and strides.
#include "reference.hpp"

#include <codegen/host/equivalent_values.hpp>
#include <codegen/host/plan.hpp>
#include <runtime/host/evaluate.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <bit>

namespace sinter::codegen::testing {
namespace {

using strides = kernel_builder::strides;

/// Evaluates both ways on the same inputs and compares whole memories, padding included.
void check(const loop_nest& k, unsigned seed, double tolerance = 1e-12) {
    std::mt19937 random(seed);
    kernel_data data(k, random);
    std::vector<array_memory> expected = data.outputs, inputs = data.inputs;
    naive_evaluation(k, inputs, expected, data.scalars).run();
    evaluate_on_host(k, data.input_pointers().data(), data.output_pointers().data(), data.bits.data());
    for (std::size_t o = 0; o < expected.size(); ++o) {
        const double epsilon = expected[o].type == dtype::float32 ? 3e-5 : tolerance;
        for (std::int64_t i = 0; i < expected[o].elements(); ++i) {
            const double e = expected[o].get(i - expected[o].first), g = data.outputs[o].get(i - expected[o].first);
            if (std::isnan(e) && std::isnan(g)) continue;
            if (e == g) continue;
            ASSERT_NEAR(g, e, is_floating(expected[o].type) ? epsilon * (std::abs(e) + 1) : 0)
                << "seed " << seed << ", output " << o << ", element " << i << " of " << expected[o].elements();
        }
    }
}

/// Row-major strides over axes in a shuffled order, some negative and some zero when `reading`, with gaps at times.
strides random_strides(const loop_nest& k, std::vector<int> axes, bool reading, std::mt19937& random) {
    if (random() % 2 == 0) std::shuffle(axes.begin(), axes.end(), random);
    strides all;
    std::int64_t step = random() % 4 == 0 ? 2 : 1;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
        const std::int64_t extent = std::max<std::int64_t>(k.extents[*a], 1);
        if (reading && random() % 4 == 0) continue;
        all.push_back({*a, reading && random() % 5 == 0 ? -step : step});
        step *= extent + (random() % 4 == 0 ? 1 : 0);
    }
    return all;
}

std::int64_t random_extent(std::mt19937& random, std::int64_t most) {
    switch (random() % 4) {
        case 0: return std::min<std::int64_t>(most, 1 + std::int64_t(random() % 4));
        case 1: return std::min<std::int64_t>(most, 5 + std::int64_t(random() % 60));
        default: return 1 + std::int64_t(random()) % most;
    }
}

constexpr dtype numeric[] = {dtype::float32, dtype::float64, dtype::int32, dtype::int64, dtype::int8, dtype::uint16};

class random_kernels : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(seeds, random_kernels, ::testing::Range(0u, 60u));

TEST_P(random_kernels, elementwise) {
    std::mt19937 random(GetParam());
    kernel_builder b;
    std::vector<int> axes;
    std::int64_t size = 1;
    for (unsigned i = 0, rank = random() % 4; i <= rank; ++i) {
        axes.push_back(
            b.outer(random_extent(random, std::max<std::int64_t>(1, std::min<std::int64_t>(5000, 40000 / size)))));
        size *= b.k.extents.back();
    }
    const dtype t = numeric[random() % 6];
    const int x = b.load(b.input(t), random_strides(b.k, axes, true, random));
    const int y = b.load(b.input(t), random_strides(b.k, axes, true, random));
    const int s = b.scalar(t);
    const int sum = b.op("add", {x, b.op("multiply", {b.op("add", {s, s}), y})});
    const int less = b.op("less", {x, y});
    const int chosen = b.op("where", {less, sum, x});
    b.store(chosen, random_strides(b.k, axes, false, random));
    if (random() % 2 == 0) b.store(less, random_strides(b.k, axes, false, random));
    if (random() % 2 == 0) b.store(b.cast(dtype::float64, sum), random_strides(b.k, axes, false, random));
    check(b.k, GetParam());
}

TEST_P(random_kernels, one_reduction_over_some_axes) {
    std::mt19937 random(GetParam());
    kernel_builder b;
    std::vector<int> axes;
    const std::int64_t size = GetParam() % 3 == 0 ? 300000 : 20000;
    std::int64_t left = size;
    for (unsigned i = 0, outer = random() % 3; i < outer; ++i) {
        axes.push_back(b.outer(random_extent(random, std::max<std::int64_t>(1, std::min<std::int64_t>(3000, left)))));
        left = std::max<std::int64_t>(1, left / b.k.extents.back());
    }
    const std::vector<int> outer_axes = axes;
    std::vector<std::int64_t> inner;
    for (unsigned i = 0, count = 1 + random() % 2; i < count; ++i) {
        inner.push_back(random_extent(random, left));
        left = std::max<std::int64_t>(1, left / inner.back());
    }
    const int l = b.loop(inner);
    for (const int a : b.k.loops[l].axes) axes.push_back(a);
    const dtype t = random() % 2 ? dtype::float64 : dtype::float32;
    const int x = b.load(b.input(t), random_strides(b.k, axes, true, random), l);
    const int y = b.load(b.input(t), random_strides(b.k, axes, true, random), l);
    const int group = b.load(b.input(t), random_strides(b.k, outer_axes, true, random));
    const int product = b.op("multiply", {b.op("subtract", {x, group}, l), y}, l);
    const int sum = b.reduce("sum", product, l);
    const int most = b.reduce("max", x, l);
    const int wide = b.reduce("sum", b.cast(dtype::int64, b.op("less", {x, y}, l), l), l);
    b.store(b.op("add", {sum, group}), random_strides(b.k, outer_axes, false, random));
    b.store(most, random_strides(b.k, outer_axes, false, random));
    b.store(wide, random_strides(b.k, outer_axes, false, random));
    check(b.k, GetParam(), 1e-9);
}

TEST_P(random_kernels, softmax_along_any_axis) {
    std::mt19937 random(GetParam());
    kernel_builder b;
    std::vector<int> outer_axes;
    std::int64_t left = GetParam() % 3 == 0 ? 200000 : 20000;
    for (unsigned i = 0, outer = random() % 3; i < outer; ++i) {
        outer_axes.push_back(
            b.outer(random_extent(random, std::max<std::int64_t>(1, std::min<std::int64_t>(2000, left)))));
        left = std::max<std::int64_t>(1, left / b.k.extents.back());
    }
    const std::int64_t n = random_extent(random, left);
    const int in = b.input(dtype::float32);
    // The three loops have axes of their own, over the same elements.
    const int first = b.loop({n}), second = b.loop({n}), third = b.loop({n});
    std::vector<int> order = outer_axes;
    order.push_back(-1);
    std::shuffle(order.begin(), order.end(), random);
    const auto along = [&](int loop) {
        strides all;
        std::int64_t step = 1;
        for (auto a = order.rbegin(); a != order.rend(); ++a) {
            const int axis = *a < 0 ? b.inner(loop) : *a;
            all.push_back({axis, step});
            step *= b.k.extents[axis];
        }
        return all;
    };
    const int most = b.reduce("max", b.load(in, along(first), first), first);
    const auto exponential = [&](int loop) {
        return b.op("exp", {b.op("subtract", {b.load(in, along(loop), loop), most}, loop)}, loop);
    };
    const int sum = b.reduce("sum", exponential(second), second);
    const int inverse = b.op("reciprocal", {sum});
    b.store(b.op("multiply", {exponential(third), inverse}, third), along(third), third);
    check(b.k, GetParam());
}

TEST(evaluate, an_axis_of_extent_zero_leaves_the_identity_or_nothing) {
    kernel_builder inner;
    const int i = inner.outer(5), l = inner.loop({0});
    const int x = inner.load(inner.input(dtype::float64), {{i, 1}, {inner.inner(l), 5}}, l);
    inner.store(inner.op("add", {inner.reduce("sum", x, l), inner.scalar(dtype::float64)}), {{i, 1}});
    check(inner.k, 1);

    kernel_builder outer;
    const int o = outer.outer(0), m = outer.loop({7});
    outer.store(outer.reduce("sum", outer.load(outer.input(dtype::float64), {{o, 7}, {outer.inner(m), 1}}, m), m),
                {{o, 1}});
    check(outer.k, 2);
}

TEST(evaluate, conversions_left_to_the_back_end) {
    kernel_builder b;
    const int i = b.outer(100), l = b.loop({9});
    const int x = b.load(b.input(dtype::int8), {{i, 9}, {b.inner(l), 1}}, l);
    const int sum = b.reduce("sum", x, l);
    b.k.values[sum].type = dtype::int64;
    b.store(sum, {{i, 1}});
    b.k.outputs[0] = dtype::float32;
    check(b.k, 3);
}

TEST(evaluate, several_outputs_in_place) {
    // (x, y) = (x + y, x - y) over the arrays themselves
    kernel_builder b;
    const std::int64_t n = 5001;
    const int i = b.outer(n);
    const int x = b.load(b.input(dtype::float64, true), {{i, 1}}), y = b.load(b.input(dtype::float64, true), {{i, 1}});
    b.store(b.op("add", {x, y}), {{i, 1}});
    b.store(b.op("subtract", {x, y}), {{i, 1}});
    std::vector<double> u(n), v(n);
    for (std::int64_t e = 0; e < n; ++e) u[e] = double(e), v[e] = 3.0 * double(e % 17);
    const void* in[] = {u.data(), v.data()};
    void* out[] = {u.data(), v.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    for (std::int64_t e = 0; e < n; ++e) {
        ASSERT_EQ(u[e], double(e) + 3.0 * double(e % 17));
        ASSERT_EQ(v[e], double(e) - 3.0 * double(e % 17));
    }
}

TEST(evaluate, swaps_two_arrays_in_place) {
    kernel_builder b;
    const int i = b.outer(300);
    const int x = b.load(b.input(dtype::int32, true), {{i, 1}}), y = b.load(b.input(dtype::int32, true), {{i, 1}});
    b.store(y, {{i, 1}});
    b.store(x, {{i, 1}});
    std::vector<int> u(300, 1), v(300, 2);
    const void* in[] = {u.data(), v.data()};
    void* out[] = {u.data(), v.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    EXPECT_EQ(u, std::vector<int>(300, 2));
    EXPECT_EQ(v, std::vector<int>(300, 1));
}

TEST(evaluate, reads_what_it_overwrites_first) {
    // (x, y) = (-y, -x), where x is first read after -y is known
    kernel_builder b;
    const int i = b.outer(300);
    const int y_in = b.input(dtype::int32, true), x_in = b.input(dtype::int32, true);
    b.store(b.op("negative", {b.load(y_in, {{i, 1}})}), {{i, 1}});
    b.store(b.op("negative", {b.load(x_in, {{i, 1}})}), {{i, 1}});
    std::vector<int> x(300, 1), y(300, 2);
    const void* in[] = {y.data(), x.data()};
    void* out[] = {x.data(), y.data()};
    evaluate_on_host(b.k, in, out, nullptr);
    EXPECT_EQ(x, std::vector<int>(300, -2));
    EXPECT_EQ(y, std::vector<int>(300, -1));
}

TEST(evaluate, group_values_outlast_the_loop_that_reads_them) {
    kernel_builder b;
    const int i = b.outer(500), l = b.loop({40});
    const int g = b.load(b.input(dtype::float64), {{i, 1}});
    const int twice = b.op("add", {g, g});
    const int squared = b.op("square", {twice}, l);  // the loop's first step reads a group-level value and nothing else
    const int x = b.load(b.input(dtype::float64), {{i, 1}, {b.inner(l), 500}}, l);
    b.store(b.reduce("sum", b.op("multiply", {squared, x}, l), l), {{i, 1}});
    check(b.k, 4);
}

/// sum of x over `inner` of extents (outer, inner) or, along columns, (inner, outer).
loop_nest plain_sum(dtype t, std::int64_t outer, std::int64_t inner, bool columns) {
    kernel_builder b;
    const int o = b.outer(outer), l = b.loop({inner});
    const int x = b.load(b.input(t), {{o, columns ? 1 : inner}, {b.inner(l), columns ? outer : 1}}, l);
    b.store(b.reduce("sum", x, l), {{o, 1}});
    return b.k;
}

TEST(evaluate, long_float32_sums_stay_accurate) {
    for (const bool columns : {false, true}) {
        const std::int64_t outer = columns ? 40 : 1, inner = 10'000'000 / outer;
        const loop_nest k = plain_sum(dtype::float32, outer, inner, columns);
        std::vector<float> x(static_cast<std::size_t>(outer * inner), 0.1f), sum(static_cast<std::size_t>(outer));
        const void* in[] = {x.data()};
        void* out[] = {sum.data()};
        evaluate_on_host(k, in, out, nullptr);
        for (const float s : sum) ASSERT_NEAR(s, double(0.1f) * double(inner), 3e-6 * double(inner) * 0.1);
    }
}

TEST(evaluate, does_not_depend_on_the_number_of_threads) {
    struct shape {
        std::int64_t outer, inner;
    };
    for (const shape s : {shape{1, 1'000'003}, shape{3, 400'001}, shape{700, 1501}, shape{1000, 7}})
        for (const bool columns : {false, true}) {
            const loop_nest k = plain_sum(dtype::float32, s.outer, s.inner, columns);
            std::mt19937 random(5);
            kernel_data data(k, random);
            std::vector<std::byte> first;
            for (const std::size_t threads : {1u, 2u, 5u}) {
                const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
                evaluate_on_host(k, data.input_pointers().data(), data.output_pointers().data(), nullptr);
                if (first.empty()) first = data.outputs[0].bytes;
                EXPECT_EQ(first, data.outputs[0].bytes) << s.outer << " x " << s.inner << ", " << threads << " threads";
            }
        }
}

/// exp(x - max) / sum(exp(x - max)) along rows: what the last two loops share is exp. The values of the last loop may
/// stand before those of the second.
loop_nest softmax_of_rows(std::int64_t rows, std::int64_t n, bool later_first = false) {
    kernel_builder b;
    const int o = b.outer(rows), first = b.loop({n}), second = b.loop({n}), third = b.loop({n});
    const int in = b.input(dtype::float32);
    const auto along = [&](int loop) { return strides{{o, n}, {b.inner(loop), 1}}; };
    const int most = b.reduce("max", b.load(in, along(first), first), first);
    const auto exponential = [&](int loop) {
        return b.op("exp", {b.op("subtract", {b.load(in, along(loop), loop), most}, loop)}, loop);
    };
    const int later = later_first ? exponential(third) : -1;
    const int sum = b.reduce("sum", exponential(second), second);
    b.store(b.op("divide", {later_first ? later : exponential(third), sum}, third), along(third), third);
    return b.k;
}

TEST(evaluate, computes_once_what_two_loops_need) {
    for (const bool later_first : {false, true}) {
        const loop_nest k = softmax_of_rows(37, 5003, later_first);
        const blocked::plan p = blocked::make_plan(k, instruction_set::baseline);
        ASSERT_EQ(p.loops.size(), 3u);
        EXPECT_EQ(p.loops[1].body.steps.size(), 3u);  // load, subtract, exp
        EXPECT_EQ(p.loops[2].body.steps.size(), 1u);  // divide
        EXPECT_EQ(p.loops[2].kept.size(), 1u);
        check(k, 5);
    }
    // a row that no cache holds is computed twice
    EXPECT_EQ(blocked::make_plan(softmax_of_rows(100, 1'000'000), instruction_set::baseline).loops[2].body.steps.size(),
              4u);
}

TEST(evaluate, equivalent_values_read_the_same_places) {
    kernel_builder b;
    const int o = b.outer(5), first = b.loop({7}), second = b.loop({7});
    const int in = b.input(dtype::float32), other = b.input(dtype::float32);
    const auto doubled = [&](int input, int loop, std::int64_t step, std::int64_t row = 14) {
        const int x = b.load(input, {{o, row}, {b.inner(loop), step}}, loop);
        return b.op("add", {x, x}, loop);
    };
    const int one = doubled(in, first, 1);
    const int same = doubled(in, second, 1), apart = doubled(in, second, 2), elsewhere = doubled(other, second, 1);
    const int closer = doubled(in, second, 1, 7);
    const auto less = [&](int loop, double number) {
        const int x = b.load(other, {{o, 14}, {b.inner(loop), 1}}, loop);
        return b.op("subtract", {b.cast(dtype::float64, x, loop), b.constant(number)}, loop);
    };
    const int two_less = less(first, 2.0), same_less = less(second, 2.0), three_less = less(second, 3.0);
    const std::vector<int> equivalents = blocked::find_equivalent_values(b.k);
    EXPECT_EQ(equivalents[same], one);
    EXPECT_EQ(equivalents[apart], apart);
    EXPECT_EQ(equivalents[elsewhere], elsewhere);
    EXPECT_EQ(equivalents[closer], closer);
    EXPECT_EQ(equivalents[same_less], two_less);
    EXPECT_EQ(equivalents[three_less], three_less);
}

TEST(evaluate, loops_in_unlike_blocks_keep_nothing_for_each_other) {
    // both loops need the squares of x, whose columns are neighbours; the second one reads rows as well
    kernel_builder b;
    const std::int64_t groups = 5, n = 1000;
    const int o = b.outer(groups), first = b.loop({n}), second = b.loop({n});
    const int in = b.input(dtype::float64), rows = b.input(dtype::float64);
    const auto square = [&](int loop) {
        return b.op("square", {b.load(in, {{o, 1}, {b.inner(loop), groups}}, loop)}, loop);
    };
    const int sum = b.reduce("sum", square(first), first);
    const int y = b.load(rows, {{o, n}, {b.inner(second), 1}}, second);
    b.store(b.op("add", {sum, b.reduce("sum", b.op("multiply", {square(second), y}, second), second)}), {{o, 1}});
    const blocked::plan p = blocked::make_plan(b.k, instruction_set::baseline);
    ASSERT_NE(p.loops[0].block_trips, p.loops[1].block_trips);
    check(b.k, 6);
}

TEST(evaluate, scalars_change_from_call_to_call) {
    kernel_builder b;
    const std::int64_t n = 1000;
    const int i = b.outer(n);
    const int s = b.scalar(dtype::float64);
    b.store(b.op("multiply", {b.load(b.input(dtype::float64), {{i, 1}}), b.op("add", {s, s})}), {{i, 1}});
    const host_plan one = plan_on_host(b.k), other = plan_on_host(b.k);
    std::vector<double> x(n, 1.5), y(n);
    const void* in[] = {x.data()};
    void* out[] = {y.data()};
    for (const double value : {2.0, 2.0, 3.0, 2.0})
        for (const host_plan& p : {one, other, one}) {
            const ir::scalar_bits bits{std::bit_cast<std::uint64_t>(value * (p == one ? 1 : 10))};
            evaluate_on_host(*p, in, out, &bits);
            EXPECT_EQ(y, std::vector<double>(n, 3 * value * (p == one ? 1 : 10)));
        }
}

TEST(evaluate, large_results_are_whole) {
    // 8 MiB and more, in rows that begin anywhere in a cache line, with bytes between them that stay as they are
    for (const std::int64_t gap : {0, 3}) {
        kernel_builder b;
        const std::int64_t rows = 1031, n = 2051;
        const int i = b.outer(rows), j = b.outer(n);
        const int x = b.load(b.input(dtype::float32), {{i, n}, {j, 1}});
        b.store(b.op("negative", {x}), {{i, n + gap}, {j, 1}});
        ASSERT_TRUE(blocked::make_plan(b.k, instruction_set::baseline).streams);
        std::vector<float> from(static_cast<std::size_t>(rows * n)), to(static_cast<std::size_t>(rows * (n + gap)), 7);
        for (std::size_t e = 0; e < from.size(); ++e) from[e] = static_cast<float>(e % 4099);
        const void* in[] = {from.data()};
        void* out[] = {to.data()};
        evaluate_on_host(b.k, in, out, nullptr);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < n + gap; ++c)
                ASSERT_EQ(to[static_cast<std::size_t>(r * (n + gap) + c)],
                          c < n ? -from[static_cast<std::size_t>(r * n + c)] : 7);
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
