// The folds of columns by a block of rows: registers for each of a thread's columns, folded over the rows that the
// block has at once, and stored once per block.
#pragma once

#include <codegen/lower/lowering.hpp>

#include <map>
#include <vector>

namespace sinter::codegen::lower {

/// How a row's threads go over its columns.
struct column_walk {
    scalar first;      ///< a thread's first position
    int distance = 1;  ///< between its accesses, in elements
};

class column_folds_lowering {
public:
    explicit column_folds_lowering(lowering& shared);

    bool empty() const { return folds_.empty(); }
    /// Declares a thread's registers; call before the loop over the block's rows.
    void open();
    /// The register of a fold for the current access and neighbour.
    scalar of_access(int fold);
    /// Stores the block's results; call after the loop.
    void close(const column_walk& walk);

private:
    scalar position_of_access(const column_walk& walk);
    void store_registers(const column_walk& walk);
    void store_from_shared(const column_walk& walk);
    scalar destination(int store, int count);
    /// Emits the body for each of a thread's accesses and, within it, neighbours.
    template <class F>
    void each_element(F body);

    lowering& c;
    std::vector<int> folds_;   ///< values
    std::vector<int> stores_;  ///< positions in the kernel's stores
    std::map<int, device_ir::id> registers_;
    int axis_ = -1;  ///< of the columns
};

}  // namespace sinter::codegen::lower
