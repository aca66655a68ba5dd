// Lets the tests of sharded arrays, whose objects this is linked with, reach other processes by MPI.
#include <sinter/mpi.hpp>
