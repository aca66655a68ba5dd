// Scans of which several blocks share a group: each block has one tile of it, and looks back at the tiles before its
// own for what they come to, all in one launch that reads everything once. This is the decoupled look-back of Merrill
// and Garland (Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), but for the order in which it folds,
// which must not hang on which block is faster: tiles form windows of a fixed length. A tile folds what the tiles
// before it in its window come to, and what all windows before come to; the last tile of a window hands that on.
//
// Blocks draw their tiles by a ticket, in order, so that whoever waits for a tile knows that it has been begun; the
// first of the unfinished tiles waits for nobody. The ticket counts on from launch to launch, and what a launch leaves
// is marked with the launch's own number: nothing has to be reset.
#pragma once

#include <codegen/render/context.hpp>

#include <cstddef>
#include <string>

namespace sinter::codegen {

/// How a form's tiles lie.
struct tile_walk {
    std::string noun;    ///< "row" or "tile": what is cut into parts; also the name of its number in the text
    std::string groups;  ///< how many there are, or empty for one
    int step = 1;        ///< elements of a part
};

/// Draws the block's tile: declares its number `drawn`, the launch's `turn`, the group's number, `part`, `parts` and
/// `begin`.
void draw_tile(context& c, const tile_walk& walk);

/// From what the tile comes to, in "running_sum_1_total" of all its threads (columns: of all those of a column), to
/// what the tiles before come to, in "running_sum_1".
void write_look_back(context& c, int scan);

/// How long a thread waits for a mark.
void write_wait_for_tile(writer& w);

/// Bytes of workspace: the ticket, then for each scan and tile two results and two marks.
std::size_t look_back_bytes(const kernel& k, const schedule& s, std::size_t slots);

}  // namespace sinter::codegen
