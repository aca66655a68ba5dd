// The way of a product's operands to its threads. A slice is what the tile needs of every load for a few steps of the
// loop. Shared memory has two buffers: while threads compute from one, they load the next slice from global memory into
// registers, and write it to the other buffer afterwards, so that one barrier per slice is enough.
#pragma once

#include <codegen/lower/product_tile.hpp>

#include <functional>
#include <vector>

namespace sinter::codegen::lower {

/// A load of the loop: how its slice is dealt to the threads, and where its elements are on their way.
struct staged_load {
    int value = -1;
    const tile_side* side = nullptr;           ///< null: it varies with the steps alone
    bool along_steps = false;                  ///< neighbouring threads load neighbouring steps, as memory has them
    int width = 1;                             ///< neighbours that an access to global memory moves
    device_ir::id next = device_ir::none;      ///< a thread's share of the next slice: registers
    device_ir::id tile = device_ir::none;      ///< two slices: shared memory
    device_ir::id elements = device_ir::none;  ///< what a thread uses in one step: registers

    int size() const { return side == nullptr ? 1 : side->size(); }
};

class operand_slices {
public:
    operand_slices(lowering& shared, result_tile& results);

    void declare();
    /// Loads the slice from step `first` on into registers.
    void load(const scalar& first);
    /// Writes it to buffer 0 or 1.
    void write(const scalar& buffer);
    /// Reads what the thread uses in this step of the slice in the buffer.
    void read(const scalar& buffer, const scalar& step);
    /// A load's element in the step that read() was told, for the thread's result (a, b).
    scalar element(int load, const scalar& buffer, const scalar& step, const scalar& a, const scalar& b);

private:
    /// One of a thread's accesses to a slice: to the element `along` the tile's side at `step`.
    struct access {
        scalar along, step;
        std::vector<scalar> number;  ///< of the access, if there are several
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
