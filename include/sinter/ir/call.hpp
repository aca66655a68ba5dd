// Whole-array functions, such as sorting, that are not computed per element or by loop nests. A call is a separate step
// of a plan: its operands are in memory before it begins, and its results when it ends.
#pragma once

namespace sinter::codegen {
struct call_implementation;  // codegen/ir/call.hpp
}

namespace sinter::ir {

inline constexpr int max_call_integers = 8;
inline constexpr int max_call_results = 4;

/// The compile-time description of a whole-array function: a row of call/table.def.
struct call_row {
    const char* name;
    int operands;  ///< at most max_operands
    int results;   ///< each is a node; the nodes of one call differ only in the result's number
    int integers;  ///< axes, sizes and flags
    const codegen::call_implementation* body;
};

}  // namespace sinter::ir
