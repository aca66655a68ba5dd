// What the body of an op's row calls, divides and computes: all that the compiler knows of its cost. Read from a row's
// text once, and kept.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen {

/// Cost of one evaluation of a row's body. Functions of include/sinter/number count as their own bodies.
struct op_traits {
    int functions = 0;  ///< calls of C library functions that are not one instruction
    int divisions = 0;
    int steps = 0;   ///< instructions: operators of statements, and calls of functions that have nothing else
    int calls = 0;   ///< bodies in the machine code: functions that the row itself calls, statements as long as one
    int shared = 0;  ///< of `steps`, those that evaluations at `neighbours` consecutive indices do once
    int neighbours = 1;
    int operators = 0;  ///< of the body and of the functions that have no row in include/sinter/op/function_costs.def
    /// Instructions of functions that have one, by the kind of T; of these those that the special function unit or the
    /// units of float64 execute.
    int integer_instructions = 0, float_instructions = 0, float_special = 0, double_instructions = 0, doubles = 0;
    /// Whether results may change by more than float16 tells if float32 subnormals count as 0: it compares, divides by
    /// an operand, or calls what include/sinter/op/continuous.def does not list.
    bool tells_subnormals_apart = false;
    bool is_product = false, is_sum = false;  ///< of two operands: an addition to a product is one instruction

    bool operator==(const op_traits&) const = default;
};

op_traits traits_of(const op_row& row);

/// Machine instructions of one evaluation.
struct machine_instructions {
    double all = 0, special = 0, doubles = 0;  ///< of all those of the special function unit, and of float64
};
machine_instructions instructions_of(const op_row& row, dtype computes, arithmetic precision);
/// Of a conversion between dtypes.
machine_instructions instructions_of_cast(dtype from, dtype to);

/// The steps of an elementwise value, reduction or scan: where its first operand is an index, neighbours share some.
double steps_of(const loop_nest& k, const value& v);

/// Whether a value is computed in float64, alone or as the parts of complex numbers and accumulators, or converted from
/// or to it.
bool has_doubles(const loop_nest& k, const value& v);

}  // namespace sinter::codegen
