// Steps with short inner loops, whose groups share what they read or read it side by side.
#pragma once

#include <tests/fuzz/grow.hpp>

namespace sinter::fuzz {

int step_windows(grower& g);     ///< folds of windows along one or two axes, with steps, margins and filters
int step_short_rows(grower& g);  ///< x op reduction(x) along a short last axis: the channels of a pixel

}  // namespace sinter::fuzz
