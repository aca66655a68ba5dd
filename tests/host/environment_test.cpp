// Variables of the environment that are not understood: each is refused in one line that names it, when it is asked
// for.
#include <runtime/cache/embedded.hpp>
#include <runtime/host/blas.hpp>
#include <runtime/host/instruction_set.hpp>
#include <runtime/memory/pool.hpp>
#include <runtime/system/environment.hpp>
#include <runtime/system/process_rank.hpp>
#include <runtime/system/warning.hpp>
#include <sinter.hpp>

#ifdef SINTER_WITH_CUDA
#include <runtime/cuda/cuda_blas_library.hpp>
#include <runtime/distributed/cuda_nccl_library.hpp>
#include <runtime/nvrtc/nvrtc_library.hpp>
#endif

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sinter;

constexpr int refused = 12;
using variables = std::vector<std::pair<const char*, std::string>>;

/// What asking for something ends in, in a process of its own.
int asked(const variables& set, const std::function<void()>& what) {
    for (const auto& [name, value] : set) setenv(name, value.c_str(), 1);
    try {
        what();
    } catch (const error& e) {
        const std::string message = e.what();
        std::fprintf(stderr, "%s\n", message.c_str());
        return message.find('\n') == std::string::npos ? refused : 1;
    }
    return 0;
}

class environment_variables : public testing::Test {
protected:
    void SetUp() override {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        for (const char* name : {"SINTER_DEVICE", "SINTER_RANK", "SINTER_SIZE", "SINTER_NVRTC"}) unsetenv(name);
    }
};

#define EXPECT_REFUSED(set, what, words) \
    EXPECT_EXIT(std::exit(asked(set, what)), testing::ExitedWithCode(refused), words)
#define EXPECT_TAKEN_WITH(set, what, words) EXPECT_EXIT(std::exit(asked(set, what)), testing::ExitedWithCode(0), words)
#define EXPECT_TAKEN(set, what) EXPECT_TAKEN_WITH(set, what, "")

TEST_F(environment_variables, of_the_device) {
    const auto ask = [] { static_cast<void>(current_device()); };
    for (const char* value : {"cuda:0abc", "cuda:", "cuda:-1", "cuda: 0", "cuda:99999999999", "gpu", "HOST", "host "})
        EXPECT_REFUSED((variables{{"SINTER_DEVICE", value}}), ask, "SINTER_DEVICE=.*use host, cuda or cuda:<number>");
    EXPECT_TAKEN((variables{{"SINTER_DEVICE", "host"}}), ask);
}

TEST_F(environment_variables, of_ranks) {
    const auto ask = [] { static_cast<void>(codegen::rank_from_environment()); };
    EXPECT_REFUSED((variables{{"SINTER_RANK", "0"}}), ask, "SINTER_RANK is set and SINTER_SIZE is not");
    EXPECT_REFUSED((variables{{"SINTER_SIZE", "2"}}), ask, "SINTER_SIZE is set and SINTER_RANK is not");
    EXPECT_REFUSED((variables{{"SINTER_RANK", "2"}, {"SINTER_SIZE", "2"}}), ask, "SINTER_RANK=2, SINTER_SIZE=2");
    for (const char* rank : {"-1", "x", "1x", " 1", "1.5", "99999999999"})
        EXPECT_REFUSED((variables{{"SINTER_RANK", rank}, {"SINTER_SIZE", "2"}}), ask, "SINTER_RANK=.*whole number");
    EXPECT_REFUSED((variables{{"SINTER_RANK", "0"}, {"SINTER_SIZE", "0"}}), ask, "SINTER_SIZE=0");
    EXPECT_TAKEN((variables{{"SINTER_RANK", "1"}, {"SINTER_SIZE", "2"}}), ask);
    EXPECT_TAKEN((variables{{"SINTER_SIZE", "1"}}), ask);
    EXPECT_TAKEN((variables{{"SLURM_PROCID", "0"}}), ask);
}

TEST_F(environment_variables, that_name_libraries) {
    struct library {
        const char* name;
        std::function<void()> ask;
    };
    const std::vector<library> all = {
        {"SINTER_BLAS", [] { static_cast<void>(codegen::blas_name()); }},
#ifdef SINTER_WITH_CUDA
        {"SINTER_NVRTC", [] { static_cast<void>(codegen::find_nvrtc()); }},
        {"SINTER_CUBLASLT", [] { static_cast<void>(codegen::cublaslt::find()); }},
        {"SINTER_NCCL", [] { static_cast<void>(codegen::nccl::find()); }},
#endif
    };
    for (const library& l : all) {
        const std::string named = std::string(l.name) + "=";
        EXPECT_REFUSED((variables{{l.name, "/nowhere/lib.so"}}), l.ask, named + "/nowhere/lib.so: .*such file");
        EXPECT_REFUSED((variables{{l.name, "/etc/passwd"}}), l.ask, named + "/etc/passwd: .*name the library's file");
        EXPECT_REFUSED((variables{{l.name, "libm.so.6"}}), l.ask, named + "libm.so.6: it lacks functions");
        if (l.name != std::string("SINTER_NVRTC")) {
            EXPECT_TAKEN((variables{{l.name, "off"}}), l.ask);
        }
    }
#ifdef SINTER_WITH_CUDA
    EXPECT_REFUSED((variables{{"SINTER_NVRTC", "/etc"}}), all[1].ask, "SINTER_NVRTC=/etc: .*name the library's file");
#endif
}

TEST_F(environment_variables, whose_bytes_are_not_text) {
    const auto device = [] { static_cast<void>(current_device()); };
    EXPECT_REFUSED((variables{{"SINTER_DEVICE", "a\nb\x1b[31m\xff"}}), device, "=a.x0ab.x1b.31m.xff: no such device");
    EXPECT_REFUSED((variables{{"SINTER_DEVICE", std::string(5000, 'a')}}), device, "=a{200}[.]{3}: no such device");
    const auto library = [] { static_cast<void>(codegen::blas_name()); };
    EXPECT_REFUSED((variables{{"SINTER_BLAS", "/nowhere/\n\x1b"}}), library, "=/nowhere/.x0a.x1b: .*such file");
    const auto archs = [] { static_cast<void>(codegen::wanted_record()); };
    EXPECT_REFUSED((variables{{"SINTER_RECORD_KERNELS", "k"}, {"SINTER_RECORD_ARCHS", "sm_80,\n"}}), archs,
                   "no architecture '.x0a'");
    const auto warned = [] { codegen::warn("kernel cache /tmp/a\n\x1b[31m: refused"); };
    EXPECT_TAKEN_WITH((variables{}), warned, "kernel cache /tmp/a.x0a.x1b.31m: refused");
}

TEST_F(environment_variables, of_recorded_architectures) {
    const auto archs = [] { static_cast<void>(codegen::wanted_record()); };
    EXPECT_REFUSED((variables{{"SINTER_RECORD_KERNELS", "k"}, {"SINTER_RECORD_ARCHS", "sm_90,sm_80x"}}), archs,
                   "SINTER_RECORD_ARCHS: no architecture 'sm_80x'");
}

TEST_F(environment_variables, of_the_memorys_limit) {
    const auto ask = [] {
        if (codegen::limit_from_environment() != std::size_t{3} << 20) throw error("another limit");
    };
    for (const char* value : {"3MB", "-1", "0", "MiB", "1.5GiB", "99999999999999999999", "17179869184GiB"})
        EXPECT_REFUSED((variables{{"SINTER_MEMORY_LIMIT", value}}), ask, "SINTER_MEMORY_LIMIT=.*512MiB");
    EXPECT_TAKEN((variables{{"SINTER_MEMORY_LIMIT", "3MiB"}}), ask);
    EXPECT_TAKEN((variables{{"SINTER_MEMORY_LIMIT", "3145728"}}), ask);
}

TEST_F(environment_variables, of_the_instruction_set) {
    const auto ask = [] { static_cast<void>(codegen::host_instruction_set()); };
    EXPECT_REFUSED((variables{{"SINTER_ISA", "v3x"}}), ask, "SINTER_ISA=v3x: use baseline, v3 or v4");
    EXPECT_TAKEN((variables{{"SINTER_ISA", "baseline"}}), ask);
}

}  // namespace
