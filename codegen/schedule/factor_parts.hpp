// Float32 factors on tensor cores, which multiply halves: a number is the sum of up to three bfloat16 numbers of 8
// significant bits each, which have float32's exponents. A product of two numbers is that of all their parts, of which
// those below 2^-21 of the product are left out.
#pragma once

#include <codegen/schedule/tensor.hpp>

#include <optional>

namespace sinter::codegen {

inline constexpr int max_parts = 3;

/// sum(a * b) of float32 factors in a loop of the kernel, or of halves. A factor that is a bfloat16 number is the
/// half. Nothing where the caller allows fewer bits (tf32): a library has faster products then.
std::optional<tensor_factors> split_factors_in(const loop_nest& k, int loop = 0);
/// The same where the kernel has no other loop.
std::optional<tensor_factors> split_factors_of(const loop_nest& k);

/// A side of a product as its factor: the bfloat16 number that it is in that loop, or itself; -1 outside the loop.
int split_factor(const loop_nest& k, int side, int loop);

/// How many numbers of what type tensor cores multiply in place of a factor. A half is one itself; a float16 number
/// that is read as float32 has 11 bits.
int parts_of(const loop_nest& k, int factor);
dtype type_of_parts(const loop_nest& k, int factor);

/// Calls body(a, b) per part `a` of one factor and part `b` of the other one, counted from the greatest, whose product
/// is large enough.
template <class Body>
constexpr void each_product_of_parts(int parts_of_rows, int parts_of_columns, Body body) {
    for (int a = 0; a < parts_of_rows; ++a)
        for (int b = 0; b < parts_of_columns && a + b < max_parts; ++b) body(a, b);
}
/// How many products of parts there are.
constexpr int products_of_parts(int parts_of_rows, int parts_of_columns) {
    int all = 0;
    each_product_of_parts(parts_of_rows, parts_of_columns, [&](int, int) { ++all; });
    return all;
}

}  // namespace sinter::codegen
