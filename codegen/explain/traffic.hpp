// How many bytes a kernel moves.
#pragma once

#include <codegen/ir/graph.hpp>
#include <codegen/ir/kernel.hpp>

namespace sinter::codegen {

/// The least a kernel must move: each element it reads, once; each element it writes, once.
std::int64_t bytes_moved(const kernel& k);

}  // namespace sinter::codegen
