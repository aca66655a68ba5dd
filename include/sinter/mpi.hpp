// Meshes of processes over MPI. Not part of sinter.hpp: include it and <sinter/sharded.hpp> in one file of the program,
// and link sinter::mpi. MPICH 4.0 and 4.1 built on UCX may hang at exit, in MPI_Finalize, where hosts are connected by
// TCP: take Open MPI or a newer MPICH there.
//
//     mesh m;                                                        // under mpirun or srun: a member per process
//     sharded<float, 2> x = scatter(m, load_npy<float, 2>("x.npy"));
#pragma once

#include <sinter/sharded.hpp>

namespace sinter {
namespace detail {

/// Registers MPI as mesh()'s connection to the other processes.
bool use_mpi();
inline const bool mpi_is_used = use_mpi();

}  // namespace detail

/// A mesh over an existing communicator, given by its Fortran handle: mpi_mesh(MPI_Comm_c2f(comm)). Collective: every
/// process of the communicator calls it and contributes one member, its current device. MPI must be initialised. The
/// mesh uses duplicates of the communicator, so its messages cannot collide with the program's.
[[nodiscard]] mesh mpi_mesh(int communicator);

}  // namespace sinter
