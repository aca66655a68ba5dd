// Operator notation, for nodes and for a kernel's values alike.
#pragma once

#include <sinter/op/row.hpp>

#include <string>

namespace sinter::codegen {

/// Writes "x + y" or "-x" for an op that has a symbol, in parentheses if `nested`. operand(o) writes operand o.
template <class Operand>
void write_operator(std::string& out, const op_row& op, bool nested, const Operand& operand) {
    out += nested ? "(" : "";
    const bool infix = op.arity > 1;  // a third operand is the compiler's own
    if (infix) {
        operand(0);
        out += ' ';
    }
    out += op.symbol;
    if (infix) out += ' ';
    operand(infix ? 1 : 0);
    out += nested ? ")" : "";
}

}  // namespace sinter::codegen
