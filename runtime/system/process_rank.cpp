// The variables by which launchers number a program's processes.
#include <runtime/system/process_rank.hpp>

#include <runtime/system/environment.hpp>
#include <sinter/error.hpp>

#include <fmt/format.h>

#include <optional>

namespace sinter::codegen {

process_rank rank_from_environment() {
    constexpr const char* launchers[][2] = {{"SINTER_RANK", "SINTER_SIZE"},
                                            {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                            {"PMI_RANK", "PMI_SIZE"},
                                            {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    constexpr const char* on_this_machine[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    for (const auto& [rank_name, size_name] : launchers) {
        const std::optional<int> rank = environment_number(rank_name, 0), size = environment_number(size_name, 1);
        // If one of several processes believed it was alone, it would return a part as the whole. Other launchers may
        // set only one of their variables even for a single process.
        const bool ours = rank_name == launchers[0][0];
        if (ours && size == 1 && !rank) return {};
        if (ours && (!rank || !size) && (rank || size))
            throw error(fmt::format("{} is set and {} is not: set both, or none of them", rank ? rank_name : size_name,
                                    rank ? size_name : rank_name));
        if (!rank || !size) continue;
        if (*rank >= *size)
            throw error(fmt::format("{}={}, {}={}: ranks are numbered from 0 to the size minus 1", rank_name, *rank,
                                    size_name, *size));
        process_rank who{*rank, *size, *rank};
        for (const char* name : on_this_machine)
            if (const std::optional<int> local = environment_number(name, 0)) {
                who.local = *local;
                break;
            }
        return who;
    }
    return {};
}

}  // namespace sinter::codegen
