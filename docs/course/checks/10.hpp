// Checks of chapter 10's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>
#include <sinter.hpp>

#include <cmath>
#include <vector>

inline bool near(const seen& a, float maximum, double total, double sum) {
    return a.maximum == maximum && std::abs(a.total - total) < 1e-5 * total && a.sums.size() == 1 &&
           std::abs(a.sums[0] - sum) < 1e-5 * std::abs(sum) + 1e-9;
}

inline void check_merged(checking& c) {
    const seen low{1, 3, {6}}, high{4, 2, {-8}};
    const double factor = std::exp(-3.0);
    c.check("1  merge", near(merged(low, high), 4, 2 + 3 * factor, -8 + 6 * factor) &&
                            near(merged(high, low), 4, 2 + 3 * factor, -8 + 6 * factor));
    seen nothing;
    nothing.sums = {0};
    const seen both = merged(nothing, nothing);
    c.check("1  merge with nothing", near(merged(low, nothing), 1, 3, 6) && near(merged(nothing, low), 1, 3, 6) &&
                                         both.total == 0 && both.sums == std::vector<float>{0});
}

inline void check_bytes(checking& c) {
    c.check("2  bytes", bytes_of_three_kernels(1000, 64) == 8512000 && bytes_of_one_kernel(1000, 64) == 512000 &&
                            bytes_of_three_kernels(10, 128) == 11040 && bytes_of_one_kernel(10, 128) == 10240);
    c.check("2  the shortest sequence", shortest(200) == 400 && shortest(14) == 28);
}

/// Whether row i of the result is the mean of the rows of v up to i, weighted by exp of the scores.
inline bool is_causal(const std::vector<float>& q, const std::vector<float>& k, const std::vector<float>& v,
                      const std::vector<float>& result, std::size_t n, std::size_t d) {
    for (std::size_t i = 0; i < n; ++i) {
        double total = 0;
        std::vector<double> sums(d);
        for (std::size_t j = 0; j <= i; ++j) {
            double score = 0;
            for (std::size_t l = 0; l < d; ++l) score += double(q[i * d + l]) * k[j * d + l];
            total += std::exp(score);
            for (std::size_t l = 0; l < d; ++l) sums[l] += std::exp(score) * v[j * d + l];
        }
        for (std::size_t l = 0; l < d; ++l)
            if (!(std::abs(result[i * d + l] - sums[l] / total) < 4e-3)) return false;
    }
    return result.size() == n * d;
}

inline void check_causal(checking& c) {
    using namespace sinter;
    const auto wave = [](float from) {
        return array<float16, 2>(astype<float16>(cos(reshape(arange<float>(7 * 4), {7, 4}) * 0.7f + from)));
    };
    const auto values = [](const auto& x) { return to_host(array<float, 2>(astype<float>(x))); };
    const array<float16, 2> q = wave(0), k = wave(1), v = wave(2);
    const bool right = is_causal(values(q), values(k), values(v), values(causal(q, k, v)), 7, 4);
    c.check("4  causal, the values", right);
    const array<float16, 2> x({2048, 64});
    c.check("4  causal, in one launch", right && explain(causal(x, x, x)).launches == 1);
}

inline int check_answers() {
    checking c;
    check_merged(c);
    check_bytes(c);
    const choices p = in_one_pass();
    c.check("3  in one pass", p.a && !p.b && p.c && !p.d);
    check_causal(c);
    return c.status();
}
