// Steps that move elements: joins, padding, rotations, repetitions, planes and interleaved channels, and reductions of
// gathers and of one-hot comparisons.
#pragma once

#include <tests/fuzz/grow.hpp>

namespace sinter::fuzz {

int step_concat(grower& g);
int step_stack(grower& g);
int step_pad(grower& g);
int step_mirror(grower& g);
int step_roll(grower& g);
int step_repeat(grower& g);
int step_channels(grower& g);
int step_join_channels(grower& g);
int step_reduce_gathered(grower& g);
int step_one_hot(grower& g);

}  // namespace sinter::fuzz
