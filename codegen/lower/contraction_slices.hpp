// Staging of a contraction's operands. A slice holds what the tile needs of every load for `depth` steps of the loop.
// Shared memory is double-buffered: while threads compute from one buffer they load the next slice into registers, then
// write it to the other, so that one barrier per slice is enough.
#pragma once

#include <codegen/lower/contraction_tile.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen::lower {

/// A load of the loop: how its slice is distributed over the threads, and where its elements are staged.
struct staged_load {
    int value = -1;
    const tile_side* side = nullptr;           ///< null: it varies along the steps only
    bool along_steps = false;                  ///< neighbouring threads load consecutive steps, as in memory
    int width = 1;                             ///< elements per access to global memory
    device_ir::id next = device_ir::none;      ///< registers: a thread's share of the next slice
    device_ir::id tile = device_ir::none;      ///< shared memory: two slices
    device_ir::id elements = device_ir::none;  ///< registers: the elements a thread uses in one step

    int size() const { return side == nullptr ? 1 : side->size(); }
};

class operand_slices {
public:
    operand_slices(lowering& shared, result_tile& results);

    void declare();
    /// Loads the slice that starts at step `first` into registers.
    void load(const scalar& first);
    /// Writes the loaded slice to buffer 0 or 1.
    void write(const scalar& buffer);
    /// The same for what differs from one tile of columns to the next, of a loop of one slice.
    void load_columns();
    void write_columns(const scalar& buffer);
    /// Reads the thread's elements of this step from the slice in the buffer.
    void read(const scalar& buffer, const scalar& step);
    /// A load's element in the step of the last read(), for the thread's result (a, b).
    scalar element(int load, const scalar& buffer, const scalar& step, const scalar& a, const scalar& b);

private:
    /// One of a thread's accesses to a slice: element `along` on the tile's side, at `step`.
    struct access {
        scalar along, step;
        std::vector<scalar> number;  ///< register index of the access, if a thread has several
    };
    int accesses(const staged_load& l) const;
    void each_access(const staged_load& l, const std::function<void(const access&)>& body);
    void load_access(const staged_load& l, const access& a, const scalar& first);
    void write_access(const staged_load& l, const access& a, const scalar& buffer);
    std::vector<scalar> packed_index(const scalar& i);

    lowering& c;
    result_tile& tile;
    const int depth;  ///< steps of a slice
    std::vector<staged_load> loads;
};

}  // namespace sinter::codegen::lower
