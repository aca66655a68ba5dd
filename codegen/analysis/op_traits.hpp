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

    bool operator==(const op_traits&) const = default;
};

op_traits traits_of(const op_row& row);

/// The steps of an elementwise value, reduction or scan: where its first operand is an index, neighbours share some.
double steps_of(const loop_nest& k, const value& v);

/// Whether a value is computed in float64, alone or as the parts of complex numbers and accumulators, or converted from
/// or to it.
bool has_doubles(const loop_nest& k, const value& v);

}  // namespace sinter::codegen
