// Several tasks at a time, for work that compiles rather than computes.
#pragma once

#include <cstddef>
#include <functional>

namespace sinter::codegen {

/// Calls task(i) for every i below `count`, on this thread and on oneTBB's, and returns when all have ended. Calls may
/// be nested, and come from many threads. What is current in this thread (device, stream, scopes) is not in the others.
/// Throws what the task of the lowest index has thrown.
void at_once(std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace sinter::codegen
