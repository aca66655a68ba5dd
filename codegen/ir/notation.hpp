// Operator notation, for nodes and for a kernel's values alike.
#pragma once

#include <sinter/op/row.hpp>

#include <string>

namespace sinter::codegen {

/// Writes "x + y" or "-x" for an op that has a symbol, in parentheses if `nested`. operand(o) writes operand o.
template <class Operand>
void write_operator(std::string& out, const op_row& op, bool nested, const Operand& operand) {
    out += nested ? "(" : "";
    if (op.arity == 2) {
        operand(0);
        out += ' ';
    }
    out += op.symbol;
    if (op.arity == 2) out += ' ';
    operand(op.arity - 1);
    out += nested ? ")" : "";
}

}  // namespace sinter::codegen
