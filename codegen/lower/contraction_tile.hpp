// The tile of results of a block of a contraction, along two axes called rows and columns, and each thread's share.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// One of the two axes.
struct tile_side {
    std::string name;              ///< axes of the kernel along this side; the schedule tiles the first
    std::vector<int> axes;         ///< of the kernel along it; the first one is what the schedule tiles
    int results = 1;               ///< per thread
    int threads = 1;               ///< per block
    scalar extent, first, thread;  ///< number of rows, first row of the tile, the thread's index among `threads`

    int size() const { return results * threads; }
    bool varies(const value& v) const { return v.varies >> axes[0] & 1; }
};

/// Tiles side by side, empty where a block goes along all; where there are other outer axes, also tiles below each
/// other and the number of the block's indices of the others.
struct tile_place {
    scalar tiles, tiles_below, layer;
};

/// Computes the block's tile of rows and columns from its number, or the given one, and the indices of the other outer
/// axes.
tile_place locate_tile(lowering& c, tile_side& rows, tile_side& columns, const scalar& given = {});

class result_tile {
public:
    explicit result_tile(lowering& shared);

    /// Computes the block's tile, from its number or the given one, and the thread's indices in it.
    void place(const scalar& given = {});

    /// The row (column) of the thread's result number `which`. A thread's results come in runs of `vector_width`
    /// neighbours.
    scalar position(const tile_side& side, const scalar& which);
    /// Sets the index of all the kernel's axes along the side.
    void set_index(const tile_side& side, const scalar& index);
    /// Likewise, but an index past the end becomes extent - back; the elements read there are not used.
    void set_clamped(const tile_side& side, const scalar& index, int back);

    int threads() const { return rows.threads * columns.threads; }  ///< of a set

    tile_side rows, columns;
    scalar thread, set;     ///< the thread's index in its set, and the set's; a set alone: the block's thread, 0
    std::vector<int> axes;  ///< axes of the results, and all those along the columns

private:
    lowering& c;
};

}  // namespace sinter::codegen::lower
