// A kernel that reads what it must not, in a process of its own: what is said of it later, and with the check `sync`.
#include <sinter.hpp>
#include <sinter/debug.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using namespace sinter;

/// Exits with 10 where the launch itself throws, with 11 where waiting for it does, and says what.
void fail_on_the_device(debug_checks checks) {
    const device_scope on(cuda(0));
    const raw_kernel wild("extern \"C\" __global__ void wild(float* x, long long far) { x[far] = 1; }", "wild");
    array<float, 1> x = zeros<float>({4});
    int code = 10;
    try {
        const debug_scope scope(checks);
        wild(grid(1), block(1), 0, x, 1LL << 44);
        code = 11;
        synchronize();
        code = 12;
    } catch (const error& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    std::_Exit(code);  // the device is of no more use
}

TEST(debug, an_error_of_an_earlier_launch_says_how_to_find_it) {
    if (cuda_count() == 0) GTEST_SKIP() << "there is no CUDA device";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(fail_on_the_device({}), testing::ExitedWithCode(11),
                "CUDA_ERROR_ILLEGAL_ADDRESS.*: a kernel failed, perhaps one of an earlier launch.*SINTER_DEBUG=sync");
    EXPECT_EXIT(fail_on_the_device({.sync = true}), testing::ExitedWithCode(10),
                "cuda\\(0\\): raw_kernel 'wild' failed with CUDA_ERROR_ILLEGAL_ADDRESS");
}

}  // namespace
