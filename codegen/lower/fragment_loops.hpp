// What lowerings of products with fragments share: loops over the rows of a warp's fragments, and registers for them.
#pragma once

#include <codegen/lower/access.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::lower {

class fragment_loops {
protected:
    static constexpr int warps_of_group = device_ir::warpgroup_threads / warp;

    explicit fragment_loops(lowering& lowered) : c(lowered), t(lowered.s.tensor) {}

    int row_fragments() const { return t.rows / t.warp_rows / device_ir::fragment_rows; }
    int result_fragments() const { return t.columns / t.warp_columns / device_ir::fragment_rows; }
    /// Warps, or groups of 4 of them, along the rows.
    int row_units() const { return t.warpgroups ? t.warp_rows / warps_of_group : t.warp_rows; }
    /// From the rows of a warp's fragment to those of its next one.
    int rows_apart() const { return t.warpgroups ? device_ir::warpgroup_rows : device_ir::fragment_rows; }
    /// The number of the thread's warpgroup: the first lane's, as a product's indices must be the same for all lanes.
    scalar group_number() {
        return c.b.exchange(device_ir::exchange_pattern::broadcast, c.b.thread() / device_ir::warpgroup_threads,
                            c.b.integer(0));
    }
    scalar warp_of_group() { return c.b.thread() / warp % warps_of_group; }
    template <class Body>
    void unrolled(const char* name, int count, Body body) {
        const scalar number = c.b.open_unrolled(name, count);
        body(number);
        c.b.close();
    }
    /// Calls body(i, h) per row of a lane: its fragment, and the upper or lower half.
    template <class Body>
    void each_row(Body body) {
        unrolled("i", row_fragments(),
                 [&](const scalar& i) { unrolled("h", 2, [&](const scalar& h) { body(i, h); }); });
    }
    device_ir::id registers(const std::string& name, dtype type, std::vector<int> extents, int packed, bool cleared) {
        device_ir::array a{c.unique(name), device_ir::space::registers, type, std::move(extents)};
        a.packed = packed;
        return c.b.declare(a, cleared);
    }

    lowering& c;
    const tensor_tile& t;
};

}  // namespace sinter::codegen::lower
