// Values that are linear in one operand: f(a x) is a f(x). What is summed of them may be scaled before or after.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstddef>
#include <vector>

namespace sinter::codegen {

/// A value, and the operand in which it is linear.
struct linear_value {
    int value = -1;
    std::size_t operand = 0;
};

/// Whether a value of the kernel is the number 0 in every evaluation.
bool is_known_zero(const loop_nest& k, int v);

/// From what `v` is linear in to `v` itself, as far as one operand alone of the loop's values depends on value `on`:
/// products, quotients, negations, and selections whose other operand is 0. Conversions of floating numbers are left
/// out.
struct linear_chain {
    int of = -1;
    std::vector<linear_value> values;  ///< the innermost one first
};
linear_chain linear_chain_to(const loop_nest& k, int v, int on);

/// By value, whether it is computed of `on`, or is it.
std::vector<char> dependents_of(const loop_nest& k, int on);

}  // namespace sinter::codegen
