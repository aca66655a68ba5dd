// Whether a row of the op table computes a value of a loop nest.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <sinter/op/builtin.hpp>

namespace sinter::codegen {

inline bool is_op(const value& v, builtin_op op) { return v.op != nullptr && v.op->builtin == static_cast<int>(op); }

}  // namespace sinter::codegen
