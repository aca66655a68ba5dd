// Rows written outside the table: their loops come from the same templates, whatever else is called exp.
#include "reference.hpp"

#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/identity.hpp>
#include <sinter/error.hpp>
#include <sinter/op/loops.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace somewhere_else {

struct trap {};
[[maybe_unused]] trap exp(double) { return {}; }
template <class A, class B>
trap fmax(A, B) {
    return {};
}

SINTER_DETAIL_BODY(softplus, fmax(x, T(0)) + log1p(exp(-abs(x))));
SINTER_DETAIL_BODY(lerp, x + (y - x) * z);
SINTER_DETAIL_BODY(gcd_step, y == T(0) ? x : x % y);
SINTER_DETAIL_BODY(either, x || y);
SINTER_DETAIL_IDENTITY(neither, false);
SINTER_DETAIL_BODY(logaddexp, x == y ? x + log(T(2)) : fmax(x, y) + log1p(exp(-abs(x - y))));
SINTER_DETAIL_IDENTITY(nothing, sinter::detail::lowest<T>);

}  // namespace somewhere_else

namespace sinter::codegen::testing {
namespace {

constexpr op_row row(const char* name, std::uint8_t arity, dtype_rule rule, decltype(op_row::host) host,
                     bool reduction = false) {
    return {name, "", nullptr, arity, rule, reduction, true, -1, host};
}

TEST(user_rows, find_the_mathematical_functions_and_no_others) {
    const op_row r = row("softplus", 1, dtype_rule::floating,
                         &detail::make_map_loops<somewhere_else::softplus, dtype_rule::floating, 1>);
    std::vector<float> x(37), out(37);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i) / 4 - 4;
    const void* in[] = {x.data()};
    loops_of(r, dtype::float32).map(out.data(), in, x.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(out[i], std::log1p(std::exp(double(x[i]))), 1e-6);
    EXPECT_THROW(loops_of(r, dtype::int32), error);
}

TEST(user_rows, take_three_operands_and_integers) {
    const op_row l =
        row("lerp", 3, dtype_rule::same, &detail::make_map_loops<somewhere_else::lerp, dtype_rule::same, 3>);
    const std::int16_t x[] = {1, 2, 3}, y[] = {11, 12, 13}, z[] = {0, 1, 2};
    std::int16_t out[3];
    const void* in[] = {x, y, z};
    loops_of(l, dtype::int16).map(out, in, 3);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[1], 12);
    EXPECT_EQ(out[2], 23);

    const op_row g = row("gcd_step", 2, dtype_rule::integral,
                         &detail::make_map_loops<somewhere_else::gcd_step, dtype_rule::integral, 2>);
    const std::uint64_t a[] = {12, 7}, b[] = {0, 5};
    std::uint64_t rest[2];
    const void* ab[] = {a, b};
    loops_of(g, dtype::uint64).map(rest, ab, 2);
    EXPECT_EQ(rest[0], 12u);
    EXPECT_EQ(rest[1], 2u);
    EXPECT_THROW(loops_of(g, dtype::float64), error);
}

TEST(user_rows, reduce) {
    const op_row any =
        row("any", 2, dtype_rule::logical,
            &detail::make_fold_loops<somewhere_else::either, somewhere_else::neither, dtype_rule::logical>, true);
    for (const std::size_t at : {0u, 5u, 99u, 1000u}) {
        bool x[100] = {};
        if (at < 100) x[at] = true;
        bool acc = identity_of(any, dtype::bool_).bits != 0;
        loops_of(any, dtype::bool_).fold(&acc, x, 1, 100);
        EXPECT_EQ(acc, at < 100);
    }
    const op_row lse =
        row("logsumexp", 2, dtype_rule::floating,
            &detail::make_fold_loops<somewhere_else::logaddexp, somewhere_else::nothing, dtype_rule::floating>, true);
    std::vector<double> x(333);
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::exp(x[i] = double(i % 11) / 3);
    double acc;
    const ir::scalar_bits bits = identity_of(lse, dtype::float64);
    std::memcpy(&acc, &bits, sizeof acc);
    EXPECT_EQ(acc, -std::numeric_limits<double>::infinity());
    loops_of(lse, dtype::float64).fold(&acc, x.data(), 1, x.size());
    EXPECT_NEAR(acc, std::log(sum), 1e-12);
}

}  // namespace
}  // namespace sinter::codegen::testing
