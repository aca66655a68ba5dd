// This process's rank among the program's processes.
#pragma once

namespace sinter::codegen {

/// The rank of this process and the number of processes.
struct process_rank {
    int rank = 0;
    int size = 1;
    int local = 0;  ///< rank among those on this machine; defaults to `rank`
};

/// Read from SINTER_RANK and SINTER_SIZE, or the variables of Open MPI, of PMI (MPICH, Intel MPI) or of a Slurm step.
/// Rank 0 of 1 if none is set. Throws for inconsistent values.
process_rank rank_from_environment();

}  // namespace sinter::codegen
