// Integers that are affine functions of the indices of a kernel's axes.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

/// start + sum over axes a of steps.stride[a] * (index along axis a).
struct index_form {
    std::int64_t start = 0;
    layout steps;
    bool is_constant() const { return steps == layout(); }
};

index_form sum_of(const index_form& a, const index_form& b);
index_form scaled(const index_form& a, std::int64_t factor);

/// whole / divisor and whole % modulus, if these are affine, too: the terms of `whole`, which must never be negative,
/// are multiples of the divisor or add up to less than it.
std::optional<index_form> quotient_of(const index_form& whole, std::int64_t divisor,
                                      const std::vector<std::int64_t>& extents);
std::optional<index_form> remainder_of(const index_form& whole, std::int64_t modulus,
                                       const std::vector<std::int64_t>& extents);

}  // namespace sinter::codegen::blocked
