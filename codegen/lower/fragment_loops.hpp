// What lowerings of products with fragments share: loops over the rows of a warp's fragments, and registers for them.
#pragma once

#include <codegen/lower/access.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sinter::codegen::lower {

class fragment_loops {
protected:
    explicit fragment_loops(lowering& lowered) : c(lowered), t(lowered.s.tensor) {}

    int row_fragments() const { return t.rows / t.warp_rows / device_ir::fragment_rows; }
    int result_fragments() const { return t.columns / device_ir::fragment_rows; }
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
