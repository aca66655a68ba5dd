// Without fusion: one kernel per operation with its result in memory, and the same values as the fused kernels.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

namespace sinter::test {
namespace {

class without_fusion : public on_devices {
protected:
    /// Evaluates, and says how many kernels that launched; on the host, where none are, what explain() tells.
    template <class Tree>
    static int launched_by(const expr<Tree>& e, array<element_t<Tree::type>, Tree::rank>& result) {
        if (!emulated()) {
            result = e;
            return explain(e).launches;
        }
        const auto& device = static_cast<emulate::emulated_device&>(current_device().get());
        const int before = device.launches();
        result = e;
        return device.launches() - before;
    }

    /// The expression has the same values fused and unfused, in so many kernels.
    template <class Tree>
    static void expect_kernels(const expr<Tree>& e, int fused, int unfused, double allowed) {
        using T = element_t<Tree::type>;
        array<T, Tree::rank> together, apart;
        EXPECT_EQ(launched_by(e, together), fused);
        EXPECT_EQ(explain(e).operations, unfused);
        const fusion_scope off(fusion::off);
        EXPECT_EQ(launched_by(e, apart), unfused);
        EXPECT_EQ(explain(e).launches, unfused);
        const auto a = to_host(together), b = to_host(apart);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if constexpr (std::is_same_v<T, bool>)
                ASSERT_EQ(a[i], b[i]);
            else
                ASSERT_NEAR(static_cast<double>(a[i]), static_cast<double>(b[i]), allowed) << "element " << i;
        }
    }
};

TEST_F(without_fusion, every_operation_is_a_kernel) {
    const auto x = to_array<double, 3>(random({7, 11, 35}, 401));
    const auto row = to_array<double, 1>(random({35}, 402));
    expect_kernels(sqrt(sum(x * x, axis=2)), 1, 3, 1e-12);
    expect_kernels(transpose(x), 1, 1, 0);
    expect_kernels(exp(x - row) * 2 + row, 1, 4, 1e-12);
    const auto e = exp(x - max(x, axis=1, keepdims));
    expect_kernels(e / sum(e, axis=1, keepdims), 1, 5, 1e-12);  // e is computed once
    expect_kernels(x - mean(x, axis=0, keepdims), 1, 3, 1e-12);
}

TEST_F(without_fusion, views_and_conversions_belong_to_who_reads_them) {
    const auto x = to_array<float, 2>(random({9, 21}, 403));
    const auto i = to_array<int, 2>(random_integers({9, 21}, 404, -5, 5));
    expect_kernels(sum(transpose(x)(all, range(1, -1)), axis=0), 1, 1, 1e-5);
    expect_kernels(x * i, 1, 1, 1e-6);
    expect_kernels(astype<int>(x * 100), 1, 1, 0);
    expect_kernels(x + arange<float>(21), 1, 1, 1e-6);
    expect_kernels(take(x, i(0, range(0, 4)), axis=0) + 1, 1, 2, 1e-6);  // what keeps indices within x, and the sum
    expect_kernels(transpose(sqrt(abs(x))), 1, 3, 0);                      // the last one lays the elements out
}

TEST_F(without_fusion, half_types_keep_what_is_computed_in_float) {
    const auto x = to_array<float16, 1>(random({1000}, 405));
    array<float16, 1> together = exp(x * x) - 1, apart;
    const fusion_scope off(fusion::off);
    apart = exp(x * x) - 1;
    for (int k = 0; k < 1000; ++k)
        ASSERT_EQ(static_cast<float>(to_host(together)[static_cast<std::size_t>(k)]),
                  static_cast<float>(to_host(apart)[static_cast<std::size_t>(k)]));
}

TEST_F(without_fusion, several_results_are_as_many_kernels) {
    const naive x = random({13, 40}, 406);
    const auto a = to_array<double, 2>(x);
    array<double, 1> low, top;
    const fusion_scope off(fusion::off);
    const auto both = pack(min(square(a), axis=1), max(square(a), axis=1));
    EXPECT_EQ(explain(both).launches, 3);  // the squares are shared
    tie(low, top) = both;
    const naive squares = map([](double v) { return v * v; }, x);
    expect_equal(low, min_of(squares, 2));
    expect_equal(top, max_of(squares, 2));
    // results that could not share a kernel can each have their own
    array<double, 1> columns;
    array<double, 0> whole;
    tie(columns, whole) = pack(sum(a, axis=0), sum(a));
    expect_equal(columns, sum_of(x, 1));
    expect_equal(whole, sum_of(x, 3));
}

TEST_F(without_fusion, results_in_place_and_through_views) {
    const naive x = random({6, 6}, 407);
    auto a = to_array<double, 2>(x);
    const fusion_scope off(fusion::off);
    a = a * 2 + transpose(a);
    const naive doubled = map([](double v, double t) { return v * 2 + t; }, x, transposed(x));
    expect_equal(a, doubled);
    a += a * a;
    const naive squared = map([](double v) { return v + v * v; }, doubled);
    expect_equal(a, squared);
    a(range(0, 3), all) = a(range(2, 5), all) * 2 - 1;
    naive moved = squared;
    for (std::int64_t r = 0; r < 3; ++r)
        for (std::int64_t c = 0; c < 6; ++c) moved[{r, c}] = squared[{r + 2, c}] * 2 - 1;
    expect_equal(a, moved);
    auto b = to_array<double, 2>(x);
    tie(a, b) = pack(a - b, a + b);
    expect_equal(a, map(std::minus<>(), moved, x));
    expect_equal(b, map(std::plus<>(), moved, x));
}

TEST_F(without_fusion, one_expression_has_a_plan_for_each_mode) {
    const auto x = to_array<float, 1>(random({50}, 408));
    const auto e = x * x + 3;
    array<float, 1> y;
    EXPECT_EQ(launched_by(e, y), 1);
    {
        const fusion_scope off(fusion::off);
        EXPECT_EQ(launched_by(e, y), 2);
        const fusion_scope on(fusion::on);
        EXPECT_EQ(launched_by(e, y), 1);
    }
    EXPECT_EQ(launched_by(e, y), 1);
}

TEST_F(without_fusion, bytes_are_those_of_the_temporaries) {
    const auto x = to_array<double, 2>(random({10, 100}, 409));
    const explanation why = explain(sqrt(sum(x * x, axis=1)));
    EXPECT_EQ(why.bytes_fused, 8 * (1000 + 10));
    EXPECT_EQ(why.bytes_unfused, 8 * (1000 + 1000 + 1000 + 10 + 10 + 10));
    EXPECT_THAT(why.unfused[0].expression, testing::HasSubstr("x0 * x0"));
}

TEST_F(without_fusion, empty_arrays_and_graphs) {
    const array<float, 2> none({0, 5});
    const fusion_scope off(fusion::off);
    EXPECT_EQ(item(sum(none * 2 + 1)), 0);
    const array<float, 1> x = {1, 2, 3};
    array<float, 1> y;
    const graph g = capture([&] { y = x * 2 + 1; });
    g.launch();
    EXPECT_THAT(to_host(y), testing::ElementsAre(3, 5, 7));
}

}  // namespace
}  // namespace sinter::test
