// The variables by which launchers number the processes of a program.
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
    for (const auto& [rank_name, size_name] : launchers) {
        const std::optional<int> rank = environment_number(rank_name, 0), size = environment_number(size_name, 1);
        // One process of several that takes itself for all of them would compute a part and call it the whole. Other
        // launchers set one of theirs without the other, too, where there are no several processes.
        const bool ours = rank_name == launchers[0][0];
        if (ours && size == 1 && !rank) return {};
        if (ours && (!rank || !size) && (rank || size))
            throw error(fmt::format("{} is set and {} is not: set both, or none of them", rank ? rank_name : size_name,
                                    rank ? size_name : rank_name));
        if (!rank || !size) continue;
        if (*rank >= *size)
            throw error(fmt::format("{}={}, {}={}: ranks are numbered from 0 to the size less 1", rank_name, *rank,
                                    size_name, *size));
        return {*rank, *size};
    }
    return {};
}

}  // namespace sinter::codegen
