// How a device adds values at indices: by sorting the indices or in any order, and where the sums are meanwhile.
#pragma once

#include <codegen/cuda/scatter_sums.hpp>
#include <codegen/schedule/schedule.hpp>

#include <cstdint>

namespace sinter::codegen {

/// Values (outer, count, inner) that are added along the middle axis of (outer, extent, inner) elements.
struct values_at_indices {
    dtype type{};  ///< not complex: a complex number is two neighbouring floats
    std::int64_t outer = 1, extent = 1, inner = 1, count = 0;

    std::int64_t values() const { return outer * count * inner; }
    std::int64_t places() const { return outer * extent * inner; }
};

/// Whether to add in any order, rather than in the order of sorted indices.
bool adds_in_any_order(const values_at_indices& v);

struct sum_plan {
    value_layout layout{};
    bool near_magnitudes = false, near_sums = false;  ///< in shared memory
    int room = 0;                                     ///< see bits_per_value
    std::int64_t sample = 0;                          ///< values whose magnitudes are found first
    std::int64_t magnitude_blocks = 1, add_blocks = 1;
    unsigned magnitude_bytes = 0, add_bytes = 0;  ///< of shared memory
    int parts = 1;                                ///< of the places: of the blocks of a launch, or launches
    std::int64_t share = 1;                       ///< places of a part
    int copies = 1;                               ///< sums of a place in shared memory
};
sum_plan plan_sums(const values_at_indices& v, const device_properties& m);

}  // namespace sinter::codegen
