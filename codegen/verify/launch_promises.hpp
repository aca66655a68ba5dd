// What a launch promises about the numbers that it passes to a device program: enough to prove that indices are in
// bounds. Derived from the kernel's class, without knowing any extents.
#pragma once

#include <codegen/device/program.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::device_ir {

struct launch_promises {
    /// Per axis: a number that divides its extent.
    std::vector<std::int64_t> multiples;
    /// Per axis, or empty: its extent, or 0 if it may be any; and the least that its extent may be.
    std::vector<std::int64_t> fixed, least;
    /// Per axis: the axes whose extents multiply to its own; itself alone, or others.
    std::vector<std::vector<int>> like;
    /// The outer axes, whose extents multiply to the number of groups, and the axes of each inner loop. No outer extent
    /// is 0: kernels without groups are not launched.
    std::vector<int> outer;
    std::vector<std::vector<int>> loops;
    std::int64_t steps_multiple = 1;  ///< divides the trip count of loop 0

    /// An array has further elements before index 0 and after the last index of an axis.
    struct margin {
        id of = none;
        int axis = -1, before = 0, after = 0;
    };
    std::vector<margin> margins;

    /// Set if the kernel relies on it: the grid has one block per tile of these lengths along these axes, times the
    /// number of blocks per tile. Empty: the grid has any size.
    struct tiling {
        int axis = -1, length = 1;
    };
    std::vector<tiling> tiles;
    int cluster = 1;        ///< blocks per tile
    bool is_split = false;  ///< several blocks per tile: as many as `parts`, or the grid size gives the number
};

}  // namespace sinter::codegen::device_ir
