// How many bytes an expression moves, fused and unfused.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>

namespace sinter::codegen {

/// The least a kernel must move: each element it reads, once; each element it writes, once.
std::int64_t bytes_moved(const kernel& k);

/// What one kernel an operation would do: operations, and the bytes with every intermediate written and read again.
struct unfused_cost {
    int operations = 0;
    std::int64_t bytes = 0;
};
unfused_cost cost_unfused(const graph& whole);

}  // namespace sinter::codegen
