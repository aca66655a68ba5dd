// What a warp's access to global memory touches.
#pragma once

#include <codegen/cost/warp_values.hpp>

namespace sinter::codegen {

struct touched_units {
    std::int64_t sectors = 0, lines = 0;  ///< of 32 and of 128 bytes
    std::int64_t gathered = 0;            ///< of the sectors those that data choose in an array that no L1 cache holds
};

/// `at`: the lanes' offsets in elements of `size` bytes; `bytes`: of one lane's access; `array_bytes`: of the whole
/// array, not positive if unknown. Unknown offsets that do not depend on data are taken to be neighbours. Those that do
/// lie anywhere in the array, but accesses of several elements are parts of a row.
touched_units units_touched(const warp_value& at, int size, int bytes, lane_mask m, std::int64_t array_bytes);

}  // namespace sinter::codegen
