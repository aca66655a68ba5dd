// Reductions broadcast back over few groups of many elements: on a GPU several blocks share a group and synchronize.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class long_groups : public on_devices {};

const auto over = std::divides<>();

naive softmax_of(const naive& a, unsigned mask) {
    const naive e = map([](double p, double m) { return std::exp(p - m); }, a, max_of(a, mask, true));
    return map(over, e, sum_of(e, mask, true));
}

TEST_F(long_groups, whole_arrays) {
    for (const std::int64_t n : {9001, 40003, 300000}) {
        SCOPED_TRACE(n);
        const naive a = random({n}, 70, 0.5, 1.5);
        const auto x = to_array<double, 1>(a);
        expect_equal(x / sum(x), map(over, a, sum_of(a, 1)));
        const naive average = mean_of(a, 1);
        expect_equal(sqrt(mean(square(x - mean(x)))),
                     map([](double v) { return std::sqrt(v); },
                         mean_of(map([](double p, double m) { return (p - m) * (p - m); }, a, average), 1)));
    }
}

TEST_F(long_groups, along_each_axis) {
    for (const index& s : {index{3, 20004}, index{17, 33001}, index{9001, 3}, index{10000, 40}}) {
        SCOPED_TRACE(testing::PrintToString(s));
        const naive a = random(s, 71, -5, 5);
        const auto x = to_array<float, 2>(a);
        const unsigned axis_reduced = s[0] < s[1] ? 1 : 0;
        auto e = exp(x - max(x, axis=static_cast<int>(axis_reduced), keepdims));
        expect_equal(e / sum(e, axis=static_cast<int>(axis_reduced), keepdims), softmax_of(a, 1u << axis_reduced));
    }
}

// What a launch leaves in its workspace suits the next.
TEST_F(long_groups, again_and_again) {
    const auto x = to_array<float, 2>(random({9, 34000}, 72, 0.5, 1.5));
    std::vector<float> first;
    for (int round = 0; round < 3; ++round) {
        const array<float, 2> y = x / sum(x, axis=1, keepdims);
        if (round == 0) first = to_host(y);
        EXPECT_EQ(to_host(y), first);
    }
}

}  // namespace
}  // namespace sinter::test
