// Counts that are rounded up.
#pragma once

#include <cstdint>

namespace sinter::codegen {

// Always inline: files that are compiled for several instruction sets must not share functions.

/// How many of b hold a, both positive or a zero.
[[gnu::always_inline]] constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The least multiple of `to` that is not below n.
[[gnu::always_inline]] constexpr std::int64_t round_up(std::int64_t n, std::int64_t to) {
    return divide_up(n, to) * to;
}

}  // namespace sinter::codegen
