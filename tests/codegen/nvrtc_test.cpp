// NVRTC: images, resources, architectures and errors. It needs the library and no GPU.
#include <runtime/nvrtc/nvrtc.hpp>
#include <runtime/nvrtc/nvrtc_library.hpp>

#include <sinter/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/resource.h>

namespace {

using namespace sinter::codegen;
using testing::HasSubstr;

const std::string axpy = R"(
extern "C" __global__ void __launch_bounds__(256)
axpy(float* __restrict__ y, const float* __restrict__ x, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
)";

class nvrtc : public testing::Test {
protected:
    void SetUp() override {
        if (!nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    }
};

std::string message_of(const std::string& source, int arch) {
    try {
        compile_cuda(source, arch);
    } catch (const sinter::error& e) {
        return e.what();
    }
    return "compiled";
}

TEST_F(nvrtc, says_its_version) {
    EXPECT_THAT(nvrtc_version(), testing::MatchesRegex("[1-9][0-9]\\.[0-9]+"));
    EXPECT_NE(nvrtc_toolchain(80), nvrtc_toolchain(90));
    EXPECT_EQ(nvrtc_toolchain(80), nvrtc_toolchain(80));
}

/// What NVRTC opens by its name alone, and the loader finds in no folder of a toolkit or a wheel.
TEST(nvrtc_versions, are_in_names_of_files) {
    EXPECT_EQ(name_is_at_least("libnvrtc.so.12.2.140", 12, 3), false);
    EXPECT_EQ(name_is_at_least("libnvrtc.so.12.3", 12, 3), true);
    EXPECT_EQ(name_is_at_least("libnvrtc.so.12.10.1", 12, 3), true);
    EXPECT_EQ(name_is_at_least("libnvrtc.so.13", 12, 3), true);
    EXPECT_EQ(name_is_at_least("libnvrtc.so.11.8.89", 12, 3), false);
    EXPECT_EQ(name_is_at_least("libnvrtc.so.12", 12, 3), std::nullopt);
    EXPECT_EQ(name_is_at_least("libnvrtc.so", 12, 3), std::nullopt);
}

TEST_F(nvrtc, knows_what_its_version_compiles) {
    EXPECT_EQ(nvrtc_makes_tensor_maps(), *name_is_at_least("libnvrtc.so." + nvrtc_version(), 12, 3));
}

TEST_F(nvrtc, its_builtins_are_open) {
    const std::string file = "libnvrtc-builtins.so." + nvrtc_version();
    EXPECT_NE(::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD), nullptr) << file;
}

TEST_F(nvrtc, compiles_to_a_cubin_and_reads_its_resources) {
    for (const int arch : {75, 80, 90, 100}) {
        if (arch == 100 && nvrtc_version() < "13") continue;  // newer than it
        const compiled c = compile_cuda(axpy, arch);
        EXPECT_EQ(c.image.substr(0, 4),
                  "\x7f"
                  "ELF")
            << arch;
        EXPECT_EQ(c.usage.image_bytes, c.image.size());
        EXPECT_GT(c.usage.registers, 3) << arch;
        EXPECT_LE(c.usage.registers, 64) << arch;
        EXPECT_EQ(c.usage.shared_bytes, 0) << arch;
        EXPECT_EQ(c.usage.spill_bytes, 0) << arch;
        EXPECT_EQ(c.log, "") << arch;
    }
}

TEST_F(nvrtc, reads_shared_memory) {
    const compiled c = compile_cuda(R"(
extern "C" __global__ void reverse(double* y) {
    __shared__ double tile[300];
    tile[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[299 - threadIdx.x];
}
)",
                                    80);
    EXPECT_EQ(c.usage.shared_bytes, 300 * 8);
}

TEST_F(nvrtc, reads_spills) {
    // 60 doubles live at once in at most 32 registers
    std::string source = "extern \"C\" __global__ void __launch_bounds__(1024, 2) spill(double* y) {\n";
    for (int i = 0; i < 60; ++i) source += "double v" + std::to_string(i) + " = y[" + std::to_string(i) + " * 4096];\n";
    source += "__syncthreads();\n";
    for (int i = 0; i < 60; ++i)
        source += "y[" + std::to_string(i * 7919) + "] = v" + std::to_string((i * 37) % 60) + " * v" +
                  std::to_string(i) + ";\n";
    const compiled c = compile_cuda(source + "}\n", 90);
    EXPECT_GT(c.usage.spill_bytes, 0);
    EXPECT_LE(c.usage.registers, 32);
}

TEST_F(nvrtc, gives_ptx_on_request_and_for_architectures_it_does_not_know) {
    const compiled asked = compile_cuda(axpy, 80, {}, true);
    EXPECT_THAT(asked.image, HasSubstr(".target sm_80"));
    EXPECT_EQ(asked.usage.registers, -1);
    const compiled newer = compile_cuda(axpy, 999);
    EXPECT_THAT(newer.image, HasSubstr(".visible .entry axpy"));
    const compiled between = compile_cuda(axpy, 81);
    EXPECT_THAT(between.image, HasSubstr(".target sm_80"));
}

TEST_F(nvrtc, refuses_architectures_that_are_too_old) {
    const std::string message = message_of(axpy, 20);
    EXPECT_THAT(message, HasSubstr("sm_20"));
    EXPECT_THAT(message, HasSubstr("SINTER_NVRTC"));
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST_F(nvrtc, a_refused_source_is_shown_with_log_and_line_numbers) {
    const std::string message =
        message_of("extern \"C\" __global__ void f(float* y) {\n    *y = no_such_name;\n}\n", 90);
    const std::string first = message.substr(0, message.find('\n'));
    EXPECT_THAT(first, HasSubstr("did not compile"));
    EXPECT_THAT(first, HasSubstr("sm_90"));
    EXPECT_THAT(message, HasSubstr("sinter.cu(2): error: identifier \"no_such_name\" is undefined"));
    EXPECT_THAT(message, HasSubstr("\n   2      *y = no_such_name;\n"));
}

TEST_F(nvrtc, warnings_come_back_without_the_report) {
    const compiled c = compile_cuda("extern \"C\" __global__ void f(float* y) { int never_used; *y = 1; }\n", 90);
    EXPECT_THAT(c.log, HasSubstr("never_used"));
    EXPECT_THAT(c.log, testing::Not(HasSubstr("ptxas info")));
}

TEST_F(nvrtc, the_mathematical_functions_and_intrinsics_are_there) {
    std::string source = "extern \"C\" __global__ void f(float* x, double* y, unsigned* u, long long* l) {\n";
    for (const char* name :
         {"exp",   "exp2",    "exp10",      "expm1",  "log",    "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt",
          "sin",   "cos",     "tan",        "asin",   "acos",   "atan", "sinpi", "cospi", "sinh", "cosh",  "tanh",
          "asinh", "acosh",   "atanh",      "floor",  "ceil",   "rint", "round", "trunc", "erf",  "erfc",  "erfinv",
          "erfcx", "normcdf", "normcdfinv", "tgamma", "lgamma", "j0",   "j1",    "y0",    "y1",   "fabs"})
        source += std::string("*x = ") + name + "(*x); *y = " + name + "(*y);\n";
    for (const char* name :
         {"pow", "atan2", "hypot", "fmod", "remainder", "nextafter", "copysign", "fdim", "fmax", "fmin"})
        source += std::string("*x = ") + name + "(*x, 2.5f); *y = " + name + "(*y, 2.5);\n";
    source += R"(
    *x = fma(*x, *x, *x); *y = fma(*y, *y, *y); *u += isnan(*x) + isinf(*y) + isfinite(*x) + signbit(*y);
    *x += __int_as_float(0x7f800000); *y += __longlong_as_double(0x7ff0000000000000ll);
    *u = min(*u, 3u) + max(*u, 3u) + __popc(*u) + __clz(int(*u)) + atomicAdd(u, 1u); *l = min(*l, 3ll) + __popcll(*l);
    *x += __shfl_xor_sync(0xffffffffu, *x, 1); *y += __shfl_down_sync(0xffffffffu, *y, 1, 8);
    *l += __shfl_sync(0xffffffffu, *l, 0);
    __threadfence(); __syncwarp(); __syncthreads();
})";
    EXPECT_EQ(message_of(source, 90), "compiled");
}

TEST_F(nvrtc, threads_compile_at_once) {
    std::vector<std::thread> threads;
    std::vector<std::string> images(4);
    for (std::size_t i = 0; i < images.size(); ++i)
        threads.emplace_back([&images, i] { images[i] = compile_cuda(axpy, i % 2 == 0 ? 80 : 90).image; });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(images[0], images[2]);
    EXPECT_EQ(images[1], images[3]);
    EXPECT_NE(images[0], images[1]);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)  // whose malloc is another
TEST_F(nvrtc, a_compilation_uses_the_memory_of_the_one_before) {
    const auto pages_taken = [] {
        rusage u{};
        getrusage(RUSAGE_SELF, &u);
        return u.ru_minflt;
    };
    for (int i = 0; i < 3; ++i) compile_cuda(axpy, 90);
    const long before = pages_taken();
    for (int i = 0; i < 3; ++i) compile_cuda(axpy, 90);
    EXPECT_LT(pages_taken() - before, 3 * 400) << "each gives back to the system what the next one needs";
}
#endif

using nvrtc_death = nvrtc;

TEST_F(nvrtc_death, the_environment_decides_which_library) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, since the search is done once in each
    const std::string link = testing::TempDir() + "nvrtc_elsewhere.so";
    const char* const wish = std::getenv("SINTER_NVRTC");
    if (wish != nullptr && wish != link) GTEST_SKIP() << "SINTER_NVRTC is set already";
    if (wish == nullptr) {  // not in that process, which inherits it
        const std::string toolchain = nvrtc_toolchain(90);
        const std::size_t begin = toolchain.find('/');
        const std::string file = toolchain.substr(begin, toolchain.find(' ', begin) - begin);
        ASSERT_EQ(std::system(("ln -sf \"$(readlink -f " + file + ")\" " + link).c_str()), 0);
        setenv("SINTER_NVRTC", link.c_str(), 1);
    }
    EXPECT_EXIT(
        {
            const bool named = nvrtc_toolchain(90).find(link) != std::string::npos;
            std::exit(named && compile_cuda(axpy, 90).usage.spill_bytes == 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
    unsetenv("SINTER_NVRTC");
}

}  // namespace
