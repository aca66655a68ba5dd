// Softmax: how often it reads its operand, fused and unfused, for rows of various lengths; what does not fit a kernel.
#include <sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using namespace sinter;

// [softmax]
auto softmax_of_rows(const array<float, 2>& x) {
    const auto e = exp(x - max(x, axis=1_c, keepdims));
    return e / sum(e, axis=1_c, keepdims);
}
static_assert(launches<decltype(softmax_of_rows(array<float, 2>()))> == 1);
// [softmax]

/// Prints bytes and schedule for 2^26 elements in rows of n.
void show(std::int64_t n) {
    const explanation why = explain(softmax_of_rows(array<float, 2>({(1 << 26) / n, n})));
    std::printf("%8lld %6.0f %9.0f   %s\n", static_cast<long long>(n), double(why.bytes_fused) / 1e6,
                double(why.bytes_unfused) / 1e6, why.kernels[0].schedule.c_str());
}

// [online]
/// State after some elements of a row: their maximum, and the sum of exp(x - maximum).
struct seen {
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0;
};

seen with(seen s, float x) {
    if (x > s.maximum) return {x, s.sum * std::exp(s.maximum - x) + 1};  // rescales the old sum to the new maximum
    return {s.maximum, s.sum + std::exp(x - s.maximum)};
}
// [online]

int main() {
    const auto e = softmax_of_rows(array<float, 2>({8192, 4096}));
    const explanation why = explain(e);
    std::printf("== tree\n%s", why.tree.c_str());
    std::printf("== unfused\n");
    for (const kernel_report& k : why.unfused)
        std::printf("%4.0f MB  %s\n", double(k.bytes) / 1e6, k.expression.c_str());
    std::printf("== kernel\n%s", source(e).c_str());

    std::printf("== lengths\n%8s %6s %9s   %s\n", "", "MB", "unfused", "schedule");
    for (const std::int64_t n : {128, 4096, 16384, 1 << 16, 1 << 17, 1 << 18, 1 << 22, 1 << 26}) show(n);

    // [two]
    const array<float, 2> x({4096, 4096});
    const auto two = x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims);
    // [two]
    std::printf("== two\n");
    for (const std::string& reason : explain(two).reasons) std::printf("%s\n", reason.c_str());

    std::mt19937 random(3);
    std::vector<float> row(10000);
    for (float& v : row) v = float(random() % 20000) / 1000 - 10;
    seen s;
    for (const float v : row) s = with(s, v);
    const float maximum = *std::max_element(row.begin(), row.end());
    double total = 0;
    for (const float v : row) total += std::exp(double(v) - maximum);
    const bool right = s.maximum == maximum && std::abs(s.sum - total) < 1e-4 * total;
    std::printf("== online\none loop and two loops: %s\n", right ? "the same" : "DIFFERENT");
    return right ? 0 : 1;
}
