// What kernels whose blocks share groups keep in device memory: tickets, barriers and partial results.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstddef>

namespace sinter::codegen {

/// A split kernel keeps one ticket per group in front of its workspace, at most this many.
inline constexpr int max_tickets = 1024;
inline constexpr int ticket_bytes = 4 * max_tickets;

/// A partial result takes this much workspace, whatever its dtype: the widest of the kernel's, and no less than 8.
int partial_bytes(const kernel& k);

/// Bytes of workspace that a launch with these extents needs: zeroed once when it is allocated; 0 for none.
std::size_t workspace_bytes(const kernel& k, const schedule& s);

}  // namespace sinter::codegen
