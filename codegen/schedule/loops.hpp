// What schedules need to know of a kernel's loops: their length, calls and bytes, and whether blocks can share them.
#pragma once

#include <codegen/ir/round.hpp>
#include <codegen/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// Shared memory in which the blocks of a split learn which of them is the last one.
inline constexpr std::size_t last_block_bytes = 16;

/// Whether some value is an index, or a gather.
bool computes_indices(const loop_nest& k);

/// How many functions a loop's ops call, those of include/sinter/number apart, which are a few instructions: the others
/// cost many, and unrolling them costs compile time.
int function_calls(const loop_nest& k, int loop);

/// Whether positions in the kernel may need 64 bits; `slack` is how far a thread may look past the end.
bool needs_wide_index(const loop_nest& k, std::int64_t slack);

/// Bytes that a thread keeps of its group from loop to loop, at most: 32 of its 64 registers.
inline constexpr int max_cached_bytes = 128;

/// Bytes that an iteration of a loop loads or scans: what is under way in a thread's registers.
int bytes_per_iteration(const loop_nest& k, int loop);

/// Rows and columns in tiles that look back at those before them: a thread's loads and scans, in bytes.
inline constexpr int bytes_of_tile = 256;

/// The longest trip count of the kernel's loops.
std::int64_t longest_loop(const loop_nest& k);

/// One reduction loop and nothing but group-level stores: what several blocks can share.
bool can_split(const loop_nest& k);

/// One loop whose scans need none of each other, and which folds nothing: what several blocks can share when each looks
/// back at those before it.
bool can_look_back(const loop_nest& k);

/// A reduction loop and something after it within a group: what several blocks can share when they meet at a grid
/// barrier.
bool can_share_by_barriers(const loop_nest& k);

/// Whether two layouts go alike along the axes of two loops: step by step, though the one axis of either may be several
/// of the other.
bool move_alike(const loop_nest& k, int layout_a, const std::vector<int>& axes_a, int layout_b,
                const std::vector<int>& axes_b);

/// Whether two loads read the same elements in the same order.
bool read_alike(const loop_nest& k, const value& a, const value& b);

/// Bytes that a group's inputs take for each of its elements when they stay in registers for all loops: 0 when no input
/// is read twice, or when the loops differ in length. Without `gathers`, only those of loads at the loops' own indices.
int bytes_read_again(const loop_nest& k, bool gathers = true);

/// The registers that an access to so many neighbours takes of these inputs, in bytes: what is less than a register
/// takes one. Gathers are read again where there is no room for them beside other loads.
int register_bytes_read_again(const loop_nest& k, int vector, bool gathers = true);
inline int register_bytes(dtype type, int vector) { return std::max(4, static_cast<int>(size_of(type)) * vector); }

/// The least power of two that is not below n, and not above `most`.
int power_of_two(std::int64_t n, int most);

}  // namespace sinter::codegen
