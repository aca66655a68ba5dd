// What the threads of a launch do, counted from the statements of its device program: accesses by array and width, the
// op table's bodies, barriers and exchanges. Index arithmetic is computed, data is not, so that no memory is needed.
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
    parameter::kind what{};  ///< global: of the array's parameter, and its index
    int index = 0;
    int bytes = 0;  ///< of one thread's access

    auto operator<=>(const access_place&) const = default;
};

struct access_count {
    std::int64_t threads = 0;  ///< accesses of single threads
    std::int64_t warps = 0;    ///< instructions: those of a warp's lanes at once
    std::int64_t sectors = 0;  ///< global: of 32 bytes, that an instruction's lanes touch, summed over instructions
    bool operator==(const access_count&) const = default;
};

struct statement_counts {
    std::map<access_place, access_count> accesses;
    std::map<std::pair<std::string, dtype>, std::int64_t> operations;  ///< of a row in a dtype, by thread
    std::int64_t casts = 0;                                            ///< by thread
    std::int64_t index_instructions = 0;                               ///< of warps; before any compiler shortens them
    std::int64_t exchanges = 0;                                        ///< of warps
    std::int64_t block_barriers = 0, cluster_barriers = 0;             ///< of blocks
    std::int64_t grid_barriers = 0;                                    ///< of blocks
    std::int64_t tickets = 0, publishes = 0, awaits = 0;               ///< of threads
    bool is_exact = true;  ///< false where a branch depends on data: then both of its sides count

    std::int64_t bytes(device_ir::space where, bool is_store) const;
};

/// The counts of a launch of `blocks` blocks. `value` gives what is passed for a parameter that is neither a pointer
/// nor a scalar. Every warp is gone through, which takes a fraction of a microsecond for each of its statements.
statement_counts count_statements(const device_ir::program& p, std::int64_t blocks,
                                  const std::function<std::int64_t(const parameter&)>& value);

}  // namespace sinter::codegen
