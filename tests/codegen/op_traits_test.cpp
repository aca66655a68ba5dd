// What the compiler takes the bodies of ops to cost: calls are calls, conversions are none.
#include <codegen/analysis/body_text.hpp>
#include <codegen/analysis/device_snippets.hpp>
#include <codegen/analysis/op_traits.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sinter.hpp>

#include <set>
#include <string>

namespace sinter::codegen {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

op_row row_with(const char* body) {
    return {"of_a_test", body, nullptr, 3, dtype_rule::same, false, false, -1, nullptr};
}
op_traits traits(const char* body) { return traits_of(row_with(body)); }

std::vector<std::string> called_in(std::string_view body) {
    std::vector<std::string> names;
    for (const body_call& call : read_body(body).calls) names.emplace_back(call.name);
    return names;
}

TEST(OpTraits, ConversionsCallNothing) {
    for (const char* body : {"unsigned(x)",
                             "T(x)",
                             "int(x) + long(y)",
                             "float (x)",
                             "(unsigned long long)(x)",
                             "static_cast<int>(x)",
                             "static_cast<unsigned long long>(x)",
                             "reinterpret_cast<const T*>(x)[0]",
                             "std::uint32_t(x)",
                             "std::int64_t (x)",
                             "size_t(x)",
                             "::int8_t(x)",
                             "bool(x)",
                             "double(float(int(x)))",
                             "moments<T>(x, y)",
                             "exp_sum<T>(x, y)",
                             "keyed_index(x, y)",
                             "Pair<T, int>(x, y).first",
                             "sizeof(x)",
                             "decltype(x)(y)",
                             "__float_as_uint(x)",
                             "UINT64_C(5) + x",
                             "__builtin_bit_cast(T, x)",
                             "(x)",
                             "x * (y + z)",
                             "!(x < y)",
                             "x < y, (z)",
                             "x<y && z> (y)"})
        EXPECT_THAT(called_in(body), IsEmpty()) << body;
}

TEST(OpTraits, StatementsCallNothing) {
    for (const char* body : {"[](T a) { if (a > T(0)) return a; return (a * a); }(x)",
                             "[](T a) { while (a > 1) a = T(a >> 1); return a; }(x)",
                             "[](T a) { for (int i = 0; i < 3; ++i) a += a; return a; }(x)",
                             "[&](T a, T b) { const T sum(a + b); return T(sum); }(x, y)",
                             "[](T a) { switch (int(a)) { case (1): return T(2); default: return a; } }(x)",
                             "[](auto a) -> T { if constexpr (sizeof(a) == 4) return T(a); else return T(-a); }(x)",
                             "[](T a) { asm(\"neg(%0)\" : \"+r\"(a)); return a; }(x)"})
        EXPECT_THAT(called_in(body), IsEmpty()) << body;
}

TEST(OpTraits, CallsAreCounted) {
    EXPECT_THAT(called_in("exp(x) + log (y)"), ElementsAre("exp", "log"));
    EXPECT_THAT(called_in("std::sqrt(unsigned(x))"), ElementsAre("sqrt"));
    EXPECT_THAT(called_in("std::max<T>(x, fabs(y))"), ElementsAre("max", "fabs"));
    EXPECT_THAT(called_in("x<y> (z)"), ElementsAre()) << "a comparison with spaces";
    EXPECT_THAT(called_in("[](T a) { return exp(a); }(x)"), ElementsAre("exp"));
    EXPECT_THAT(called_in("[](T a) { if (isnan(a)) return T(erf(a)); else tan(a); return a; }(x)"),
                ElementsAre("isnan", "erf", "tan"));
    EXPECT_EQ(traits("exp(exp(x))").functions, 2);
    EXPECT_EQ(traits("exp(exp(x))").calls, 2);
    EXPECT_EQ(traits("x / y / 3").divisions, 2);
    EXPECT_EQ(traits("x / 2 / y").divisions, 1);
    EXPECT_EQ(traits("larger<T>(x, y)").steps, 1);
    EXPECT_EQ(traits("larger<T>(x, y)").functions, 0);
    EXPECT_EQ(traits("magnitude<T>(x)").functions, 0) << "fabs is an instruction";
    EXPECT_EQ(traits("fma(x, y, z)").steps, 1);
    EXPECT_EQ(traits("near_quotient<T>(x, y)").divisions, 1);
    EXPECT_EQ(traits("quotient_by<T>(x, y, z)").divisions, 0) << "the slow path does not count";
}

TEST(OpTraits, LoopsBetweenLiteralsCountSoOften) {
    const auto operators = [](const std::string& loop) {
        return read_body("[](T a) { " + loop + " return a; }(x)").operators;
    };
    EXPECT_EQ(operators("a = a * 2;"), 1);
    EXPECT_EQ(operators("for (int i = 0; i < 10; ++i) a = a * 2;"), 10);
    EXPECT_EQ(operators("for (int i = 2; i < 10; i += 3) { a = a * 2; a ^= 1; }"), 6);
    EXPECT_EQ(operators("for (int i = 1; i < 64; i *= 2) if (a > i) a -= i;"), 12);
    EXPECT_EQ(operators("for (int i = 0; i < 4; i++) for (int j = 0; j < 5; ++j) a += j;"), 20);
    EXPECT_EQ(read_body("[](T a) { for (int i = 0; i < 3; ++i) a = exp(a) / 3; return a; }(x)").calls[0].times, 3);
    EXPECT_EQ(traits("[](T a) { for (int i = 0; i < 3; ++i) a = exp(a) / 3; return a; }(x)").functions, 3);
    EXPECT_EQ(traits("[](T a) { for (int i = 0; i < 3; ++i) a = exp(a) / 3; return a; }(x)").divisions, 3);
    EXPECT_EQ(operators("for (int i = 0; i < a; ++i) a = a * 2;"), 3) << "nobody knows how often: once, and its header";
}

/// The functions that rows may call: <cmath>'s, CUDA's and the pieces of include/sinter/number.
bool is_function(const std::string& name) {
    static const std::set<std::string> of_libraries{
#define SINTER_SPECIAL(function) #function,
#include <sinter/op/special.def>
        "exp",   "exp2",  "expm1", "log",   "log2", "log10", "log1p", "pow",      "sqrt",      "rsqrt",    "cbrt",
        "hypot", "sin",   "cos",   "tan",   "asin", "acos",  "atan",  "atan2",    "sinh",      "cosh",     "tanh",
        "asinh", "acosh", "atanh", "floor", "ceil", "trunc", "rint",  "erf",      "erfc",      "tgamma",   "lgamma",
        "fabs",  "fma",   "fmax",  "fmin",  "fdim", "ldexp", "conj",  "copysign", "remainder", "nextafter"};
    const std::string_view piece = piece_named(name);
    return of_libraries.count(name) > 0 ||
           (!piece.empty() && piece.substr(0, piece.find('{')).find("struct ") == piece.npos);
}

TEST(OpTraits, EveryCallOfTheTableIsOfAFunction) {
    int calls = 0;
#define CHECK_ROW(row)                                                                      \
    for (const std::string& name : called_in((row).body)) {                                 \
        EXPECT_TRUE(is_function(name)) << (row).name << ": " << (row).body << ": " << name; \
        ++calls;                                                                            \
    }
#define SINTER_ROW_UNARY(name, rule, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_ROW_BINARY(name, rule, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_ROW_TERNARY(name, rule, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_ROW_INFIX(name, symbol, rule, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_ROW_REDUCTION(name, rule, empty, start, ...) CHECK_ROW(testing::row_of(#name))
#define SINTER_INNER_ROWS
#include <sinter/op/table.def>
#undef SINTER_INNER_ROWS
    EXPECT_GT(calls, 70);
    for (const op_row* row :
         {&index_plus, &index_scaled, &index_quotient, &index_divided, &index_clamped, &index_remainder, &index_aligned,
          &index_neighbour, &packed_key, &packed_key_reversed, &sinter::detail::random_word_row::row,
          &sinter::detail::word_pair_row::row, &sinter::detail::multiply_high_row::row,
          &sinter::detail::permuted_place_row::row, &sinter::detail::index_within_row::row,
          &sinter::detail::index_of_part_row::row, &sinter::detail::index_rolled_row::row})
        CHECK_ROW(*row)
}

TEST(OpTraits, IntegerStatementsCallNoFunction) {
    for (const op_row* row : {&sinter::detail::random_word_row::row, &sinter::detail::word_pair_row::row,
                              &index_divided, &sinter::detail::multiply_high_row::row,
                              &sinter::detail::permuted_place_row::row, &packed_key, &packed_key_reversed}) {
        EXPECT_EQ(traits_of(*row).functions, 0) << row->name;
        EXPECT_EQ(traits_of(*row).divisions, 0) << row->name;
    }
    // ten rounds of 10 operators, and what stands around them; 24 rounds of 17
    EXPECT_NEAR(traits_of(sinter::detail::random_word_row::row).steps, 108, 8);
    EXPECT_NEAR(traits_of(sinter::detail::permuted_place_row::row).steps, 24 * 17, 60);
}

TEST(OpTraits, CommentsAreNoSteps) {
    const op_traits bare = traits("[](T a) { T b = a / x; return b * b + a; }(x)");
    const op_traits t = traits("[](T a) { T b = a / x;  // -a / (x * x), sin(a)\n return b * b + a; }(x)");
    EXPECT_EQ(t.divisions, 1);
    EXPECT_EQ(t.functions, 0);
    EXPECT_EQ(t.steps, bare.steps);
}

TEST(OpTraits, NeighboursShareABlockOfRandomNumbers) {
    const op_traits t = traits_of(sinter::detail::random_word_row::row);
    EXPECT_EQ(t.neighbours, 4);
    EXPECT_GT(t.shared, 90);
    EXPECT_LT(t.shared, t.steps);
    EXPECT_EQ(traits_of(sinter::detail::permuted_place_row::row).neighbours, 1);
    EXPECT_EQ(traits("[](T a) { T b = a >> 2; b *= b; return b + a; }(x)").neighbours, 4);
    EXPECT_EQ(traits("[](T a) { T b = a >> 2; b *= a; return b + a; }(x)").neighbours, 1);
    EXPECT_EQ(traits("[](T a) { T b = (a >> 3) * (a >> 1); return b; }(x)").neighbours, 2);
    // of indices, and not of elements that lie in memory
    testing::kernel_builder b;
    const int i = b.outer(100), seed = b.scalar(dtype::uint64);
    const int loaded = b.load(b.input(dtype::uint64), {{i, 1}});
    value at;
    at.what = value_kind::index;
    at.type = dtype::uint64;
    value word;
    word.what = value_kind::elementwise;
    word.op = &sinter::detail::random_word_row::row;
    b.k.values.push_back(at);
    const int index = static_cast<int>(b.k.values.size()) - 1;
    const auto steps = [&](int place) {
        word.in = {b.op("add", {place, seed}), seed, seed};
        return steps_of(b.k, word);
    };
    EXPECT_NEAR(steps(index), t.steps - 0.75 * t.shared, 1e-9);
    EXPECT_EQ(steps(loaded), t.steps);
}

}  // namespace
}  // namespace sinter::codegen
