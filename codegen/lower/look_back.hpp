// Scans of which several blocks share a group: each block has one tile of it, and looks back at the tiles before its
// own for what they come to, all in one launch that reads everything once. This is the decoupled look-back of Merrill
// and Garland (Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), but for the order in which it folds,
// which must not depend on which block is faster: tiles form windows of a fixed length. A tile folds what the tiles
// before it in its window come to, and what all windows before come to; the last tile of a window hands that on. Down
// columns, where every tile has as many results as columns, windows form larger ones, so that fewer are read.
//
// Blocks acquire their tiles by a ticket, in order, so that a block that waits for a tile knows that it has been begun;
// the first of the unfinished tiles waits for none. A result is published in words that carry the launch's own number
// beside a piece of it: a block that sees the number has the piece, without a fence, and nothing has to be reset.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// How a strategy's tiles lie.
struct tile_walk {
    std::string noun;  ///< "row" or "tile": what is cut into parts; also the name of its number
    scalar groups;     ///< how many there are; empty for one
    int step = 1;      ///< elements of a part
};

/// A block's tile.
struct acquired_tile {
    scalar epoch;  ///< the launch's number
    scalar group;  ///< the group's; empty for one
    scalar part;   ///< the tile's in its group
    scalar begin;  ///< its first element
    scalar first;  ///< of the group's results among all
};

/// The next tile that no block has.
acquired_tile acquire_tile(lowering& c, const tile_walk& walk);

/// Which of the block's results a thread has to do with.
struct result_threads {
    scalar row;     ///< along the scan: the thread row, or the lane
    scalar column;  ///< across it, where a tile has several results
};

/// From what the tile comes to, `total`, to what the tiles before come to: of each of the block's results, in the first
/// threads, one for each. `hand_on` writes the statements in which such a thread tells the others; after them they may
/// read it.
void look_back(lowering& c, int scan, const scalar& total, const acquired_tile& tile, const result_threads& threads,
               const std::function<void(const scalar& before)>& hand_on);

/// Results that a block leaves for others, for each scan: one, or one for each of its columns.
int results_of_tile(const schedule& s);

/// This thread's column among them: the neighbour at hand, where it has several.
scalar column_slot(lowering& c, const scalar& thread_column);

/// Bytes of workspace: the ticket, then the results of each scan and tile.
std::size_t look_back_bytes(const kernel& k, const schedule& s);

}  // namespace sinter::codegen::lower
