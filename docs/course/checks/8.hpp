// Checks of chapter 8's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

inline int check_answers() {
    checking c;
    warp value;
    for (int lane = 0; lane < 32; ++lane) value[std::size_t(lane)] = lane % 5 - 1;
    const warp sums = exclusive(value);
    bool right = sums[0] == 0;
    for (std::size_t lane = 1; lane < 32; ++lane) right = right && sums[lane] == sums[lane - 1] + value[lane - 1];
    c.check("1  exclusive", right);

    const step first{2, 3}, second{-1, 4}, third{0.5, 1};
    c.check("2  both", both(first, second) == step{-2, 1} && both(second, first) == step{-2, 11});
    c.check("2  in any grouping", both(both(first, second), third) == both(first, both(second, third)));

    const segment a{true, 3}, b{false, 4}, d{true, 5};
    c.check("3  joined", joined(a, b) == segment{true, 7} && joined(b, d) == segment{true, 5});
    c.check("3  in any grouping",
            joined(joined(a, b), d) == joined(a, joined(b, d)) && joined(joined(b, b), b) == segment{false, 12});
    return c.status();
}
