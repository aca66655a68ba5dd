// MPI's initialisation and finalisation, and its registration for meshes.
#include <runtime/distributed/mesh_device.hpp>
#include <runtime/mpi/mpi_group.hpp>
#include <runtime/system/process_rank.hpp>
#include <sinter/error.hpp>
#include <sinter/mpi.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

namespace sinter {
namespace codegen {
namespace {

constinit std::atomic<bool> left_unfinished{false};

void finalise() {
    if (mpi_is_open() && !left_unfinished.load()) MPI_Finalize();
}

std::unique_ptr<process_group> group_of_world() {
    std::unique_ptr<process_group> group = make_mpi_group(initialised_world());
    const process_rank who = rank_from_environment();
    if (group->size() != who.size)
        throw error(
            fmt::format("mesh: the launcher has started {} processes, and {} knows {}: start the program with the "
                        "mpirun of the MPI that it is linked with",
                        who.size, group->describe(), group->size()));
    return group;
}

}  // namespace

std::string mpi_error_text(int code) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return text;
}

bool mpi_is_open() {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun != 0 && ended == 0;
}

void leave_mpi_unfinished() { left_unfinished.store(true); }

MPI_Comm initialised_world() {
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun == 0) {
        int given = 0;
        if (const int failed = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given); failed != MPI_SUCCESS)
            throw error(fmt::format("mesh: MPI could not be initialised: {}", mpi_error_text(failed)));
        std::atexit(finalise);
    }
    if (!mpi_is_open()) throw error("mesh: MPI_Finalize was called; make meshes before it");
    return MPI_COMM_WORLD;
}

}  // namespace codegen

namespace detail {

bool use_mpi() {
    codegen::use_engine(codegen::group_of_world);
    return true;
}

}  // namespace detail

mesh mpi_mesh(int communicator) {
    if (!codegen::mpi_is_open()) throw error("mpi_mesh: MPI is not initialised; call MPI_Init first, or use mesh()");
    return mesh(codegen::mesh_of_group(codegen::make_mpi_group(MPI_Comm_f2c(communicator))));
}

}  // namespace sinter
