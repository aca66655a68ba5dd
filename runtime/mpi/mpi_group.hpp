// Processes connected by MPI.
#pragma once

#include <runtime/distributed/process_group.hpp>

#include <memory>
#include <string>

// Deprecated C++ bindings are not used, and their headers cause warnings.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace sinter::codegen {

/// The group of a communicator's processes; collective. Works on duplicates of the communicator.
std::unique_ptr<process_group> make_mpi_group(MPI_Comm communicator);

/// MPI_COMM_WORLD. Calls MPI_Init if the program has not; then MPI_Finalize is called at exit.
MPI_Comm initialised_world();

/// The text of an MPI error code.
std::string mpi_error_text(int code);
/// Whether MPI is initialised and not finalised.
bool mpi_is_open();
/// Marks that a group has failed: MPI_Finalize, which would wait for the others, is then skipped.
void leave_mpi_unfinished();

}  // namespace sinter::codegen
