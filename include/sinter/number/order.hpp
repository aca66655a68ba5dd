// The order in which sorting puts elements, as unsigned integers: the bits of elements become keys that compare as
// NumPy's sort does, with NaN behind all numbers and -0.0 equal to 0.0.
#pragma once

#include <sinter/number/both.hpp>

namespace sinter::detail::number {
// <kernel text>

// sort_key: of an element's bits. `infinity` has the bits of a floating type's infinity, and is 0 for integers; `sign`
// is the bit of the sign, 0 for unsigned integers. A NaN has the greatest key, whatever its bits.
template <class W>
SINTER_BOTH W sort_key(const W bits, const W sign, const W infinity) {
    if (infinity == 0) return W(bits ^ sign);
    if (W(bits & W(~sign)) > infinity) return W(~W(0));
    if (bits == sign) return sign;
    return (bits & sign) != 0 ? W(~bits) : W(bits | sign);
}

// pair_precedes: whether a complex number stands before another one, by the keys of their parts: the real ones, then
// the imaginary ones. Numbers with a NaN are behind those without: first those with an imaginary one, then with a real
// one.
template <class W>
SINTER_BOTH bool pair_precedes(const W real, const W imaginary, const W other_real, const W other_imaginary) {
    const W nan = W(~W(0));
    const int rank = 2 * (real == nan) + (imaginary == nan);
    const int other_rank = 2 * (other_real == nan) + (other_imaginary == nan);
    if (rank != other_rank) return rank < other_rank;
    return real != other_real ? real < other_real : imaginary < other_imaginary;
}
// </kernel text>
}  // namespace sinter::detail::number
