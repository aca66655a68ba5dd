// Conversions of floating numbers to integers narrower than int, for the vector loops of the host.
#pragma once

#include <sinter/number/arithmetic.hpp>

namespace sinter::detail::number {

// <kernel text>

// narrow_integer: whole_number for integers narrower than int, whose limits are floating numbers. They limit the number
// before it is converted, so that no choice is made among bytes, for which compilers would narrow its condition.
template <class To, class T>
SINTER_BOTH To narrow_integer(const T x) {
    constexpr T lowest = T(lowest_integer<To>), highest = T(highest_integer<To>);
    const T low = x > lowest ? x : lowest;
    const int whole = int(low < highest ? low : highest);
    return To(!negates<To> || x == x ? whole : 0);
}

// </kernel text>

}  // namespace sinter::detail::number
