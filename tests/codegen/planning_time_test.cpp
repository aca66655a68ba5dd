// Planning takes little processor time. What a machine takes for a plan depends on the machine and on what else it
// does, so plans are compared with one that needs no search: the least of many repetitions of each, in turn.
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace sinter::codegen {
namespace {

double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <class Tree>
double planned(const expr<Tree>& e) {
    const double start = processor_seconds();
    const compiled_program made = compile({&sinter::detail::program_of<Tree>, e.arguments()}, {}, {});
    EXPECT_FALSE(made.kernels.empty());
    return processor_seconds() - start;
}

/// How many times longer an expression's plan takes than that of a sum of rows.
template <class Tree>
double times_a_sum(const expr<Tree>& e) {
    constexpr int repetitions = 25;
    const array<float, 2> x(shape<2>(4000, 1000)), y(shape<2>(4000, 1000));
    double least = 1, of_sum = 1;
    for (int i = 0; i < repetitions; ++i) {
        of_sum = std::min(of_sum, planned(sum(x * y, axis=1)));
        least = std::min(least, planned(e));
    }
    return least / of_sum;
}

class planning_time : public ::testing::Test {
protected:
    device_scope on_host{host()};
    array<float, 2> x_{shape<2>(3000, 1000)}, y_{shape<2>(3000, 1000)};
    array<float, 1> v_{shape<1>(1000)};
};

TEST_F(planning_time, of_one_kernel) {
    EXPECT_LT(times_a_sum(softmax(x_, axis=1)), 4);
    EXPECT_LT(times_a_sum(layer_norm(x_, axis=1) * v_ + v_), 4);
}

TEST_F(planning_time, of_a_search_among_few_cuts) { EXPECT_LT(times_a_sum(x_ / sum(x_) - mean(y_, axis=0)), 25); }

TEST_F(planning_time, of_a_search_among_many_cuts) {
    EXPECT_LT(times_a_sum(softmax(gelu(x_ + v_) - max(y_), axis=1)), 150);
}

}  // namespace
}  // namespace sinter::codegen
