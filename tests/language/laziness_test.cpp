// An expression never costs more than its statements: launches and bytes of former exceptions, the statements' values,
// and the reasons for more than one launch. tests/codegen/laziness_test.cpp plans random expressions.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <set>

namespace sinter::test {
namespace {

class laziness : public on_devices {
protected:
    static constexpr std::int64_t rows_ = 37, columns_ = 130;
    static constexpr std::int64_t matrix_ = rows_ * columns_ * 4, row_ = columns_ * 4, column_ = rows_ * 4;  // bytes

    array<float, 2> x_ = to_array<float, 2>(random({rows_, columns_}, 901));
    array<float, 1> v_ = to_array<float, 1>(random({columns_}, 902));

    /// So many launches and bytes, each reason for more than one launch once, and no more launches than the type tells.
    template <class E>
    static void expect_cost(const E& e, int at_most, std::int64_t bytes) {
        const explanation why = explain(e);
        EXPECT_EQ(why.launches, at_most) << why.text();
        EXPECT_EQ(why.bytes_fused, bytes) << why.text();
        EXPECT_EQ(why.reasons.empty(), why.launches == 1) << why.text();
        EXPECT_EQ(std::set<std::string>(why.reasons.begin(), why.reasons.end()).size(), why.reasons.size());
    }

    template <int Rank>
    static void expect_near(const array<float, Rank>& lazy, const array<float, Rank>& stated) {
        const std::vector<float> a = to_host(lazy), b = to_host(stated);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-5 * (1 + std::abs(b[i]))) << i;
    }
};

TEST_F(laziness, a_reduction_that_several_kernels_need_is_computed_once) {
    const auto y = matmul(x_, v_);
    const array<float, 1> stored = y;
    array<float, 1> z = y / norm(y);
    expect_cost(y / norm(y), 2, matrix_ + row_ + 3 * column_);
    expect_near(z, array<float, 1>(stored / norm(stored)));
    z = softmax(y);
    expect_cost(softmax(y), 2, matrix_ + row_ + 3 * column_);
    expect_near(z, array<float, 1>(softmax(stored)));
}

TEST_F(laziness, a_result_that_others_read_is_stored_once) {
    const auto y = matmul(x_, v_);
    array<float, 1> first, second;
    tie(first, second) = pack(y, y / norm(y));
    expect_cost(pack(y, y / norm(y)), 2, matrix_ + row_ + 3 * column_);
    const array<float, 1> stored = y;
    expect_near(first, stored);
    expect_near(second, array<float, 1>(stored / norm(stored)));
    tie(second, first) = pack(first / norm(first), first + 1);  // first is read, and written, in place or not
    expect_near(second, array<float, 1>(stored / norm(stored)));
    expect_near(first, array<float, 1>(stored + 1));
}

TEST_F(laziness, elementwise_results_are_stored_on_the_way_of_reductions) {
    array<float, 2> elements;
    array<float, 1> sums;
    array<float, 0> whole;
    tie(elements, sums) = pack(exp(x_), sum(exp(x_), axis=1));
    expect_cost(pack(exp(x_), sum(exp(x_), axis=1)), 1, 2 * matrix_ + column_);
    const array<float, 2> stored = exp(x_);
    expect_near(elements, stored);
    expect_near(sums, array<float, 1>(sum(stored, axis=1)));
    tie(elements, whole) = pack(clip(x_, -1, 1), mean(abs(x_)));
    expect_cost(pack(clip(x_, -1, 1), mean(abs(x_))), 1, 2 * matrix_ + 4);
    expect_near(elements, array<float, 2>(clip(x_, -1, 1)));
    expect_near(whole, array<float, 0>(mean(abs(x_))));
    array<float, 2> scaled;
    tie(elements, scaled) = pack(x_ * 2, standardise(x_, axis=1));
    expect_cost(pack(x_ * 2, standardise(x_, axis=1)), 1, 3 * matrix_);
    expect_near(elements, array<float, 2>(x_ * 2));
    expect_near(scaled, array<float, 2>(standardise(x_, axis=1)));
}

TEST_F(laziness, a_reduction_of_a_reduction_goes_through_its_operand_once) {
    const array<float, 0> total = mean(sum(exp(x_), axis=1)), apart = mean(array<float, 1>(sum(exp(x_), axis=1)));
    expect_cost(mean(sum(exp(x_), axis=1)), 1, matrix_ + 4);
    expect_near(total, apart);
    expect_cost(max(max(x_, axis=0, keepdims), axis=1, keepdims), 1, matrix_ + 4);
    expect_near(array<float, 2>(max(max(x_, axis=0, keepdims), axis=1, keepdims)),
                array<float, 2>(max(array<float, 2>(max(x_, axis=0, keepdims)), axis=1, keepdims)));
    expect_cost(max(sum(x_, axis=1)), 1, matrix_ + 4);  // two ops: the blocks fold what their rows come to
    expect_cost(max(sum(x_, axis=0)), 1, matrix_ + 4);
}

TEST_F(laziness, what_several_reductions_come_to_is_folded_as_one) {
    const array<bool, 2> hit = x_ > 0.5F;
    const auto loss = mean(logsumexp(x_, axis=1) - sum(where(hit, x_, 0), axis=1));
    expect_cost(loss, 1, matrix_ + matrix_ / 4 + 4);
    const array<float, 1> most = logsumexp(x_, axis=1), chosen = sum(where(hit, x_, 0), axis=1);
    expect_near(array<float, 0>(loss), array<float, 0>(mean(most - chosen)));
}

TEST_F(laziness, a_matrix_and_its_transpose_are_stored_once) {
    const auto s = standardise(x_, axis=0);
    expect_cost(matmul(s, transpose(s)), 2, 3 * matrix_ + column_ * rows_);
    const array<float, 2> stored = s;
    expect_near(array<float, 2>(matmul(s, transpose(s))), array<float, 2>(matmul(stored, transpose(stored))));
    array<float, 2> h, squares;
    const auto product = relu(matmul(x_, transpose(x_)));
    tie(h, squares) = pack(product, matmul(product, transpose(product)));
    EXPECT_EQ(explain(pack(product, matmul(product, transpose(product)))).launches, 2);
    expect_near(h, array<float, 2>(product));
    expect_near(squares, array<float, 2>(matmul(h, transpose(h))));
}

TEST_F(laziness, the_larger_reduction_decides_what_waits) {
    expect_cost(sum(v_) + softmax(x_, axis=1), 2, row_ + 4 + 4 + 2 * matrix_);
    expect_near(array<float, 2>(sum(v_) + softmax(x_, axis=1)),
                array<float, 2>(item(sum(v_)) + softmax(x_, axis=1)));
    expect_cost(x_ - mean(x_) + softmax(x_, axis=1), 2, 3 * matrix_ + 8);
    expect_near(array<float, 2>(x_ - mean(x_) + softmax(x_, axis=1)),
                array<float, 2>(x_ - item(mean(x_)) + softmax(x_, axis=1)));
}

TEST_F(laziness, rows_and_columns_of_a_square_have_kernels_of_their_own) {
    const array<float, 2> square = x_(all, range(0, rows_));
    array<float, 1> rows, columns;
    tie(rows, columns) = pack(sum(square, axis=1), sum(square, axis=0));
    EXPECT_EQ(explain(pack(sum(square, axis=1), sum(square, axis=0))).launches, 2);
    EXPECT_THAT(explain(pack(sum(square, axis=1), sum(square, axis=0))).reasons,
                testing::ElementsAre(testing::HasSubstr("runs along other axes")));
    expect_near(rows, array<float, 1>(sum(square, axis=1)));
    expect_near(columns, array<float, 1>(sum(square, axis=0)));
}

}  // namespace
}  // namespace sinter::test
