// Checks of chapter 7's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>

#include <cmath>

inline int check_answers() {
    checking c;
    matrix a(64), b(64), product(64);
    multiply_tiled<8>(a, b, product);
    c.check("1  loads", loads_by_tiles(64, 8) == a.loads + b.loads && loads_by_tiles(128, 1) == 4194304);
    c.check("2  the smallest tile", smallest_tile(13.8) == 64 && smallest_tile(8) == 32 && smallest_tile(8.1) == 64);
    const auto near = [](double x, double y) { return std::abs(x - y) < 1e-12; };
    c.check("3  loads from shared memory", near(loads_per_multiply_add(1, 1), 2) &&
                                               near(loads_per_multiply_add(8, 8), 0.25) &&
                                               near(loads_per_multiply_add(4, 8), 0.375));
    return c.status();
}
