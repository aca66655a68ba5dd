// What a launch promises of the numbers that it passes to a device program: enough to say which positions are within
// the arrays. The kernel's class knows it without any extents.
#pragma once

#include <codegen/device/program.hpp>

#include <cstdint>
#include <vector>

namespace sinter::codegen::device_ir {

struct launch_promises {
    /// Of each axis a number that divides its extent.
    std::vector<std::int64_t> multiples;
    /// Of each axis one that has the same extent: itself or another.
    std::vector<int> like;
    /// The outer axes, whose extents' product is the number of groups, and those of each inner loop. No outer extent
    /// is 0: a kernel without groups is not launched.
    std::vector<int> outer;
    std::vector<std::vector<int>> loops;
    std::int64_t steps_multiple = 1;  ///< divides the trip count of loop 0

    /// An array has elements before index 0 of an axis and behind its last one.
    struct margin {
        id of = none;
        int axis = -1, before = 0, behind = 0;
    };
    std::vector<margin> margins;

    /// Where a kernel relies on it: the grid has as many blocks as there are tiles of these lengths along these axes,
    /// times what they share a tile by. Empty: it may have any number.
    struct tiling {
        int axis = -1, length = 1;
    };
    std::vector<tiling> tiles;
    int cluster = 1;        ///< so many blocks a tile
    bool is_split = false;  ///< several, which the grid tells
};

}  // namespace sinter::codegen::device_ir
