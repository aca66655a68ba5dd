// Shows compilers that two neighbours along a loop share what is computed of their index.
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen {

/// Writes indices of which neighbours share a computation, as random numbers do, as 2 * half + index of the loop, where
/// the strides along all other axes are even: a compiler that knows the loop's index to be even or odd sees then that
/// of the whole, and computes what two neighbours share once.
void expose_even_indices(loop_nest& k);

/// Whether two neighbours share what an op computes of an index that is written so.
bool shares_with_neighbour(const loop_nest& k, const value& v);

}  // namespace sinter::codegen
