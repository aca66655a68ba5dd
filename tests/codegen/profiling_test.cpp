// What people see who watch a program run: names of kernels, lines of SINTER_LOG, ranges of profilers.
#include <codegen/cuda/source.hpp>
#include <runtime/system/launch_log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter.hpp>
#include <tests/emulate/emulated_device.hpp>

#include <cstdlib>
#include <string>

#include <dlfcn.h>

namespace {

using namespace sinter;
using testing::HasSubstr;

/// NVTX looks for a profiler once, at the first range.
const bool attached = ::setenv("NVTX_INJECTION64_PATH", SINTER_PLAIN_NVTX, 1) == 0;

device emulated() {
    static auto* one = new emulate::emulated_device;
    return device(*one);
}

template <class E>
std::string kernel_of(const E& e) {
    const std::string text = source(e);
    const std::size_t end = text.find('(', text.find("__launch_bounds__(") + 18);
    return text.substr(text.rfind(' ', end) + 1, end - text.rfind(' ', end) - 1);
}

TEST(profiling, kernels_are_named_for_what_they_compute) {
    const array<float, 2> x = ones<float>({300, 70});
    const array<float, 2> wide = ones<float>({1024, 1024});
    const array<double, 2> d = ones<double>({300, 70});
    EXPECT_EQ(kernel_of(sqrt(sum(d * d, axis=1))), "sum_sqrt_float64_rows");
    EXPECT_EQ(kernel_of(softmax(x, axis=1)), "max_exp_sum_float32_rows");
    EXPECT_EQ(kernel_of(x * 2.f + 1.f), "multiply_add_float32_elementwise");
    EXPECT_EQ(kernel_of(exp(x) * 2.f), "exp_float32_elementwise");
    EXPECT_EQ(kernel_of(sum(x, axis=0)), "sum_float32_columns");
    EXPECT_EQ(kernel_of(cumsum(x, axis=1)), "cumulative_sum_float32_rows");
    EXPECT_EQ(kernel_of(take(x, arange<int>(5), axis=0)), "take_float32_elementwise");
    EXPECT_EQ(kernel_of(transpose(wide)), "copy_float32_tiled");
}

TEST(profiling, long_names_keep_what_fits) {
    const array<float, 1> x = ones<float>({300});
    const std::string name = kernel_of(sinh(cosh(tanh(asinh(acosh(atanh(logaddexp(expm1(log1p(erf(x))), x))))))));
    EXPECT_LE(name.size(), 64u) << name;
    EXPECT_THAT(name, HasSubstr("erf_"));
}

TEST(profiling, launches_are_logged_where_they_are_asked_for) {
    const device_scope on_host(host());
    const array<float, 1> x = {1, 4, 9};
    array<float, 1> y;
    testing::internal::CaptureStderr();
    y = sqrt(x);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    codegen::launches_logged = 1;
    testing::internal::CaptureStderr();
    y = sqrt(x);
    const device_scope on(emulated());
    const array<float, 1> there = x.to(emulated());
    array<float, 1> z = sqrt(there);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "sinter: host: the loops of sqrt(x0)\n"
              "sinter: emulated: the kernel sqrt_float32_elementwise<<<1, 256>>> of sqrt(x0)\n");
    codegen::launches_logged = 0;
}

TEST(profiling, a_log_of_something_else_is_refused) {
    ::setenv("SINTER_LOG", "lunches", 1);
    EXPECT_THAT([] { codegen::read_log_of_environment(); },
                testing::ThrowsMessage<error>("SINTER_LOG=lunches: use launches, or unset it"));
    ::setenv("SINTER_LOG", "launches", 1);
    EXPECT_EQ(codegen::read_log_of_environment(), 1);
    ::unsetenv("SINTER_LOG");
    EXPECT_EQ(codegen::read_log_of_environment(), 0);
}

TEST(profiling, an_evaluation_is_a_range) {
    const device_scope on_host(host());
    const array<float, 1> x = {1, 4, 9};
    const array<float, 1> y = sqrt(x) * 3.f;
    void* const profiler = ::dlopen(SINTER_PLAIN_NVTX, RTLD_NOW);
    ASSERT_NE(profiler, nullptr);
    const auto ranges = reinterpret_cast<const char* (*)()>(::dlsym(profiler, "ranges"));
    ASSERT_NE(ranges, nullptr);
    const std::string all = ranges();
    if (all.empty()) GTEST_SKIP() << "this build is without NVTX's headers";
    EXPECT_THAT(all, testing::StartsWith("Sinter:"));
    EXPECT_THAT(all, HasSubstr("sqrt(x0) * s0;"));
    EXPECT_THAT(all, testing::Not(testing::EndsWith("!")));
}

}  // namespace
