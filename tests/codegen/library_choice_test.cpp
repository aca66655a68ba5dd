// Which products of floats a library computes, where there is one that takes all of them: not those of few results that
// are long sums, and not those whose operands are computed on the way, if that is faster.
#include <tests/codegen/compiled_for_h200.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

template <class T = float, class... Extents>
array<T, sizeof...(Extents)> of(Extents... extents) {
    return testing::unbacked<T>(shape<sizeof...(Extents)>(extents...));
}

template <class E>
compiled_program compiled(const E& made) {
    target to;
    to.library = [](const gemm&, const std::vector<int>&) { return true; };
    return testing::compiled_for_h200(made, to);
}

template <class E>
bool is_by_library(const E& made) {
    const compiled_program p = compiled(made);
    EXPECT_EQ(p.kernels.size(), 1u);
    return p.kernels[0].product.has_value();
}

TEST(LibraryChoice, LongSumsOfFewResultsAreNoLibrarys) {
    EXPECT_FALSE(is_by_library(matmul(transpose(of(1000000, 20)), of(1000000, 20))));
    EXPECT_FALSE(is_by_library(matmul(permute(of(16, 20000, 32), {0, 2, 1}), of(16, 20000, 32))));
    EXPECT_TRUE(is_by_library(matmul(transpose(of(100000, 100)), of(100000, 100))));
    EXPECT_TRUE(is_by_library(matmul(of(1000, 4000), of(4000, 1000))));
    EXPECT_TRUE(is_by_library(matmul(of(4096, 4096), of(4096, 4096))));
    EXPECT_TRUE(is_by_library(matmul(of<double>(300, 4000), of<double>(4000, 500))));
}

TEST(LibraryChoice, OperandsOfLongSumsAreComputedOnTheWay) {
    const auto weighted = [](std::int64_t n, std::int64_t m) {
        return compiled(matmul(transpose(of(n, m) * of(n)(all, newaxis)), of(n, m))).kernels.size();
    };
    EXPECT_EQ(weighted(1000000, 20), 1u);
    EXPECT_EQ(weighted(3000, 3000), 2u);
}

}  // namespace
}  // namespace sinter::codegen
