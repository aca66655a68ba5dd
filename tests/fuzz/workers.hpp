// Spreading seeds over processes. A process of its own for every few hundred graphs: a crash costs one of them and is
// reported with its seed, and the plans that the library keeps for good go with it.
#pragma once

#include <tests/fuzz/coverage.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace sinter::fuzz {

/// What a worker has done. It lies in memory that the parent sees.
struct progress {
    std::uint64_t seed = 0;  ///< at work on this one
    std::int64_t graphs = 0, refused = 0, failed = 0, kernels = 0;
    std::int64_t decided = 0, elements = 0;
    coverage reached;

    void add(const progress& other);
};

struct work {
    std::uint64_t first_seed = 0;
    std::int64_t graphs = 0;
    std::int64_t graphs_a_process = 1;
    int jobs = 1;
    std::int64_t max_failures = 1;  ///< no new processes after this many
};

/// Calls `run` with ranges of seeds, each in a process. `crashed` is called, here, for processes that ended otherwise
/// than by returning: with the seed they were at and the cause. Gives the sums.
progress spread(const work& w, const std::function<void(std::uint64_t first, std::int64_t count, progress& p)>& run,
                const std::function<void(std::uint64_t seed, const std::string& cause)>& crashed);

/// Runs in a process of its own. Gives the cause if that does not return, else nothing.
std::string run_apart(const std::function<void()>& run);

}  // namespace sinter::fuzz
