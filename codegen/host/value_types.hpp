// The dtypes of a kernel's values, and those that their bodies compute in.
#pragma once

#include <codegen/ir/kernel.hpp>

namespace sinter::codegen::blocked {

/// The dtype of a value as the host has it: half types are what a load gives.
inline dtype type_of(const kernel& k, const value& v) {
    if (v.what == value_kind::scalar) return k.scalar_types[static_cast<std::size_t>(v.scalar)];
    if (v.what == value_kind::load) return k.inputs[static_cast<std::size_t>(v.input)].type;
    return v.type;
}

/// The type T in which a value's body computes.
inline dtype computed_type(const kernel& k, const value& v) {
    const auto operand = [&](int i) { return type_of(k, k.values[static_cast<std::size_t>(v.in[i])]); };
    if (v.what != value_kind::elementwise) return v.type;
    if (v.op->rule == dtype_rule::logical) return dtype::bool_;
    if (v.op->rule == dtype_rule::chosen) return v.type;
    dtype t = operand(0);
    if (result_of(v.op->rule, t) == t) return v.type;  // else T shows in the operands alone
    for (int i = 1; i < v.op->arity; ++i) t = promote(t, operand(i));
    return t;
}

/// The type of operand i of a body that computes in t.
constexpr dtype operand_type(dtype_rule rule, dtype t, int i) {
    if (i == 0 && (rule == dtype_rule::select || rule == dtype_rule::chosen)) return dtype::bool_;
    return rule == dtype_rule::chosen ? real_of(t) : t;
}

}  // namespace sinter::codegen::blocked
