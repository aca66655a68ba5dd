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
#include <limits>
#include <random>
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

std::vector<instruction_set> available_sets() {
    std::vector<instruction_set> all;
    for (const auto isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4})
        if (is_available(isa)) all.push_back(isa);
    return all;
}

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

TEST(tanh, of_doubles) {
    std::vector<double> x;
    for (int exponent = -40; exponent < 6; ++exponent)
        for (int i = 0; i < 300; ++i) x.push_back(std::ldexp(i % 2 == 0 ? 1 + i / 300. : -1 - i / 300., exponent));
    for (const instruction_set isa : available_sets()) {
        const long double allowed = isa == instruction_set::baseline ? 2.5L : 1.8L;  // the C library's without FMA
        std::vector<double> got(x.size());
        const void* in[] = {x.data()};
        loops_of(row_of("tanh"), dtype::float64, isa).map(got.data(), in, x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double exact = std::tanh(static_cast<long double>(x[i]));
            ASSERT_LE(std::abs(got[i] - exact), allowed * std::ldexp(1.L, std::ilogb(exact) - 52)) << x[i];
        }
    }
}

TEST(tanh, of_a_float_of_any_size) {
    std::vector<float> x = {0.f, INFINITY, NAN};
    for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 4099) x.push_back(std::bit_cast<float>(bits));
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
    for (const instruction_set isa : available_sets()) {
        std::vector<float> got(2 * n);
        const void* in[] = {x.data()};
        loops_of(row_of("tanh"), dtype::float32, isa).map(got.data(), in, 2 * n);
        for (std::size_t i = 0; i < n; ++i) {
            const double exact = std::tanh(static_cast<double>(x[i]));
            const double ulp = std::ldexp(1., std::max(exact == 0 ? -126 : std::ilogb(exact), -126) - 23);
            if (std::isnan(x[i])) {
                EXPECT_TRUE(std::isnan(got[i]) && std::isnan(got[n + i]));
                continue;
            }
            ASSERT_LE(std::abs(got[i] - exact), 2.7 * ulp) << x[i];
            ASSERT_LE(got[i], 1) << x[i];
            ASSERT_EQ(std::bit_cast<std::uint32_t>(got[n + i]), std::bit_cast<std::uint32_t>(-got[i])) << x[i];
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

TEST(casts, convert_between_all_dtypes) {
    std::mt19937 random(12);
    for (const dtype to : all_dtypes)
        for (const dtype from : all_dtypes)
            for (const instruction_set isa : available_sets()) {
                const std::size_t n = 77;
                std::vector<std::byte> in(n * size_of(from)), out(n * size_of(to));
                for (std::size_t e = 0; e < n; ++e)
                    set_element(from, &in[e * size_of(from)], random_element(from, random) * 1.25);
                const void* pointers[] = {in.data()};
                cast_loop(to, from, isa)(out.data(), pointers, n);
                for (std::size_t e = 0; e < n; ++e) {
                    double x = element(from, &in[e * size_of(from)]);
                    // a negative floating number becomes 0 in an unsigned type; an integer wraps around
                    const bool saturates = is_floating(from) || is_complex(from);
                    if (saturates && kind_of(to) == dtype_kind::unsigned_integer && x < 0) x = 0;
                    const double got = element(to, &out[e * size_of(to)]);
                    if (!saturates && x <= -1 && to == dtype::uint64) {
                        ASSERT_EQ(static_cast<float>(got), static_cast<float>(std::ldexp(1.0, 64) + x));
                        continue;
                    }
                    ASSERT_EQ(got, rounded(to, x)) << name(from) << " to " << name(to) << ": " << x;
                }
            }
}

/// In two halves by vectors, where an instruction set has no vectors of the conversion.
template <class To, class From>
void convert_to_64_bits() {
    std::vector<From> x = {From(-0.5), From(-1.5), From(4294967295.5), From(-4294967296.5)};
    std::mt19937_64 random(3);
    for (int exponent = -2; exponent <= 66; ++exponent)
        for (int i = 0; i < 40; ++i) {
            const double size = std::ldexp(1 + static_cast<double>(random() % (1ull << 52)) * 0x1p-52, exponent);
            x.push_back(static_cast<From>(i < 3 ? std::ldexp(1.0, exponent) + (i - 1) : size));
            x.push_back(-x.back());
        }
    for (const instruction_set isa : available_sets()) {
        std::vector<To> whole(x.size());
        const void* const in[] = {x.data()};
        cast_loop(dtype_of<To>, dtype_of<From>, isa)(whole.data(), in, x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double lowest = std::numeric_limits<To>::lowest(), highest = std::numeric_limits<To>::max();
            const long double kept = std::min(std::max<long double>(std::trunc(x[i]), lowest), highest);
            ASSERT_EQ(whole[i], static_cast<To>(kept)) << "of " << static_cast<double>(x[i]);
        }
    }
}

TEST(casts, convert_to_64_bits_in_halves) {
    convert_to_64_bits<std::int64_t, double>();
    convert_to_64_bits<std::uint64_t, double>();
    convert_to_64_bits<std::int64_t, float>();
    convert_to_64_bits<std::uint64_t, float>();
}

TEST(casts, agree_on_values_out_of_range) {
    const double wild[] = {-1.0,   -1e10,        1e10,  3e9,    1e19,    1.7e19, 1e300,
                           -1e300, std::nan(""), 255.5, -128.5, 65536.0, 0.0,    -0.0};
    for (const dtype to : all_dtypes) {
        std::vector<std::byte> expected(std::size(wild) * size_of(to)), got(expected.size());
        const void* pointers[] = {wild};
        cast_loop(to, dtype::float64, instruction_set::baseline)(expected.data(), pointers, std::size(wild));
        for (const instruction_set isa : available_sets()) {
            cast_loop(to, dtype::float64, isa)(got.data(), pointers, std::size(wild));
            EXPECT_EQ(expected, got) << name(to);
        }
    }
}

}  // namespace
}  // namespace sinter::codegen::testing
