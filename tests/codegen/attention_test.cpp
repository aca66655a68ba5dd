// Products with a softmax of another product's results are one kernel, wherever a scale, a mask or a bias is applied,
// at the sizes of networks: compiled for an H200, not evaluated.
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/online.hpp>
#include <codegen/verify/verify.hpp>
#include <sinter.hpp>
#include <tests/codegen/attention_operands.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

using testing::compiled_for_h200;
using testing::launches_of;
using testing::unbacked;
template <class T>
using operands = testing::attention_operands<T>;

template <class T>
void expect_one_wherever_the_scale_is(const operands<T>& of) {
    const array<T, 3>& q = of.q;
    const array<T, 3>& v = of.v;
    EXPECT_EQ(launches_of(matmul(softmax(of.scores(), axis=-1), v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() * 0.125f, axis=-1), v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() / 8, axis=-1), v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(q * 0.125f, of.transposed()), axis=-1), v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(of.scores(), axis=-1), v) * 0.5f), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(q * 0.125f, of.transposed()) * 3, axis=-1), v) * 0.5f), 1u);
    // computing k or v again in each block may take longer than storing it: never more than that
    EXPECT_LE(launches_of(matmul(softmax(matmul(q, of.transposed() * 0.125f), axis=-1), v)), 2u);
    EXPECT_LE(launches_of(matmul(softmax(of.scores(), axis=-1), v * 0.5f)), 2u);
    EXPECT_LE(launches_of(matmul(softmax(matmul(q * 0.5f, of.transposed() * 0.25f), axis=-1), v * 0.5f)), 3u);
}

TEST(Attention, IsOneKernelWhereverTheScaleIs) {
    expect_one_wherever_the_scale_is(operands<float16>(32, 2048, 64));
    expect_one_wherever_the_scale_is(operands<float16>(3, 777, 96));
    expect_one_wherever_the_scale_is(operands<bfloat16>(8, 1024, 128));
}

TEST(Attention, IsOneKernelWhateverIsAddedToTheScores) {
    const operands<float16> of(16, 1024, 64);
    const auto i = arange<int>(1024)(all, newaxis), j = arange<int>(1024)(newaxis, all);
    const auto bias = unbacked<float16>(shape<2>(1024, 1024));
    const auto slope = unbacked<float16>(shape<3>(16, 1, 1));
    const auto there = unbacked<bool>(shape<3>(16, 1, 1024));
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() + bias, axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(where(j <= i, of.scores(), -1e9f), axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(where(there, of.scores(), -1e4f), axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(of.scores() - slope * astype<float16>(abs(i - j)), axis=-1), of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(tanh(of.scores() / 30) * 30, axis=-1), of.v)), 1u);
    const auto e = exp(of.scores() - max(of.scores(), axis=2, keepdims));
    EXPECT_EQ(launches_of(matmul(e / sum(e, axis=2, keepdims), of.v)), 1u);
}

struct masked_kernel {
    bool skips, last_rows_first;
    double share;  ///< of slices
};

/// Verifies the kernel's program.
template <class Tree>
masked_kernel verified(const expr<Tree>& e) {
    const bindings b{&sinter::detail::program_of<Tree>, e.arguments()};
    const compiled_program all = compile(b, target{}, {});
    const loop_nest& k = all.kernels.at(0).body;
    const schedule s = all.kernels.at(0).chosen.value();
    const printed_kernel r = print_kernel(k, s, "");
    EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(k, s), *r.program)),
              std::vector<std::string>());
    return {s.tensor.skips, s.tensor.last_rows_first, share_of_slices(k, online_sums_of(k).value(), s)};
}

TEST(Attention, SkipsWhatMasksOfIndicesExclude) {
    const operands<float16> of(16, 1000, 64);
    const auto i = arange<int>(1000)(all, newaxis), j = arange<int>(1000)(newaxis, all);
    const auto masked = [&](const auto& condition) {
        return verified(matmul(softmax(where(condition, of.scores(), -1e4f), axis=-1), of.v));
    };
    EXPECT_TRUE(masked(j <= i).skips);
    EXPECT_TRUE(masked(j <= i).last_rows_first);
    EXPECT_TRUE(masked(i <= j).skips);
    EXPECT_FALSE(masked(i <= j).last_rows_first);
    EXPECT_TRUE(masked(abs(i - j) < 100).skips);
    EXPECT_TRUE(masked(j < unbacked<int>(shape<3>(16, 1, 1))).skips);
    EXPECT_NEAR(masked(j <= i).share, 0.56, 0.03);  // the diagonal's slices are whole
    EXPECT_NEAR(masked(i <= j).share, 0.56, 0.03);
    EXPECT_NEAR(masked(j == i).share, 0.11, 0.09);  // as many slices as a tile's rows meet
    EXPECT_EQ(masked(j < unbacked<int>(shape<3>(16, 1, 1))).share, 1);
    EXPECT_FALSE(masked(unbacked<bool>(shape<2>(1000, 1000))).skips);
}

TEST(Attention, IsOneKernelWhateverMultipliesTheWeights) {
    const operands<float16> of(16, 1024, 64);
    const auto weights = softmax(of.scores(), axis=-1);
    const auto there = unbacked<bool>(shape<3>(16, 1024, 1024));
    const auto factors = unbacked<float16>(shape<2>(1024, 1024));
    const auto kept = uniform<float>(random_key(1), shape<3>(16, 1024, 1024)) > 0.1f;
    EXPECT_EQ(launches_of(matmul(where(there, weights, 0.f) / 0.9f, of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(weights * there / 0.9f, of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(factors * weights, of.v)), 1u);
    EXPECT_EQ(launches_of(matmul(where(kept, weights, 0.f) / 0.9f, of.v)), 1u);
    verified(matmul(where(there, weights, 0.f) / 0.9f, of.v));
    verified(matmul(factors * weights, of.v));
    verified(matmul(where(kept, weights, 0.f) / 0.9f, of.v));
    // what is selected in place of a weight is not multiplied by the total
    EXPECT_GT(launches_of(matmul(where(there, weights, 0.5f), of.v)), 1u);
    // a factor of the scores themselves is not known beside their exponentials
    EXPECT_GT(launches_of(matmul(weights * of.scores(), of.v)), 1u);
}

TEST(Attention, IsOneKernelWithNumbersOfEachHead) {
    const auto q = unbacked<float16>(shape<4>(2, 8, 1024, 64));
    const auto scores = matmul(q, permute(q, {0, 1, 3, 2}));
    const auto i = arange<int>(1024)(all, newaxis), j = arange<int>(1024)(newaxis, all);
    const auto slopes = unbacked<float16>(shape<3>(8, 1, 1));
    const auto documents = unbacked<int>(shape<2>(2, 1024));
    EXPECT_EQ(launches_of(matmul(softmax(scores - slopes * abs(i - j), axis=-1), q)), 1u);
    const auto alike = documents(all, newaxis, all, newaxis) == documents(all, newaxis, newaxis, all);
    EXPECT_EQ(launches_of(matmul(softmax(where(alike, scores, -1e9f), axis=-1), q)), 1u);
}

TEST(Attention, IsOneKernelWithAnyNumberOfBatches) {
    const auto x = unbacked<float16>(shape<4>(2, 12, 1024, 64));
    const auto y = unbacked<float16>(shape<2>(1024, 64));
    EXPECT_EQ(launches_of(matmul(softmax(matmul(x, permute(x, {0, 1, 3, 2})), axis=-1), x)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(x * 0.125f, permute(x, {0, 1, 3, 2})), axis=-1), x)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(y, transpose(y)), axis=-1), y)), 1u);
    EXPECT_EQ(launches_of(matmul(softmax(matmul(y * 0.125f, transpose(y)), axis=-1), y)), 1u);
}

/// Of queries in groups that share keys and values: the result and its statistics, sums of rows, and two kernels, whose
/// indices are proved to be within the arrays.
TEST(Attention, GradientsOfGroupsStoreNoScores) {
    const auto q = unbacked<float16>(shape<5>(2, 4, 4, 512, 64)), w = unbacked<float16>(shape<5>(2, 4, 4, 512, 64));
    const auto k = unbacked<float16>(shape<5>(2, 4, 1, 512, 64)), v = unbacked<float16>(shape<5>(2, 4, 1, 512, 64));
    const auto i = arange<int>(512)(all, newaxis), j = arange<int>(512)(newaxis, all);
    const auto there = unbacked<bool>(shape<5>(2, 4, 4, 512, 512));
    const auto scores = where(j <= i, matmul(q, permute(k, {0, 1, 2, 4, 3})) * 0.125f, -1e9f);
    const auto loss = sum(astype<float>(matmul(where(there, softmax(scores, axis=-1), 0.f) / 0.9f, v) * w));
    const compiled_program all_kernels = compiled_for_h200(grad(loss, q, k, v));
    EXPECT_EQ(all_kernels.kernels.size(), 4u);
    for (const compiled_kernel& one : all_kernels.kernels) {
        const printed_kernel r = print_kernel(one.body, *one.chosen, "");
        EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(one.body, *one.chosen), *r.program)),
                  std::vector<std::string>());
    }
}

/// Splitting products into heads and joining them again takes no launch: products store what their readers want.
TEST(Attention, TakesNoLaunchForHeads) {
    const auto x = unbacked<float16>(shape<3>(4, 2048, 1024));
    const auto w = unbacked<float16>(shape<2>(1024, 1024));
    const auto heads = [](const auto& of) { return moveaxis(reshape(of, {4, 2048, 16, 64}), 2, 1); };
    const auto q = heads(matmul(x, w)), k = heads(matmul(x, w)), v = heads(matmul(x, w));
    const auto mixed = matmul(softmax(matmul(q, permute(k, {0, 1, 3, 2})) * 0.125f, axis=-1), v);
    EXPECT_EQ(launches_of(mixed), 2u);  // the three are one
    EXPECT_EQ(launches_of(matmul(reshape(moveaxis(mixed, 1, 2), {4, 2048, 1024}), w)), 3u);
    // also where the result has another order
    EXPECT_EQ(launches_of(transpose(matmul(w, w))), 1u);
    EXPECT_EQ(launches_of(tanh(permute(matmul(x, w), {2, 0, 1}))), 1u);
    // what several read is computed once
    const auto p = matmul(w, w);
    EXPECT_EQ(launches_of(p + transpose(p)), 2u);
}

}  // namespace
}  // namespace sinter::codegen
