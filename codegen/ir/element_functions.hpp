// The element functions of a call: which nest stands for which of its arrays.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen {

/// The index, in loop_nest::element_functions, of the function of a computed operand.
inline int operand_function(const call_site& call, int operand) {
    return __builtin_popcount(call.computed & ((1u << operand) - 1));
}

/// Likewise of a consumed result.
inline int result_function(const call_site& call, int result) {
    return __builtin_popcount(call.computed) + __builtin_popcount(call.consumed & ((1u << result) - 1));
}

inline bool is_computed(const call_site& call, int operand) { return (call.computed >> operand & 1) != 0; }
inline bool is_consumed(const call_site& call, int result) { return (call.consumed >> result & 1) != 0; }

/// The index, in loop_nest::inputs, of an operand that is an array.
inline int array_input(const call_site& call, int operand) { return operand - operand_function(call, operand); }

/// The input of a nest that is the result's element; -1: it has none, as the function of an operand.
inline int given_input(const loop_nest& function) {
    for (std::size_t i = 0; i < function.inputs.size(); ++i)
        if (function.inputs[i].leaf < 0) return static_cast<int>(i);
    return -1;
}

}  // namespace sinter::codegen
