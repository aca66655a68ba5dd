// The dtypes of a kernel's values, and those in which their bodies compute.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen::blocked {

/// The dtype of a value on the host: a load has its array's dtype, storage types included.
inline dtype type_of(const loop_nest& k, const value& v) {
    if (v.what == value_kind::scalar) return k.scalar_types[static_cast<std::size_t>(v.scalar)];
    if (v.what == value_kind::load) return k.inputs[static_cast<std::size_t>(v.input)].type;
    return v.type;
}

/// The type T in which a value's body computes.
inline dtype computed_type(const loop_nest& k, const value& v) {
    const auto operand = [&](int i) { return type_of(k, k.values[static_cast<std::size_t>(v.in[i])]); };
    if (v.what != value_kind::elementwise) return v.type;
    if (v.op->rule == dtype_rule::logical) return dtype::bool_;
    if (v.op->rule == dtype_rule::chosen) return v.type;
    if (v.op->rule == dtype_rule::keyed || v.op->rule == dtype_rule::packed) return computed_in(operand(0));
    dtype t = operand(0);
    if (result_of(v.op->rule, t) == t) return v.type;  // else T shows in the operands alone
    for (int i = 1; i < v.op->arity; ++i) t = promote(t, operand(i));
    return t;
}

}  // namespace sinter::codegen::blocked
