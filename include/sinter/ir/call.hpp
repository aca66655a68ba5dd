// Functions of whole arrays: what is not computed element by element or loop by loop, as sorting. A call is a step of a
// plan by itself: its operands lie in memory before it begins, and its results when it ends.
#pragma once

namespace sinter::codegen {
struct call_implementation;  // codegen/ir/call.hpp
}

namespace sinter::ir {

inline constexpr int max_call_integers = 8;
inline constexpr int max_call_results = 4;

/// What the templates know of a function of whole arrays: a row of call/table.def.
struct call_row {
    const char* name;
    int operands;  ///< of which there are max_operands at most
    int results;   ///< each is a node of its own; the nodes of one call are equal but for the result's number
    int integers;  ///< axes, sizes and flags
    const codegen::call_implementation* body;
};

}  // namespace sinter::ir
