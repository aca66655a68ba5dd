// Attention of float32 numbers is one kernel, as that of halves is: compiled for an H200 and others, not evaluated.
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/factor_parts.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/verify/verify.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter.hpp>
#include <tests/codegen/attention_operands.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

using testing::compiled_for_h200;
using testing::launches_of;
using testing::unbacked;

/// The only kernel.
template <class Tree>
loop_nest kernel_of(const expr<Tree>& e) {
    const compiled_program all = compiled_for_h200(e);
    EXPECT_EQ(all.kernels.size(), 1u);
    return all.kernels.at(0).body;
}

/// Where a library may compute the products.
template <class Tree>
std::size_t launches_beside_library(const expr<Tree>& e) {
    target to;
    to.library = [](const gemm&, const std::vector<int>&) { return true; };
    return launches_of(e, to);
}

struct floats : testing::attention_operands<float> {
    using attention_operands::attention_operands;
    auto scores() const { return attention_operands::scores() * 0.125f; }
    auto attention() const { return matmul(softmax(scores(), axis=-1), v); }
};

TEST(AttentionFloat32, IsOneKernel) {
    for (const std::int64_t steps : {32, 64, 96, 128}) {
        EXPECT_EQ(launches_of(floats(32, 2048, steps).attention()), 1u) << steps;
        EXPECT_EQ(launches_of(floats(64, 777, steps).attention()), 1u) << steps;
        EXPECT_EQ(launches_beside_library(floats(32, 2048, steps).attention()), 1u) << steps;
    }
    // what registers do not hold, and what has too few rows for the device, takes less time apart
    EXPECT_EQ(launches_of(floats(32, 2048, 256).attention()), 3u);
    EXPECT_EQ(launches_of(floats(1, 777, 64).attention()), 3u);
}

TEST(AttentionFloat32, IsOneKernelWhateverIsDoneToScoresAndWeights) {
    const floats of(32, 1024, 64);
    const auto i = arange<int>(1024)(all, newaxis), j = arange<int>(1024)(newaxis, all);
    const auto bias = unbacked<float>(shape<2>(1024, 1024));
    const auto slope = unbacked<float>(shape<3>(32, 1, 1));
    const auto there = unbacked<bool>(shape<3>(32, 1024, 1024));
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() + bias, axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(where(j <= i, of.scores(), -1e9f), axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() - slope * abs(i - j), axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(tanh(of.scores() / 30) * 30, axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(where(there, softmax(of.scores(), axis=-1), 0.f) / 0.9f, of.v)), 1u);
    const auto s = of.scores();
    const auto e = exp(s - max(s, axis=2, keepdims));
    EXPECT_EQ(launches_of(matmul(e, of.v) / sum(e, axis=2, keepdims)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(of.q * 0.125f, of.transposed()), axis=-1), of.v)), 1u);
    const auto shared = unbacked<float>(shape<4>(2, 1, 1024, 64)), q = unbacked<float>(shape<4>(2, 8, 1024, 64));
    EXPECT_EQ(launches_of(matmul(softmax(matmul(q, permute(shared, {0, 1, 3, 2})), axis=-1), shared)), 1u);
}

TEST(AttentionFloat32, OfFloat16ScoresAndFloat32Biases) {
    const auto x = unbacked<float16>(shape<3>(16, 1024, 64));
    const auto bias = unbacked<float>(shape<2>(1024, 1024));
    const loop_nest k = kernel_of(matmul(softmax(matmul(x, permute(x, {0, 2, 1})) + bias, axis=-1), x));
    const online_sums sums = online_sums_of(k).value();
    EXPECT_FALSE(has_split_scores(k, sums));
    EXPECT_TRUE(has_split_weights(k, sums));
    EXPECT_EQ(parts_of(k, sums.weight), 3);
    EXPECT_EQ(parts_of(k, sums.y), 2);
}

/// Products that may round to fewer bits are a library's.
TEST(AttentionFloat32, ProductsOfFewerBitsStayApart) {
    const floats of(32, 1024, 64);
    const auto scores = matmul(of.q, of.transposed(), precision=tf32);
    EXPECT_EQ(launches_beside_library(matmul(softmax(scores, axis=-1), of.v)), 3u);
}

void expect_verified(const loop_nest& k, int arch, int spilled) {
    device_properties m;
    m.arch = arch;
    const schedule s = choose_schedule(k, m, std::vector<int>(8, 16));
    SCOPED_TRACE(std::to_string(arch) + ' ' + describe(s));
    ASSERT_EQ(s.form, schedule_form::tensor);
    const printed_kernel r = print_kernel(k, s, "");
    EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(k, s), *r.program)),
              std::vector<std::string>());
    EXPECT_LE(r.shared_bytes, m.dynamic_shared_per_block);
    if (!nvrtc_available() || nvrtc_version() < "12.8") return;
    const compiled made = compile_cuda(r.text, arch);
    EXPECT_EQ(made.log, "");
    EXPECT_LE(made.usage.spill_bytes, spilled);
}

TEST(AttentionFloat32, EveryIndexIsProvedAndNothingSpills) {
    for (const auto& [steps, rows] : {std::pair(32, 2048), {64, 777}, {96, 777}, {128, 2048}, {192, 1024}})
        expect_verified(kernel_of(floats(40, rows, steps).attention()), 90, 0);
    const floats of(32, 2048, 64);
    const auto i = arange<int>(2048)(all, newaxis), j = arange<int>(2048)(newaxis, all);
    const auto slope = unbacked<float>(shape<3>(32, 1, 1));
    expect_verified(kernel_of(matmul(softmax(where(j <= i, of.scores(), -1e9f), axis=-1), of.v)), 90, 0);
    expect_verified(kernel_of(matmul(softmax(of.scores() - slope * abs(i - j), axis=-1), of.v)), 90, 0);
    for (const int arch : {80, 100, 120}) expect_verified(kernel_of(floats(16, 2048, 64).attention()), arch, 32);
}

TEST(AttentionFloat32, IsNotForOlderDevices) {
    const loop_nest k = kernel_of(floats(32, 1024, 64).attention());
    device_properties m;
    m.arch = 75;
    EXPECT_TRUE(online_candidates(k, m, std::vector<int>(8, 16)).empty());
}

}  // namespace
}  // namespace sinter::codegen
