// Integer division and rounding upwards.
#pragma once

#include <cstdint>

namespace sinter::codegen {

// Always inline: files compiled for different instruction sets must not share functions.

/// a / b rounded up, for a >= 0 and b > 0.
[[gnu::always_inline]] constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The smallest multiple of `to` that is at least n.
[[gnu::always_inline]] constexpr std::int64_t round_up(std::int64_t n, std::int64_t to) {
    return divide_up(n, to) * to;
}

}  // namespace sinter::codegen
