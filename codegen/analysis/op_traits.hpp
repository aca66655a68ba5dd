// What the body of an op's row calls and divides: all that the compiler knows of its cost. Read from a row's text once,
// and kept.
#pragma once

#include <sinter/op/row.hpp>

namespace sinter::codegen {

/// What one evaluation of a row's body takes. Functions of include/sinter/number count as what their own text does.
struct op_traits {
    int functions = 0;  ///< calls of the C library's
    int divisions = 0;
    int steps = 0;  ///< calls of functions that neither call a function nor divide
    int calls = 0;  ///< of `functions` those that the row itself makes: each is a copy of a body in the machine code

    bool operator==(const op_traits&) const = default;
};

op_traits traits_of(const op_row& row);

}  // namespace sinter::codegen
