// Tiles of contractions: how many there are, and which of their accesses are wide.
#pragma once

#include <codegen/schedule/access.hpp>
#include <codegen/schedule/features.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

/// How many tiles there are, one per block.
std::int64_t tiles_of(const loop_nest& k, const contraction_tile& t);

/// Whether an access can move `vector` neighbours along `axis`, whose extent is then a multiple of them.
bool is_wide(const loop_nest& k, const access& a, int axis, int vector, const std::vector<int>& alignment);

/// The one of a tile's two axes along which a value varies, the rows' first; -1 for none.
int tiled_axis_of(const value& v, const contraction_tile& t);

/// Whether neighbouring threads stage a load's elements along the steps of the loop rather than along its
/// tiled axis (-1 for none): as its elements lie.
bool staged_along_steps(const loop_nest& k, const value& load, int tiled_axis);

/// Results of this dtype that an access moves where blocks share a tile, of a row of `row` of them in registers.
int run_of_results(dtype type, int row);

/// Fills in what follows from a schedule's tile: which accesses can be wide.
void choose_wide_accesses(const loop_nest& k, const std::vector<int>& alignment, schedule& s);

/// Adds what a kernel with such a schedule does.
void count_contraction(const loop_nest& k, const schedule& s, schedule_features& made);

}  // namespace sinter::codegen
