// Blocks that share a group as a thread block cluster: the device runs them at once, on multiprocessors that are close
// to each other, and lets them read each other's shared memory. Compute capability 9.0 and newer.
#pragma once

#include <codegen/cuda/writer.hpp>

namespace sinter::codegen {

/// The functions meet_cluster() and in_block(variable, block).
void write_cluster_functions(writer& w);

}  // namespace sinter::codegen
