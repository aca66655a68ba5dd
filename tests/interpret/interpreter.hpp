// Runs device programs without a compiler: it computes the results of the printed kernel, and reports errors that a GPU
// would silently ignore.
#pragma once

#include <tests/interpret/global_memory.hpp>

#include <sinter/dtype.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen {
namespace device_ir {
struct program;
}
}  // namespace sinter::codegen

namespace sinter::interpret {

class code;
class engine;

/// A runnable program.
class kernel {
public:
    /// `heading` is what messages call it. Null if an operation of the program is text that only a compiler knows.
    static std::shared_ptr<const kernel> of(const std::shared_ptr<const codegen::device_ir::program>& program,
                                            const std::string& heading);

    std::shared_ptr<const code> ready;
    std::vector<std::size_t> parameter_bytes;
    std::vector<std::size_t> written;                    ///< among the parameters: pointers to what it may store to
    std::vector<std::pair<std::size_t, dtype>> results;  ///< those of them that are results
    int block_threads = 0;
    int cluster = 1;
    std::size_t shared_bytes = 0;          ///< static
    std::size_t dynamic_shared_bytes = 0;  ///< that a launch must request
};

struct launch_request {
    std::int64_t grid = 1;
    int block = 1;                  ///< threads
    std::int64_t max_resident = 1;  ///< resident blocks of the device
    void** arguments = nullptr;
    unsigned seed = 0;  ///< of the scheduling order of warps and blocks
};

/// The warps of a block run statement by statement, all lanes at once, up to their next barrier or wait; then another
/// warp, chosen at random, continues. It reports an access outside the array's memory or extents, or misaligned; a read
/// of an uninitialised value in registers, shared or global memory; a race of threads of a block on an element of
/// shared memory, or of blocks on global memory; an element of a result that is stored twice; a shuffle or a barrier
/// that not all threads reach; overflow of index arithmetic; deadlocked blocks.
class runner {
public:
    explicit runner(global_memory& memory);
    ~runner();
    /// Returns an error that names block, thread and statement, or an empty string.
    std::string run(const kernel& k, const launch_request& request);

private:
    std::unique_ptr<engine> engine_;
};

}  // namespace sinter::interpret
