// The parameters that follow from a kernel's extents and strides.
//
// A division by an extent is a multiplication: i / d == (hi(i * m) + i) >> s with 2^s the first power of two that is
// not below d and m = 2^N (2^s - d) / d + 1, rounded down, for N-bit words and i < 2^(N-1). Granlund and Montgomery,
// Division by invariant integers using multiplication, PLDI 1994, figure 4.1.
#include <codegen/lower/launch_value.hpp>

#include <algorithm>

namespace sinter::codegen {

namespace {

__extension__ using wide_product = unsigned __int128;

int shift_for(std::uint64_t divisor) {
    int shift = 0;
    while (std::uint64_t{1} << shift < divisor) ++shift;
    return shift;
}

std::uint64_t multiplier_for(std::uint64_t divisor, int bits) {
    const wide_product more = (std::uint64_t{1} << shift_for(divisor)) - divisor;
    return static_cast<std::uint64_t>((more << bits) / divisor + 1);
}

}  // namespace

std::int64_t launch_value(const kernel& k, const schedule& s, const parameter& p) {
    const auto index = static_cast<std::size_t>(p.index);
    // an axis without elements has no positions to divide
    const auto divisor = [&] { return static_cast<std::uint64_t>(std::max<std::int64_t>(k.extents[index], 1)); };
    switch (p.what) {
        case parameter::kind::extent: return k.extents[index];
        case parameter::kind::multiplier:
            return static_cast<std::int64_t>(multiplier_for(divisor(), s.wide_index ? 64 : 32));
        case parameter::kind::shift: return shift_for(divisor());
        case parameter::kind::groups: return outer_size(k);
        case parameter::kind::trips: return trip_count(k, k.loops[index]);
        case parameter::kind::stride: return k.layouts[index].stride[static_cast<std::size_t>(p.axis)];
        case parameter::kind::parts: return s.split;
        default: return 0;
    }
}

}  // namespace sinter::codegen
