// Parallel tasks, for work that compiles rather than computes.
#pragma once

#include <cstddef>
#include <functional>

namespace sinter::codegen {

/// Calls task(i) for every i below `count` on this thread and oneTBB's, and returns when all have finished. Calls may
/// be nested, and made from several threads. Other threads do not inherit this thread's state (device, stream, scopes).
/// Throws the exception of the lowest failing index.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace sinter::codegen
