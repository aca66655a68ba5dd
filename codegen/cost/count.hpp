// Counts what the threads of a launch do, from its device program: accesses by array and width, evaluations of op
// bodies, barriers and exchanges. Evaluates index arithmetic but not data, so it needs no memory.
#pragma once

#include <codegen/device/program.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {

/// Accesses of one width to one array of global memory, or to shared memory.
struct access_place {
    device_ir::space where{};
    bool is_store = false;
    parameter::kind what{};  ///< global: kind and index of the array's parameter
    int index = 0;
    int bytes = 0;  ///< of one thread's access

    auto operator<=>(const access_place&) const = default;
};

struct access_count {
    std::int64_t threads = 0;   ///< accesses of single threads
    std::int64_t warps = 0;     ///< warp instructions
    std::int64_t sectors = 0;   ///< global: 32-byte sectors touched per warp instruction, summed over instructions
    std::int64_t lines = 0;     ///< global: lines of 128 bytes, likewise
    std::int64_t gathered = 0;  ///< of the sectors those at offsets that depend on data
    bool operator==(const access_count&) const = default;
};

struct statement_counts {
    std::map<access_place, access_count> accesses;
    std::map<std::pair<std::string, dtype>, std::int64_t> operations;         ///< total over threads; by row and dtype
    std::map<std::pair<const op_row*, dtype>, std::int64_t> warp_operations;  ///< likewise, over warps
    std::map<std::pair<dtype, dtype>, std::int64_t> conversions;              ///< from, to: total over warps
    std::int64_t casts = 0;                                                   ///< total over threads
    std::int64_t index_instructions = 0;                                      ///< total over warps; unoptimized
    std::int64_t contractions = 0;                          ///< total over warps; additions to products of floats
    std::int64_t turns = 0, branches = 0;                   ///< total over warps; of loops that are not unrolled
    std::int64_t exchanges = 0;                             ///< total over warps
    std::int64_t multiplies = 0;                            ///< total over warps; products of fragments
    std::int64_t block_barriers = 0, cluster_barriers = 0;  ///< total over blocks
    std::int64_t grid_barriers = 0;                         ///< total over blocks
    std::int64_t tickets = 0, publishes = 0, awaits = 0;    ///< total over threads
    bool is_exact = true;  ///< false if a branch depends on data; then both of its sides count

    std::int64_t bytes(device_ir::space where, bool is_store) const;
};

/// Returns the argument of a parameter that is neither a pointer nor a scalar.
using launch_arguments = std::function<std::int64_t(const parameter&)>;

/// Counts a launch of `blocks` blocks. Walks every warp, which takes a fraction of a microsecond per statement.
statement_counts count_statements(const device_ir::program& p, std::int64_t blocks, const launch_arguments& arguments);

/// Counts of some warps, and how many of them each stands for.
struct sampled_counts {
    statement_counts of;
    double times = 1;
};

/// A sample of a launch: the first and up to three other warps of two blocks, which are neither the first block nor the
/// last; of long loops some turns.
std::vector<sampled_counts> sample_statements(const device_ir::program& p, std::int64_t blocks,
                                              const launch_arguments& arguments);

}  // namespace sinter::codegen
