// The host's loops: every row of the op table in every dtype and instruction set, and the conversions.
#include "reference.hpp"

#include <codegen/rows/dispatch.hpp>
#include <codegen/rows/identity.hpp>
#include <sinter/error.hpp>
#include <sinter/number/moments.hpp>
#include <sinter/op/builtin.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace sinter::codegen::testing {
namespace {

constexpr const char* names[] = {
#define SINTER_ROW_UNARY(name, rule, ...) #name,
#define SINTER_ROW_BINARY(name, rule, ...) #name,
#define SINTER_ROW_TERNARY(name, rule, ...) #name,
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) #name,
#define SINTER_ROW_INFIX(name, symbol, rule, ...) #name,
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) #name,
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
};

bool computes(const op_row& row, dtype t) { return computes_in(row.rule, t); }

/// Rows whose operands and results are not all numbers of one dtype: keys_test.cpp is about them.
bool is_about_keys(const op_row& row) { return row.rule == dtype_rule::keyed || row.rule == dtype_rule::index_of_key; }

/// Operands in the domain of the functions that have one.
double operand_for(const std::string& op, dtype t, std::mt19937& random) {
    if (op == "of_bits") return std::abs(random_element(t, random));
    if (!is_floating(t)) return random_element(t, random);
    const auto between = [&](double a, double b) {
        return rounded(t, std::uniform_real_distribution<double>(a, b)(random));
    };
    static const std::set<std::string> positive = {"log",    "log2",   "log10",  "log1p",      "sqrt", "rsqrt", "pow",
                                                   "tgamma", "lgamma", "divide", "reciprocal", "y0",   "y1"};
    if (positive.count(op) != 0) return between(0.1, 9);
    if (op == "asin" || op == "acos" || op == "atanh" || op == "erfinv") return between(-0.99, 0.99);
    if (op == "erfcinv") return between(0.01, 1.99);
    if (op == "normcdfinv") return between(0.01, 0.99);
    if (op == "acosh") return between(1.01, 9);
    return between(-3, 3);
}

/// Functions whose error is measured against 1, for they have zeros that their arguments' rounding moves.
bool crosses_zero(const std::string& op) {
    static const std::set<std::string> all = {"j0", "j1", "y0", "y1", "sinpi", "cospi", "logaddexp", "logaddexp2"};
    return all.count(op) != 0;
}

dtype first_type(const op_row& row, dtype t) { return row.rule == dtype_rule::select ? dtype::bool_ : t; }
dtype result_type(const op_row& row, dtype t) { return result_of(row.rule, t); }

struct operands {
    std::vector<std::byte> in[3];
    const void* pointers[3];

    operands(const op_row& row, dtype t, std::size_t n, std::mt19937& random) {
        for (int i = 0; i < 3; ++i) {
            const dtype d = i == 0 ? first_type(row, t) : t;
            in[i].resize(n * size_of(d) + 1);
            pointers[i] = in[i].data();
            for (std::size_t e = 0; e < n; ++e)
                set_element(d, &in[i][e * size_of(d)], operand_for(row.name, d, random));
        }
    }
    double at(const op_row& row, dtype t, int i, std::size_t e) const {
        const dtype d = i == 0 ? first_type(row, t) : t;
        return element(d, &in[i][e * size_of(d)]);
    }
};

class every_op : public ::testing::TestWithParam<const char*> {};

TEST_P(every_op, equals_the_reference_in_every_dtype_and_instruction_set) {
    const op_row& row = row_of(GetParam());
    if (is_about_keys(row)) return;
    std::mt19937 random(7);
    for (const dtype t : all_dtypes) {
        if (!computes(row, t)) {
            EXPECT_THROW(loops_of(row, t), error) << name(t);
            continue;
        }
        if (row.name == std::string("invert") && t == dtype::uint64) continue;  // no double holds the results
        const dtype to = result_type(row, t);
        for (const std::size_t n : {0u, 1u, 2u, 15u, 63u, 200u}) {
            const operands in(row, t, n, random);
            for (const instruction_set isa : available_sets()) {
                std::vector<std::byte> out(n * size_of(to) + 8, std::byte{0xA5});
                loops_of(row, t, isa).map(out.data(), in.pointers, n);
                for (std::size_t e = 0; e < n; ++e) {
                    const double x = in.at(row, t, 0, e), y = in.at(row, t, 1, e), z = in.at(row, t, 2, e);
                    const double expected = rounded(to, reference_op(row.name, x, y, z, t));
                    const double got = element(to, &out[e * size_of(to)]);
                    const double ulp =
                        is_floating(to) ? std::ldexp(std::abs(expected), to == dtype::float32 ? -23 : -52) : 0;
                    // float asks a little more near zeros of a function, where its argument's own rounding matters
                    const double about_zero = !is_floating(to)         ? 0
                                              : crosses_zero(row.name) ? (to == dtype::float32 ? 2e-7 : 1e-15)
                                                                       : 1e-300;
                    ASSERT_NEAR(got, expected, 5 * ulp + about_zero)
                        << row.name << " " << name(t) << " of " << x << ", " << y << ", " << z << ", element " << e
                        << " of " << n;
                }
                for (std::size_t b = n * size_of(to); b < out.size(); ++b)
                    ASSERT_EQ(out[b], std::byte{0xA5}) << "wrote past the end";
            }
        }
    }
}

TEST_P(every_op, does_not_depend_on_an_elements_place) {
    const op_row& row = row_of(GetParam());
    if (is_about_keys(row)) return;
    std::mt19937 random(8);
    for (const dtype t : all_dtypes) {
        if (!computes(row, t)) continue;
        const std::size_t n = 131, size = size_of(result_type(row, t));
        const operands in(row, t, n, random);
        for (const instruction_set isa : available_sets()) {
            const detail::map_loop loop = loops_of(row, t, isa).map;
            std::vector<std::byte> whole(n * size), single(size);
            loop(whole.data(), in.pointers, n);
            for (std::size_t e = 0; e < n; ++e) {
                const void* at[3];
                for (int i = 0; i < 3; ++i) at[i] = &in.in[i][e * size_of(i == 0 ? first_type(row, t) : t)];
                loop(single.data(), at, 1);
                ASSERT_EQ(std::memcmp(single.data(), &whole[e * size], size), 0)
                    << row.name << " " << name(t) << " " << e;
            }
        }
    }
}

TEST_P(every_op, may_write_over_an_operand) {
    const op_row& row = row_of(GetParam());
    if (is_about_keys(row)) return;
    std::mt19937 random(9);
    for (const dtype t : all_dtypes) {
        if (!computes(row, t) || result_type(row, t) != t) continue;
        const std::size_t n = 203;
        for (int over = row.rule == dtype_rule::select && t != dtype::bool_ ? 1 : 0; over < row.arity; ++over) {
            operands in(row, t, n, random);
            std::vector<std::byte> apart(n * size_of(t));
            const detail::map_loop loop = loops_of(row, t).map;
            loop(apart.data(), in.pointers, n);
            loop(in.in[over].data(), in.pointers, n);
            ASSERT_EQ(std::memcmp(apart.data(), in.in[over].data(), apart.size()), 0) << row.name << " " << name(t);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(table, every_op, ::testing::ValuesIn(names),
                         [](const auto& p) { return std::string(p.param); });

TEST(builtin_op, numbers_the_rows_in_order) {
    ASSERT_EQ(std::size(names), static_cast<std::size_t>(builtin_count));
    EXPECT_STREQ(names[static_cast<int>(builtin_op::negative)], "negative");
    EXPECT_STREQ(names[static_cast<int>(builtin_op::where)], "where");
    EXPECT_STREQ(names[static_cast<int>(builtin_op::min)], "min");
}

TEST(instruction_sets, agree_bit_for_bit_where_arithmetic_is_exactly_defined) {
    std::mt19937 random(10);
    for (const char* op :
         {"negative", "add", "subtract", "multiply", "divide", "abs", "square", "reciprocal", "maximum", "clip", "sqrt",
          "rsqrt", "floor", "ceil", "trunc", "rint", "less", "isnan", "where"})
        for (const dtype t : {dtype::float32, dtype::float64}) {
            const op_row& row = row_of(op);
            const std::size_t n = 333, bytes = n * size_of(result_type(row, t));
            const operands in(row, t, n, random);
            std::vector<std::byte> expected(bytes), got(bytes);
            loops_of(row, t, instruction_set::baseline).map(expected.data(), in.pointers, n);
            for (const instruction_set isa : available_sets()) {
                loops_of(row, t, isa).map(got.data(), in.pointers, n);
                EXPECT_EQ(expected, got) << op << " " << name(t);
            }
        }
}

TEST(fold, equals_the_reference_for_every_row_length) {
    std::mt19937 random(11);
    for (const char* op : {"sum", "prod", "any", "all", "max", "min", "nanmax", "nanmin"})
        for (const dtype t : all_dtypes) {
            const op_row& row = row_of(op);
            if (!computes(row, t)) continue;
            for (const std::size_t n : {0u, 1u, 3u, 31u, 64u, 65u, 300u}) {
                const std::size_t rows = 3;
                std::vector<std::byte> in(rows * n * size_of(t) + 1);
                for (std::size_t e = 0; e < rows * n; ++e)
                    // products stay near one: neither integers nor floats leave their range
                    set_element(t, &in[e * size_of(t)],
                                std::string(op) != "prod" ? random_element(t, random)
                                : is_floating(t)          ? 1 + random_element(t, random) / 64
                                                          : double(1 + (random() % 40 == 0)));
                std::vector<std::byte> first;
                for (const instruction_set isa : available_sets()) {
                    const detail::host_loops loops = loops_of(row, t, isa);
                    std::vector<std::byte> acc(rows * size_of(t));
                    for (std::size_t r = 0; r < rows; ++r)
                        std::memcpy(&acc[r * size_of(t)], loops.identity, size_of(t));
                    loops.fold(acc.data(), in.data(), rows, n);
                    if (first.empty()) first = acc;
                    EXPECT_EQ(first, acc)
                        << op << " " << name(t) << ": the order of a fold must not depend on the vectors";
                    for (std::size_t r = 0; r < rows && n > 0; ++r) {
                        double expected = element(t, &in[r * n * size_of(t)]), size = std::abs(expected);
                        for (std::size_t e = 1; e < n; ++e) {
                            const double x = element(t, &in[(r * n + e) * size_of(t)]);
                            expected = reference_op(op, expected, x, 0);
                            size += std::abs(x);
                        }
                        if (std::string(op) == "prod") size = std::abs(expected) * double(n);
                        ASSERT_NEAR(element(t, &acc[r * size_of(t)]), expected, is_floating(t) ? 2e-7 * size : 0)
                            << op << " " << name(t) << " " << n;
                    }
                }
            }
        }
}

TEST(fold, propagates_nan_from_any_place_or_ignores_it) {
    for (std::size_t at = 0; at < 70; ++at) {
        std::vector<float> x(70, 1.0f);
        x[at] = std::nanf("");
        for (const char* op : {"max", "min", "sum"}) {
            const detail::host_loops loops = loops_of(row_of(op), dtype::float32);
            float acc = *static_cast<const float*>(loops.identity);
            loops.fold(&acc, x.data(), 1, x.size());
            EXPECT_TRUE(std::isnan(acc)) << op << " " << at;
        }
        for (const char* op : {"nanmax", "nanmin"}) {
            const detail::host_loops loops = loops_of(row_of(op), dtype::float32);
            float acc = *static_cast<const float*>(loops.identity);
            loops.fold(&acc, x.data(), 1, x.size());
            EXPECT_EQ(acc, 1) << op << " " << at;
        }
    }
}

template <class R>
void fold_to_moments(dtype t) {
    std::mt19937 random(14);
    std::uniform_real_distribution<R> around(R(99), R(101));
    for (const std::size_t n : {0u, 1u, 2u, 15u, 31u, 64u, 65u, 300u}) {
        std::vector<R> in(3 * n);
        for (R& x : in) x = around(random);
        std::vector<detail::number::moments<R>> first;
        for (const instruction_set isa : available_sets()) {
            const detail::host_loops loops = loops_of(row_of("moments"), t, isa);
            std::vector<detail::number::moments<R>> halves[2];
            for (auto& half : halves) {
                half.assign(3, detail::number::moments<R>());
                loops.fold_parts(half.data(), in.data(), 3, n);
            }
            std::vector<detail::number::moments<R>> both(3);
            const void* const in_both[] = {halves[0].data(), halves[1].data()};
            loops.map(both.data(), in_both, 3);
            if (first.empty()) first = both;
            EXPECT_EQ(std::memcmp(first.data(), both.data(), 3 * sizeof both[0]), 0) << "depends on the vectors";
            for (std::size_t r = 0; r < 3; ++r) {
                double mean = 0, squares = 0;
                for (std::size_t e = 0; e < n; ++e) mean += double(in[r * n + e]) / double(n);
                for (std::size_t e = 0; e < n; ++e) squares += 2 * std::pow(double(in[r * n + e]) - mean, 2);
                ASSERT_EQ(both[r].count, R(2 * n));
                ASSERT_NEAR(both[r].origin + both[r].offset, mean, 2e-5) << n;
                ASSERT_NEAR(both[r].squares, squares, 1e-5 * squares) << n;
            }
        }
    }
}

TEST(fold, to_moments) {
    fold_to_moments<float>(dtype::moments32);
    fold_to_moments<double>(dtype::moments64);
}

TEST(identity, is_what_changes_nothing) {
    const auto identity = [](const char* op, dtype t) {
        const ir::scalar_bits bits = identity_of(row_of(op), t);
        return element(t, &bits);
    };
    EXPECT_EQ(identity("sum", dtype::int64), 0);
    EXPECT_EQ(identity("prod", dtype::float32), 1);
    EXPECT_EQ(identity("max", dtype::float64), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(identity("max", dtype::int16), -32768);
    EXPECT_EQ(identity("min", dtype::uint8), 255);
    EXPECT_EQ(identity("max", dtype::bool_), 0);
    EXPECT_TRUE(std::isnan(identity("nanmax", dtype::float32)));
    EXPECT_EQ(identity("nanmin", dtype::int8), 127);
    EXPECT_THROW(identity_of(row_of("add"), dtype::float32), error);
    EXPECT_THROW(identity_of(row_of("sum"), dtype::int8), error);
}

}  // namespace
}  // namespace sinter::codegen::testing
