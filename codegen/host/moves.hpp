// Regions that move elements and compute nothing: transposes, joined and repeated arrays, channels. They are copied
// from array to array in boxes, whose sides suit both arrays; blocks of a plan are runs of the result's rows alone.
#pragma once

#include <codegen/host/specialise.hpp>
#include <codegen/rows/copies.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::codegen::blocked {

struct move_axis {
    std::int64_t extent, to, from;  ///< bytes between neighbours in both arrays
    std::int64_t side;              ///< of a box, in elements
};

struct move_plan {
    std::vector<move_axis> axes;  ///< slowest first; at least one
    int across = -1, along = -1;  ///< the axes of a box's planes: positions in `axes`; across: -1 if there is but one
    int input = -1, output = -1;
    std::int64_t to_start = 0, from_start = 0;  ///< in bytes
    std::size_t element_size = 0;
    plane_copy copy = nullptr;
    bool streams = false;  ///< the array is larger than the caches: use non-temporal stores

    std::int64_t boxes() const;
    std::int64_t box_elements() const;  ///< at most
};

/// The move that a region is, if it is one.
std::optional<move_plan> find_move(const region& r, instruction_set isa);

/// Copies one box.
void run_box(const move_plan& m, void* to, const void* from, std::int64_t box);

}  // namespace sinter::codegen::blocked
