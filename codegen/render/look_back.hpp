// Scans of which several blocks share a group: each block has one tile of it, and looks back at the tiles before its
// own for what they come to, all in one launch that reads everything once. This is the decoupled look-back of Merrill
// and Garland (Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), but for the order in which it folds,
// which must not hang on which block is faster: tiles form windows of a fixed length. A tile folds what the tiles
// before it in its window come to, and what all windows before come to; the last tile of a window hands that on. Down
// columns, where every tile has as many results as columns, windows form larger ones, so that fewer are read.
//
// Blocks draw their tiles by a ticket, in order, so that whoever waits for a tile knows that it has been begun; the
// first of the unfinished tiles waits for nobody. A result is left in words that carry the launch's own number beside
// a piece of it: who sees the number has the piece, without a fence, and nothing has to be reset.
#pragma once

#include <codegen/render/context.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace sinter::codegen {

/// How a form's tiles lie.
struct tile_walk {
    std::string noun;    ///< "row" or "tile": what is cut into parts; also the name of its number in the text
    std::string groups;  ///< how many there are, or empty for one
    int step = 1;        ///< elements of a part
};

/// Draws the block's tile: declares the launch's `turn`, the group's number, `part`, `begin` and, among the results of
/// all groups, the `first` of its own.
void draw_tile(context& c, const tile_walk& walk);

/// From what the tile comes to, `total`, to what the tiles before come to: of each of the block's results, in the first
/// threads, one for each. `hand_on` writes the lines in which such a thread tells the others, and they are then told.
void write_look_back(context& c, int scan, const std::string& total,
                     const std::function<void(const std::string& before)>& hand_on);

/// Results that a block of a form leaves for others, for each scan: one, or one for each of its columns.
int results_of_tile(const schedule& s);

/// The subscript of this thread's column e among them, or nothing where there is one.
std::string column_slot(const context& c);

/// How a result is left, and waited for.
void write_result_functions(writer& w);

/// Bytes of workspace: the ticket, then the results of each scan and tile.
std::size_t look_back_bytes(const kernel& k, const schedule& s);

}  // namespace sinter::codegen
