// Integers that are affine in the indices of a kernel's axes.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

/// start + the sum of steps.stride[a] * (index along axis a).
struct index_form {
    std::int64_t start = 0;
    layout steps;
    bool is_constant() const { return steps == layout(); }
};

index_form sum_of(const index_form& a, const index_form& b);
index_form scaled(const index_form& a, std::int64_t factor);

/// whole / divisor and whole % modulus where they are affine, too, for a whole that is never negative: its terms fall
/// into multiples of the divisor and a rest that stays below it.
std::optional<index_form> quotient_of(const index_form& whole, std::int64_t divisor,
                                      const std::vector<std::int64_t>& extents);
std::optional<index_form> remainder_of(const index_form& whole, std::int64_t modulus,
                                       const std::vector<std::int64_t>& extents);

}  // namespace sinter::codegen::blocked
