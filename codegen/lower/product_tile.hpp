// The tile of results that a block of a product has, along two axes that are called rows and columns, and those of its
// results that each thread has.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <string>
#include <vector>

namespace sinter::codegen::lower {

/// One of the two axes.
struct tile_side {
    std::string name;              ///< "row", "column"
    std::vector<int> axes;         ///< of the kernel along it; the first one is what the schedule tiles
    int results = 1;               ///< of a thread
    int threads = 1;               ///< of a block
    scalar extent, first, thread;  ///< how many rows there are, the tile's first one, the thread among `threads`

    int size() const { return results * threads; }
    bool varies(const value& v) const { return v.varies >> axes[0] & 1; }
};

class result_tile {
public:
    explicit result_tile(lowering& shared);

    /// Which tile the block has, and the thread's index in it.
    void place();

    /// The row (column) of the thread's result number `which`. Where accesses move `vector` neighbours, so many results
    /// of a thread are neighbours, too.
    scalar position(const tile_side& side, const scalar& which);
    /// Makes it the index of the kernel's axes along the side.
    void set_index(const tile_side& side, const scalar& index);
    /// The same with an index that is `back` before the end where it would be past it: what is read there is not used.
    void set_clamped(const tile_side& side, const scalar& index, int back);

    tile_side rows, columns;
    std::vector<int> axes;  ///< those of the results, and all that stand for the columns

private:
    lowering& c;
};

}  // namespace sinter::codegen::lower
