// What one kernel brings along when it becomes a part of another: its axes, as axes of the other, and with them its
// layouts, inputs and scalars.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen {

class kernel_import {
public:
    kernel_import(const kernel& from, kernel& into) : axes(from.extents.size()), from_(&from), into_(&into) {}

    /// An axis that an axis of the imported kernel has become, and how many of its steps one is.
    struct part {
        int axis = -1;
        std::int64_t times = 1;
    };
    std::vector<std::vector<part>> axes;  ///< of each axis of the imported kernel: what it has become

    // Positions in the other kernel, where what is new to it is added.
    int layout_now(int at);
    int input_now(int position);
    int scalar_now(int position);
    std::uint32_t varies_now(std::uint32_t varies) const;

    /// A value with all of these replaced; its operands, loop and stage are left as they were.
    value value_now(const value& v);

private:
    const kernel* from_;
    kernel* into_;
};

}  // namespace sinter::codegen
