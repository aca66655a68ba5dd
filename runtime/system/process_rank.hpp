// Which of the processes of one program this is.
#pragma once

namespace sinter::codegen {

/// Which of how many processes this is.
struct process_rank {
    int rank = 0;
    int size = 1;
};

/// As whoever started the processes says: SINTER_RANK and SINTER_SIZE, or the variables of Open MPI, of PMI (MPICH,
/// Intel MPI) or of a Slurm step. One of one where nobody says anything. Throws for what makes no sense.
process_rank rank_from_environment();

}  // namespace sinter::codegen
