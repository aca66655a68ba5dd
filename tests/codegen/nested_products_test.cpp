// Gradients of a softmax between two products store nothing as large as its elements, at the sizes of networks:
// compiled for an H200, not evaluated.
#include <codegen/cuda/source.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/verify/verify.hpp>
#include <tests/codegen/compiled_for_h200.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace sinter::codegen {
namespace {

using testing::compiled_for_h200;
using testing::largest_temporary;
using testing::unbacked;

constexpr float none = -std::numeric_limits<float>::infinity();

std::vector<loop_nest> nested_kernels(const compiled_program& p) {
    std::vector<loop_nest> found;
    for (const compiled_kernel& k : p.kernels)
        if (nested_products_of(k.body)) found.push_back(k.body);
    return found;
}

template <class T>
struct operands {
    operands(std::int64_t batch, std::int64_t rows, std::int64_t steps)
        : q(unbacked<T>(shape<3>(batch, rows, steps))),
          k(unbacked<T>(shape<3>(batch, rows, steps))),
          v(unbacked<T>(shape<3>(batch, rows, steps))),
          w(unbacked<T>(shape<3>(batch, rows, steps))) {}
    auto scores() const { return matmul(q, permute(k, {0, 2, 1})) * 0.125f; }
    auto i() const { return arange<int>(q.shape()[1])(all, newaxis); }
    auto j() const { return arange<int>(q.shape()[1])(newaxis, all); }
    auto causal() const { return where(j() <= i(), scores(), none); }
    template <class Scores>
    compiled_program gradient(const Scores& x) const {
        return compiled_for_h200(grad(sum(astype<float>(matmul(softmax(x, axis=-1), v) * w)), q, k, v));
    }
    array<T, 3> q, k, v, w;
};

/// One kernel forwards, which stores maxima and sums as well; sums of rows; the derivatives by q; those by k and v.
template <class T>
void expect_linear(const operands<T>& of, const compiled_program& p) {
    EXPECT_EQ(p.kernels.size(), 4u);
    EXPECT_EQ(nested_kernels(p).size(), 2u);
    EXPECT_LE(largest_temporary(p), of.q.size());
}

TEST(NestedProducts, MakeGradientsLinear) {
    const operands<float16> large(64, 2048, 64), odd(3, 777, 96);
    expect_linear(large, large.gradient(large.scores()));
    expect_linear(large, large.gradient(large.causal()));
    expect_linear(odd, odd.gradient(odd.causal()));
    const operands<bfloat16> other(8, 1024, 128);
    expect_linear(other, other.gradient(other.causal()));
}

TEST(NestedProducts, MakeGradientsLinearWhateverTheScoresAre) {
    const operands<float16> of(16, 1024, 64);
    const auto bias = unbacked<float16>(shape<2>(1024, 1024));
    const auto slope = unbacked<float16>(shape<3>(16, 1, 1));
    expect_linear(of, of.gradient(of.scores() + bias));
    expect_linear(of, of.gradient(tanh(of.scores() / 30) * 30));
    expect_linear(of, of.gradient(of.scores() - slope * astype<float16>(abs(of.i() - of.j()))));
    expect_linear(of, of.gradient(where(of.j() <= of.i(), of.scores(), -1e4f)));
    expect_linear(of, of.gradient(of.scores() / 3));
}

/// Of heads that are parts of the rows of three products.
TEST(NestedProducts, ReadHeadsByTheirStrides) {
    const auto x = unbacked<float16>(shape<3>(4, 2048, 1024)), w = unbacked<float16>(shape<3>(4, 2048, 1024));
    const auto a = unbacked<float16>(shape<2>(1024, 1024)), b = unbacked<float16>(shape<2>(1024, 1024)),
               c = unbacked<float16>(shape<2>(1024, 1024));
    const auto heads = [](const auto& of) { return moveaxis(reshape(of, {4, 2048, 16, 64}), 2, 1); };
    const auto scores = matmul(heads(matmul(x, a)), permute(heads(matmul(x, b)), {0, 1, 3, 2})) * 0.125f;
    const auto mixed = moveaxis(matmul(softmax(scores, axis=-1), heads(matmul(x, c))), 1, 2);
    const auto loss = mean(square(astype<float>(reshape(mixed, {4, 2048, 1024})) - w));
    const compiled_program p = compiled_for_h200(grad(loss, a, b, c));
    EXPECT_EQ(nested_kernels(p).size(), 2u);
    EXPECT_LE(largest_temporary(p), x.size());
}

/// A product along a long axis would be computed for each element again.
TEST(NestedProducts, AreNotThoseOfLongAxes) {
    const operands<float16> of(2, 2048, 512);
    EXPECT_TRUE(nested_kernels(of.gradient(of.scores())).empty());
    const operands<float16> few(2, 64, 64);  // scores are no more than what they are computed of
    EXPECT_TRUE(nested_kernels(few.gradient(few.scores())).empty());
}

TEST(NestedProducts, SkipWhatMasksExclude) {
    const operands<float16> of(16, 1000, 64);
    for (const loop_nest& k : nested_kernels(of.gradient(of.causal()))) {
        const schedule s = schedule_nested(k, device_properties{}, {}).value();
        EXPECT_TRUE(s.tensor.skips);
        const bool by_query = nested_products_of(k)->results.size() == 1;
        EXPECT_EQ(s.tensor.last_rows_first, by_query);
    }
    for (const loop_nest& k : nested_kernels(of.gradient(of.scores())))
        EXPECT_FALSE(schedule_nested(k, device_properties{}, {}).value().tensor.skips);
}

TEST(NestedProducts, ShareWhatTheyBothNeed) {
    const operands<float16> of(16, 1000, 64);
    const std::vector<loop_nest> all = nested_kernels(of.gradient(of.scores()));
    ASSERT_EQ(all.size(), 2u);
    for (const loop_nest& k : all) EXPECT_EQ(k.loops.size(), 3u);  // scores, their derivatives, the sums
    EXPECT_EQ(all[0].loops[2].reductions.size() + all[1].loops[2].reductions.size(), 3u);
}

TEST(NestedProducts, EveryIndexIsProved) {
    for (const std::int64_t steps : {64, 72, 65, 128}) {
        const operands<float16> of(4, 500, steps);
        for (const loop_nest& k : nested_kernels(of.gradient(of.causal()))) {
            const std::vector<schedule> all =
                nested_candidates(k, device_properties{}, std::vector<int>(k.inputs.size() + k.outputs.size(), 16));
            EXPECT_GE(all.size(), 3u);
            for (const schedule& s : all) {
                const printed_kernel r = print_kernel(k, s, "");
                EXPECT_EQ(device_ir::verify(*r.program, lower::promises_of(class_of(k, s), *r.program)),
                          std::vector<std::string>())
                    << describe(s);
                EXPECT_LE(r.shared_bytes, device_properties{}.dynamic_shared_per_block);
            }
        }
    }
}

}  // namespace
}  // namespace sinter::codegen
