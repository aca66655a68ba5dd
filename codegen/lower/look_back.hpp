// Scans with several blocks per group: each block takes one tile, and looks back at the tiles before it for their
// aggregates, all in one launch that reads everything once. This is the decoupled look-back of Merrill and Garland
// (Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), except for the order of the folds, which must not
// depend on which block is faster. Tiles form windows of a fixed length: a tile folds the aggregates before it in its
// window and the prefix of all earlier windows; the last tile of a window publishes the new prefix. For columns, where
// a tile has one result per column, windows form larger windows, so that fewer results are read.
//
// Blocks acquire tiles in order, by a ticket, so a tile that a block waits for has always been started, and the first
// unfinished tile waits for none: no deadlock. A result is published in words that pair the epoch (the launch's number)
// with a piece of it: a block that reads the current epoch has the piece, without a fence or a reset.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy cuts groups into tiles.
struct tile_walk {
    std::string noun;  ///< "row" or "tile": what is cut into parts; also the name of its index
    scalar groups;     ///< number of groups; empty: one
    int step = 1;      ///< elements per part
};

/// A block's tile.
struct acquired_tile {
    scalar epoch;  ///< number of the launch
    scalar group;  ///< index of the group; empty: there is one
    scalar part;   ///< index of the tile in its group
    scalar begin;  ///< index of its first element
    scalar first;  ///< index of the group's first result among all
};

/// Acquires the next tile.
acquired_tile acquire_tile(lowering& c, const tile_walk& walk);

/// The block's results that a thread handles.
struct result_threads {
    scalar row;     ///< along the scan: the thread row, or the lane
    scalar column;  ///< across it, if a tile has several results
};

/// Publishes `total`, the tile's aggregate, and computes `before`, the fold of all earlier tiles, for each of the
/// block's results, in the block's first threads, one per result. `hand_on` emits the statements by which such a thread
/// passes `before` to the others; they may read it after look_back.
void look_back(lowering& c, int scan, const scalar& total, const acquired_tile& tile, const result_threads& threads,
               const std::function<void(const scalar& before)>& hand_on);

/// Results per block and scan that are published: one, or one per column.
int results_of_tile(const schedule& s);

/// This thread's column among them; that of the current neighbour if it has several.
scalar column_slot(lowering& c, const scalar& thread_column);

/// Bytes of workspace: the ticket, then the results of each scan and tile.
std::size_t look_back_bytes(const loop_nest& k, const schedule& s);

}  // namespace sinter::codegen::lower
