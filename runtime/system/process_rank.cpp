// The variables by which launchers number the processes of a program.
#include <runtime/system/process_rank.hpp>

#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace sinter::codegen {
namespace {

int number_of(const char* name, const std::string& t) {
    int value = -1;
    const auto [end, failure] = std::from_chars(t.data(), t.data() + t.size(), value);
    if (failure != std::errc() || end != t.data() + t.size() || value < 0)
        throw error(fmt::format("{}={}: it is a number from 0 on", name, t));
    return value;
}

}  // namespace

process_rank rank_from_environment() {
    constexpr const char* launchers[][2] = {{"SINTER_RANK", "SINTER_SIZE"},
                                            {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                            {"PMI_RANK", "PMI_SIZE"},
                                            {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (const auto& [rank_name, size_name] : launchers) {
        const std::string rank = environment(rank_name), size = environment(size_name);
        if (rank.empty() || size.empty()) continue;
        const process_rank who{number_of(rank_name, rank), number_of(size_name, size)};
        if (who.rank >= who.size)
            throw error(fmt::format("{}={}, {}={}: ranks are numbered from 0 to the size less 1", rank_name, rank,
                                    size_name, size));
        return who;
    }
    return {};
}

}  // namespace sinter::codegen
