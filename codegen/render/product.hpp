// The parts of a product's body: where a block's tile lies, how slices of the operands come into shared memory, and how
// a thread folds them into its results.
#pragma once

#include <codegen/render/element.hpp>

#include <string>
#include <vector>

namespace sinter::codegen {

/// One of the two tiled axes.
struct tile_side {
    int axis = -1;
    int results = 1;      ///< of a thread
    int threads = 1;      ///< of a block
    std::string noun;     ///< "row", "column"
    std::string extent;   ///< "rows": how many there are
    std::string counter;  ///< "a": of a thread's results
    int size() const { return results * threads; }
};

/// A load of the loop: how its slice is dealt to threads and lies in shared memory.
struct staged_load {
    int value = -1;
    const tile_side* side = nullptr;  ///< null: it goes along the steps alone
    bool along_steps = false;         ///< neighbouring threads take neighbouring steps
    bool wide = false;                ///< a global access moves `vector` neighbours
    std::string tile, next, held;     ///< in shared memory, on its way there, and in registers
};

class product_renderer {
public:
    explicit product_renderer(context& shared);

    void place_tiles();
    void declare();
    /// The loop over slices, which leaves a thread's results in "sum_4_at[a][b]".
    void loop();
    void store();
    /// The other loops of a nested kernel, which go over what the first one left in the registers.
    void go_over_columns();

    std::vector<element_function> functions;

private:
    int vector() const { return c.s.vector; }
    int depth() const { return c.s.product.depth; }
    const value& at(int v) const { return c.at(v); }
    bool varies(int v, const tile_side& side) const { return at(v).varies >> side.axis & 1; }
    bool is_row_or_column(int v) const { return varies(v, rows) || varies(v, columns); }

    std::string result(const tile_side& side, const std::string& which) const;
    std::string element_of(const tile_side& side, const std::string& name) const;
    std::vector<int> needed(std::vector<int> wanted) const;
    void values(const std::vector<int>& list);
    void group_values();
    int accesses(const staged_load& l) const;
    template <class Body>
    void each_access(const staged_load& l, Body body);
    void fetch(const staged_load& l);
    void put(const staged_load& l);
    void fold();
    void store_value(const kernel_store& store);
    void column_loop(int l);
    void fold_columns(const std::vector<int>& reductions);
    void store_one(const std::vector<int>& computed);
    void store_vectors(const std::vector<int>& computed);

    context& c;
    tile_side rows, columns;
    std::vector<int> axes;  ///< of the groups, and all that stand for the columns
    std::vector<staged_load> loads;
    std::vector<int> plain;  ///< the group's values that the loop uses and all of a thread's results share
    std::vector<int> own;    ///< those that a row or a column of a thread's results has to itself
};

}  // namespace sinter::codegen
