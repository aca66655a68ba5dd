// What a cut is estimated to cost before a schedule is known: launches, and the bytes that their kernels move.
#include <codegen/transforms/cut.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

template <class Tree>
double seconds_of(const expr<Tree>& e, std::size_t launches) {
    const ir::program& program = sinter::detail::program_of<Tree>;
    graph whole = bind(program, e.arguments());
    unify_inputs(whole);
    const std::vector<kernel_roots> kernels =
        kernels_of(program, e.arguments().integers, whole, weight::ranks, fusion::on);
    EXPECT_EQ(kernels.size(), launches);
    return estimate_of(whole, kernels).seconds;
}

TEST(estimates, what_no_cache_holds_is_read_by_each_loop) {
    const device_scope on_host(host());
    const array<float, 2> large(shape<2>(1 << 14, 1 << 12)), small(shape<2>(1 << 8, 1 << 12));
    const auto of_rows = [](const auto& x) { return seconds_of(x / sum(x, axis=1, keepdims), 1); };
    const auto of_columns = [](const auto& x) { return seconds_of(x / sum(x, axis=0, keepdims), 1); };
    EXPECT_NEAR(of_columns(large) / of_rows(large), 1.5, 0.05);  // read twice and written, not once and written
    EXPECT_EQ(of_columns(small), of_rows(small));
}

TEST(estimates, a_launch_takes_time_of_its_own) {
    const device_scope on_host(host());
    const array<float, 2> x(shape<2>(8, 8));
    const double one = seconds_of(sum(x, axis=1), 1);
    EXPECT_GT(one, 1e-6);
    EXPECT_NEAR(seconds_of(matmul(matmul(x, x), x), 2), 2 * one, 1e-7);
}

}  // namespace
}  // namespace sinter::codegen
