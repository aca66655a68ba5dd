// How programs around a matrix product are cut into kernels, at the sizes of networks: compiled for an H200, not
// evaluated.
#include <tests/codegen/compiled_for_h200.hpp>
#include <tests/codegen/unbacked.hpp>

#include <gtest/gtest.h>

namespace sinter::codegen {
namespace {

using testing::compiled_for_h200;
using testing::largest_temporary;
using testing::launches_of;

class product_cuts : public ::testing::Test {
protected:
    template <class T = float16, class... Extents>
    static array<T, sizeof...(Extents)> of(Extents... extents) {
        return testing::unbacked<T>(shape<sizeof...(Extents)>(extents...));
    }

    const device_scope on_host_{host()};
    const array<float16, 2> x = of(4096, 512), w = of(512, 256), r = of(4096, 256), a = of(4096, 128),
                            b = of(4096, 128);
};

/// A kernel that computes the product and normalises its rows would multiply without tensor cores.
TEST_F(product_cuts, rows_of_a_product_are_normalised_by_a_second_kernel) {
    EXPECT_EQ(launches_of(softmax(matmul(x, w), axis=1)), 2u);
    EXPECT_EQ(launches_of(layer_norm(matmul(x, w) + r, axis=1)), 2u);
}

/// An epilogue takes sums of rows and columns that others store: as many launches as if the product were stored.
TEST_F(product_cuts, a_product_with_norms_of_its_operands_is_not_stored) {
    const auto of_rows = [](const auto& y) { return sum(square(y), axis=1); };
    const auto similarity = matmul(a, transpose(b)) / (sqrt(of_rows(a))(all, newaxis) * sqrt(of_rows(b)));
    const auto squares = of_rows(a)(all, newaxis) + of_rows(b) - 2 * matmul(a, transpose(b));
    for (const compiled_program& p : {compiled_for_h200(similarity), compiled_for_h200(sqrt(maximum(squares, 0)))}) {
        EXPECT_EQ(p.kernels.size(), 3u);
        EXPECT_EQ(largest_temporary(p), 4096);
    }
}

TEST_F(product_cuts, maxima_of_rows_and_of_columns_compute_a_product_each) {
    const auto p = matmul(a, transpose(b));
    const compiled_program both = compiled_for_h200(pack(max(p, axis=1), max(p, axis=0)));
    EXPECT_EQ(both.kernels.size(), 2u);
    EXPECT_EQ(largest_temporary(both), 0);
}

/// The kernel that also folds what columns come to reads them once, as the one of columns alone does.
TEST_F(product_cuts, a_mean_of_logsumexps_reads_columns_once) {
    const compiled_program p = compiled_for_h200(mean(logsumexp(of<float>(4096, 4096), axis=0)));
    ASSERT_EQ(p.kernels.size(), 1u);
    EXPECT_EQ(p.kernels[0].body.loops.size(), 1u);
}

}  // namespace
}  // namespace sinter::codegen
