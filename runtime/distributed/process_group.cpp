// Common code of all engines: agreement between processes, and the choice of an engine.
#include <runtime/distributed/process_group.hpp>

#include <runtime/system/environment.hpp>
#include <runtime/system/process_rank.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace sinter::codegen {
namespace {

constinit std::atomic<group_maker> linked_engine{nullptr};

}  // namespace

std::vector<std::string> process_group::gather(const std::string& mine) {
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<std::uint64_t> lengths(ranks);
    const std::uint64_t own = mine.size();
    all_gather(&own, lengths.data(), sizeof own);
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    std::string padded = mine, all(longest * ranks, '\0');
    padded.resize(longest);
    if (longest > 0) all_gather(padded.data(), all.data(), longest);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < ranks; ++r) texts.push_back(all.substr(r * longest, lengths[r]));
    return texts;
}

bool process_group::all_have(std::uint64_t digest) {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size()));
    all_gather(&digest, all.data(), sizeof digest);
    return std::all_of(all.begin(), all.end(), [&](std::uint64_t other) { return other == digest; });
}

void process_group::throw_disagreement(const std::string& mine) {
    const std::vector<std::string> all = gather(mine);
    // the first process that differs from process 0
    const auto other = std::find_if(all.begin(), all.end(), [&](const std::string& words) { return words != all[0]; });
    throw error(fmt::format(
        "mesh: process {} of {}: {}; all processes evaluate the same expressions of the same shapes, in the same order",
        rank(), size(),
        other != all.end()
            ? fmt::format("process {} evaluates {}, and process 0 {}", other - all.begin(), *other, all[0])
            : fmt::format("the processes evaluate different expressions, each {}", all[0])));
}

double mesh_timeout() { return environment_number("SINTER_MESH_TIMEOUT", 1).value_or(600); }

void use_engine(group_maker maker) { linked_engine.store(maker, std::memory_order_release); }

std::unique_ptr<process_group> group_of_launcher() {
    const process_rank who = rank_from_environment();
    if (who.size == 1) return nullptr;
    if (const group_maker maker = linked_engine.load(std::memory_order_acquire)) return maker();
    throw error(
        fmt::format("mesh: a launcher has started {} processes of this program, which has no way to reach the others: "
                    "include <sinter/mpi.hpp> and link sinter::mpi, or set SINTER_SIZE=1 for a process by itself",
                    who.size));
}

}  // namespace sinter::codegen
