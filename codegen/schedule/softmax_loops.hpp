// One form for what softmaxes can be written as, in which one pass over a row can be recognised (schedule/online.hpp).
#pragma once

#include <codegen/ir/loop_nest.hpp>

namespace sinter::codegen {

/// The kernel with exponentials relative to the maximum of their loop's elements, wherever they are relative to other
/// numbers of the row:
///
///   exp(a - g)  =  exp(a - max(a)) * exp(max(a) - g)
///
/// so that the sums of a softmax and of a logsumexp are one, and exp(a - logsumexp(a)) is a softmax.
loop_nest with_exponentials_below_maxima(const loop_nest& k);

/// The kernel with a loop of its own for what its last loop stores, if that loop folds as well.
loop_nest with_stores_apart(const loop_nest& k);

}  // namespace sinter::codegen
