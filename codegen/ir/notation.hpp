// How an operation is written, of nodes and of a kernel's values alike.
#pragma once

#include <sinter/op/row.hpp>

#include <string>

namespace sinter::codegen {

/// "x + y" or "-x", within parentheses where it is `nested`, of an op that has a symbol. operand(o) writes the o-th.
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
