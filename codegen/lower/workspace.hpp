// Device memory of kernels whose blocks share groups: tickets, barriers and partial results.
#pragma once

#include <codegen/schedule/schedule.hpp>

#include <cstddef>

namespace sinter::codegen {

/// A split kernel has one ticket per group at the start of its workspace, at most this many. Products on tensor cores
/// have room for one per block.
inline constexpr int max_tickets = 1024;
inline constexpr int ticket_bytes = 4 * max_tickets;
inline constexpr int ticket_of_block_bytes = 16;  ///< keeps what follows aligned
inline constexpr int tensor_map_bytes = 128;
/// The tensor maps of both factors, which each block of a persistent grid makes: before its tickets.
inline constexpr int maps_of_block_bytes = 2 * tensor_map_bytes;

/// Workspace bytes per partial result, whatever its dtype: the size of the kernel's widest, at least 8.
int partial_bytes(const loop_nest& k);

/// Bytes of workspace that a launch with these extents needs, zeroed once at allocation; 0 for none.
std::size_t workspace_bytes(const loop_nest& k, const schedule& s);

}  // namespace sinter::codegen
