// Counts what the threads of a launch do, from its device program: accesses by array and width, evaluations of op
// bodies, barriers and exchanges. Evaluates index arithmetic but not data, so it needs no memory.
#pragma once

#include <codegen/device/program.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

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
    std::int64_t threads = 0;  ///< accesses of single threads
    std::int64_t warps = 0;    ///< warp instructions
    std::int64_t sectors = 0;  ///< global: 32-byte sectors touched per warp instruction, summed over instructions
    bool operator==(const access_count&) const = default;
};

struct statement_counts {
    std::map<access_place, access_count> accesses;
    std::map<std::pair<std::string, dtype>, std::int64_t> operations;  ///< total over threads; by row and dtype
    std::int64_t casts = 0;                                            ///< total over threads
    std::int64_t index_instructions = 0;                               ///< total over warps; unoptimized
    std::int64_t exchanges = 0;                                        ///< total over warps
    std::int64_t multiplies = 0;                                       ///< total over warps; products of fragments
    std::int64_t block_barriers = 0, cluster_barriers = 0;             ///< total over blocks
    std::int64_t grid_barriers = 0;                                    ///< total over blocks
    std::int64_t tickets = 0, publishes = 0, awaits = 0;               ///< total over threads
    bool is_exact = true;  ///< false if a branch depends on data; then both of its sides count

    std::int64_t bytes(device_ir::space where, bool is_store) const;
};

/// Counts a launch of `blocks` blocks. `value` returns the argument of a parameter that is neither a pointer nor a
/// scalar. Walks every warp, which takes a fraction of a microsecond per statement and warp.
statement_counts count_statements(const device_ir::program& p, std::int64_t blocks,
                                  const std::function<std::int64_t(const parameter&)>& value);

}  // namespace sinter::codegen
