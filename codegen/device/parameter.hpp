// Parameters that a launch passes to a kernel.
#pragma once

#include <cstdint>

namespace sinter::codegen {

/// The argument at one position of the kernel's parameter list.
struct parameter {
    enum class kind : std::uint8_t {
        output,      ///< pointer; `index` into loop_nest::outputs
        input,       ///< pointer; `index` into loop_nest::inputs
        scalar,      ///< by value, in its dtype; `index` into loop_nest::scalars
        extent,      ///< of axis `index`; 32 or 64 bits by schedule::wide_index
        multiplier,  ///< for divisions by the extent of axis `index`; of the same width
        shift,       ///< that belongs to the multiplier; 32 bits
        groups,      ///< product of the outer extents; of the same width
        trips,       ///< trip count of loop `index`; of the same width
        stride,      ///< of layout `index` along `axis`; of the same width
        parts,       ///< blocks per output, if a grid barrier has several thread-block groups; of the same width
        elements,    ///< from the address of input `index` to the end of its array; 64 bits
        workspace,   ///< pointer to partial results, tickets and barriers of groups that blocks share
        position,    ///< element functions: the position along the outer axes
        given        ///< element functions: the element of input `index`
    };
    kind what{};
    int index = 0;
    int axis = 0;
};

/// Whether a kernel takes an array, and no variable, as this parameter.
constexpr bool takes_array(parameter::kind what) {
    return what == parameter::kind::output || what == parameter::kind::input || what == parameter::kind::workspace;
}

}  // namespace sinter::codegen
