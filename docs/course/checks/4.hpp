// Checks of chapter 4's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

inline int check_answers() {
    checking c;
    warp w;
    for (int lane = 0; lane < 32; ++lane) w[lane] = float(lane);
    const warp sums = sums_of_eight(w);
    bool right = true;
    for (int lane = 0; lane < 32; ++lane) right = right && sums[lane] == float(lane / 8 * 64 + 28);
    c.check("1  four rows in a warp", right);

    const candidate a{3, 5}, b{3, 2}, low{-1, 0};
    c.check("2  argmax, the greater value", better(a, low) == a && better(low, a) == a);
    c.check("2  argmax, of equal values", better(a, b) == b && better(b, a) == b);

    bool whole = true, all = true, even = true;
    for (const long n : {1L, 1024L, 1025L, 100000L, 67108864L})
        for (const long parts : {1L, 3L, 132L}) {
            const long s = share(n, parts);
            whole = whole && s % 1024 == 0;
            all = all && s * parts >= n;
            even = even && (s - 1024) * parts < n;
        }
    c.check("3  shares are whole", whole);
    c.check("3  shares hold all elements, and no more than they must", all && even);
    return c.status();
}
