// Checks of chapter 1's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>
#include <sinter.hpp>

#include <cmath>

inline int check_answers() {
    using namespace sinter;
    checking c;
    bool fused = true, unfused = true;
    for (const std::int64_t n : {1 << 20, 3 << 21}) {
        const array<float, 1> x = zeros<float>({n}), y = zeros<float>({n}), w = zeros<float>({n});
        const explanation e = explain(2.f * x + 3.f * y + 4.f * w);
        fused = fused && bytes_fused(n) == e.bytes_fused;
        unfused = unfused && bytes_unfused(n) == e.bytes_unfused;
    }
    c.check("1  bytes, fused", fused);
    c.check("1  bytes, unfused", unfused);
    c.check("2  break-even", std::abs(break_even() - 1e6) < 1e3);
    const double intensity = operations_per_byte(4096, 64);
    c.check("3  operations per byte",
            std::abs(intensity - 46.5) < 0.1 && std::abs(operations_per_byte(100, 8) - 5.17) < 0.1);
    c.check("3  bound by memory?",
            !is_bound_by_memory(46.5) && !is_bound_by_memory(16) && is_bound_by_memory(12) && is_bound_by_memory(5.2));
    return c.status();
}
