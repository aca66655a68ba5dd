// A mesh that MPI connects; of one process, where no launcher has started it.
#include <sinter.hpp>
#include <sinter/mpi.hpp>

int main() {
    const sinter::mesh m;
    return m.size() >= 1 ? 0 : 1;
}
