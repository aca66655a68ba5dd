// Imports one kernel into another: maps its axes to axes of the other, and with them its layouts, inputs and scalars.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

class kernel_import {
public:
    kernel_import(const loop_nest& from, loop_nest& into) : axes(from.extents.size()), from_(&from), into_(&into) {}

    /// An axis that an imported axis has been mapped to; one step of it is `times` steps of the imported axis.
    struct part {
        int axis = -1;
        std::int64_t times = 1;
    };
    std::vector<std::vector<part>> axes;  ///< per axis of the imported kernel: what it is mapped to

    // Indices in the target kernel, to which missing items are added.
    int layout_now(int at);
    int input_now(int position);
    int scalar_now(int position);
    std::uint32_t varies_now(std::uint32_t varies) const;

    /// The value with layout, input, scalar and axes mapped; operands, loop and stage are unchanged.
    value value_now(const value& v);

private:
    const loop_nest* from_;
    loop_nest* into_;
};

/// The index of a value in a kernel, to which it is added if there is no equal one.
int find_or_add(loop_nest& k, const value& v);

/// The index of a value that a kernel stores as a dtype, as its readers have it: the value, or a cast beside it.
int as_stored(loop_nest& k, int v, dtype type);

}  // namespace sinter::codegen
