// Float32 numbers as sums of bfloat16 numbers, which tensor cores multiply. See schedule/factor_parts.hpp.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <functional>

namespace sinter::codegen::lower {

/// Assigns the parts of a float32 number, the greatest first, to what `to` gives for each. What is no finite number is
/// the first part; the others may then be anything, see with_lesser_parts().
void assign_parts(lowering& c, const scalar& x, int parts, const std::function<scalar(int)>& to);

/// A sum of products of the greatest parts plus that of all others. Where factors are infinite or NaN so is the first
/// sum, which says what the whole sum is: an infinite factor times the lesser parts of another one, which may be 0,
/// would give NaN.
scalar with_lesser_parts(lowering& c, const scalar& sum, const scalar& lesser);

}  // namespace sinter::codegen::lower
