// Checks of chapter 5's exercises, included after the answers to be checked. They contain the right ones.
#pragma once

#include <docs/course/checks/checking.hpp>
#include <sinter.hpp>

#include <cmath>
#include <vector>

/// The values of normalised(x) for rows 1, 2, 3 and 0, 0.003, 0.006: the variance of the second is less than 1e-5.
inline bool is_normalised(const std::vector<float>& y) {
    const float one = 1 / std::sqrt(2 / 3.f + 1e-5f), small = 0.003f / std::sqrt(6e-6f + 1e-5f);
    const std::vector<float> right = {-one, 0, one, -small, 0, small};
    bool same = y.size() == right.size();
    for (std::size_t i = 0; same && i < right.size(); ++i) same = std::abs(y[i] - right[i]) < 1e-5f;
    return same;
}

inline bool near(seen a, float greatest, double total) {
    return a.maximum == greatest && std::abs(a.sum - total) < 1e-5 * std::abs(total);
}

inline void check_launches(checking& c, const sinter::array<float, 2>& x, prediction p) {
    using namespace sinter;
    const auto d = x - mean(x, axis=0_c, keepdims) - mean(x, axis=1_c, keepdims) + mean(x);
    c.check("3  a", p.a == launches<decltype(softmax(softmax(x, axis=1_c), axis=1_c))>);
    c.check("3  b", p.b == launches<decltype(x / sum(x))>);
    c.check("3  c", p.c == launches<decltype(sum(x, axis=1_c) / sum(x))>);
    c.check("3  d", p.d == launches<decltype(d)>);
}

inline int check_answers() {
    using namespace sinter;
    checking c;
    const array<float, 2> x = {{1, 2, 3}, {0, 0.003f, 0.006f}};
    const auto e = normalised(x);
    const array<float, 2> y = e;
    c.check("1  normalise, the values", is_normalised(to_host(y)));
    c.check("1  normalise, in one launch", is_normalised(to_host(y)) && explain(e).launches == 1);

    const seen low{1, 3}, high{4, 2}, nothing;
    const double both = 2 + 3 * std::exp(-3.0);
    c.check("2  merge", near(merged(low, high), 4, both) && near(merged(high, low), 4, both));
    c.check("2  merge with nothing",
            near(merged(low, nothing), 1, 3) && near(merged(nothing, low), 1, 3) && merged(nothing, nothing).sum == 0);

    check_launches(c, x, launches_of());
    return c.status();
}
