// Runs device programs without a compiler: what the kernel that is printed of a program computes, and which mistakes a
// GPU would pass over in silence.
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

/// A program that can be run.
class kernel {
public:
    /// `heading` is what messages call it. Null where an operation of the program is text that only a compiler knows.
    static std::shared_ptr<const kernel> of(const std::shared_ptr<const codegen::device_ir::program>& program,
                                            const std::string& heading);

    std::shared_ptr<const code> ready;
    std::vector<std::size_t> parameter_bytes;
    std::vector<std::size_t> written;                    ///< among the parameters: pointers to what it may store to
    std::vector<std::pair<std::size_t, dtype>> results;  ///< those of them that are results
    int block_threads = 0;
    int cluster = 1;
    std::size_t shared_bytes = 0;
};

struct launch_request {
    std::int64_t grid = 1;
    int block = 1;                   ///< threads
    std::int64_t most_resident = 1;  ///< blocks that the device runs at once
    void** arguments = nullptr;
    unsigned seed = 0;  ///< of the order in which warps and blocks take turns
};

/// The warps of a block run statement by statement, all lanes at once, up to their next barrier or wait; then another
/// one, chosen at random, goes on. Reported are: an access outside the array's memory or extents, or misaligned; a read
/// of what has no value yet, in registers, shared and global memory; threads of a block that use one element of shared
/// memory, or blocks that use one of global memory, with nothing to order them; an element of a result that is stored
/// twice; an exchange or a barrier that not all threads reach; index arithmetic that overflows; blocks that wait in
/// vain.
class runner {
public:
    explicit runner(global_memory& memory);
    ~runner();
    /// What went wrong, naming block, thread and statement; empty when nothing did.
    std::string run(const kernel& k, const launch_request& request);

private:
    std::unique_ptr<engine> engine_;
};

}  // namespace sinter::interpret
