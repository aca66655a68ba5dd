// Checks of chapter 6's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>
#include <sinter.hpp>

#include <cmath>
#include <vector>

inline int check_answers() {
    using namespace sinter;
    checking c;
    const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); };
    c.check("1  evaluations",
            near(evaluations(2, 1000), 59e-3 / (2e-6 + 2e-9)) && near(evaluations(5, 1e8), 59e-3 / (8e-6 + 8e-4)));

    const std::vector<double> blurs = {3, 12, 27, 48};
    c.check("2  on an H200: all four at once", near(best_time(blurs, 4.65e12, 32.2e12), 8 / 4.65e12));
    c.check("2  with 2 operations per byte", near(best_time(blurs, 20e9, 40e9), 8 / 20e9 + 8 / 20e9));
    c.check("2  in groups of two lengths", near(best_time({3, 12, 27}, 20e9, 30e9), 8 / 20e9 + 8 / 20e9));
    c.check("2  three at once", near(best_time({3, 12, 27}, 4.65e12, 32.2e12), 8 / 4.65e12));
    c.check("2  with few operations per byte", near(best_time(blurs, 20e9, 2e9), 4 * 3 / 2e9));

    array<float, 2> x = ones<float>({30, 20});
    const array<float, 1> row = arange<float>(20) / 10;
    const auto e = product(x, row);
    c.check("3  one exp per column", explain(e).kernels[0].operations == 600);
    x = zeros<float>({30, 20});  // e uses the values that x had
    const std::vector<float> y = to_host(array<float, 2>(e));
    bool right = y.size() == 600;
    for (std::size_t i = 0; right && i < 600; ++i) right = std::abs(y[i] - std::exp(float(i % 20) / 10)) < 1e-4f;
    c.check("3  the values", right);
    return c.status();
}
