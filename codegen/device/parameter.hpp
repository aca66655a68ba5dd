// What a launch passes to a kernel.
#pragma once

#include <cstdint>

namespace sinter::codegen {

/// What the launch must pass at one position of the kernel's parameter list.
struct parameter {
    enum class kind : std::uint8_t {
        output,      ///< pointer; `index` into kernel::outputs
        input,       ///< pointer; `index` into kernel::inputs
        scalar,      ///< by value in its dtype; `index` into kernel::scalars
        extent,      ///< of axis `index`; 32 or 64 bits by schedule::wide_index
        multiplier,  ///< for divisions by the extent of axis `index`; same width
        shift,       ///< that goes with it; 32 bits
        groups,      ///< the product of the outer extents; same width
        trips,       ///< the trip count of loop `index`; same width
        stride,      ///< of layout `index` along `axis`; same width
        parts,       ///< schedule::split, where several teams of a grid barrier share the launch; same width
        workspace    ///< pointer to partial results and the tickets or barriers of groups that blocks share
    };
    kind what{};
    int index = 0;
    int axis = 0;
};

}  // namespace sinter::codegen
