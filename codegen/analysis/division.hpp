// Division by a known divisor as a multiplication: i / d == (hi(i * m) + i) >> s, where 2^s is the first power of two
// that is not below d, and m = 2^N (2^s - d) / d + 1, rounded down, for N-bit words and i < 2^(N-1). Source: Granlund
// and Montgomery, Division by invariant integers using multiplication, PLDI 1994, figure 4.1.
#pragma once

#include <cstdint>

namespace sinter::codegen {

/// The shift s, for divisor >= 1.
constexpr int shift_for(std::uint64_t divisor) {
    int shift = 0;
    while (std::uint64_t{1} << shift < divisor) ++shift;
    return shift;
}

/// The multiplier m, for words of 32 or 64 bits.
constexpr std::uint64_t multiplier_for(std::uint64_t divisor, int bits) {
    __extension__ using wide_product = unsigned __int128;
    const wide_product more = (std::uint64_t{1} << shift_for(divisor)) - divisor;
    return static_cast<std::uint64_t>((more << bits) / divisor + 1);
}

}  // namespace sinter::codegen
