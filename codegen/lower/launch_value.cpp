// Kernel parameters computed from extents, strides and the schedule.
#include <codegen/lower/launch_value.hpp>

#include <codegen/analysis/division.hpp>

#include <algorithm>

namespace sinter::codegen {

std::int64_t launch_value(const loop_nest& k, const schedule& s, const parameter& p) {
    const auto index = static_cast<std::size_t>(p.index);
    // an empty axis has no positions to divide
    const auto divisor = [&] { return static_cast<std::uint64_t>(std::max<std::int64_t>(k.extents[index], 1)); };
    switch (p.what) {
        case parameter::kind::extent: return k.extents[index];
        case parameter::kind::multiplier:
            return static_cast<std::int64_t>(multiplier_for(divisor(), s.wide_index ? 64 : 32));
        case parameter::kind::shift: return shift_for(divisor());
        case parameter::kind::groups: return outer_size(k);
        case parameter::kind::trips: return trip_count(k, k.loops[index]);
        case parameter::kind::stride: return k.layouts[index].stride[static_cast<std::size_t>(p.axis)];
        case parameter::kind::elements: return k.inputs[index].elements - k.inputs[index].offset;
        case parameter::kind::parts: return s.blocks_per_output;
        default: return 0;
    }
}

}  // namespace sinter::codegen
