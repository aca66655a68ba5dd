// What fusion saves: counts the bytes of expressions as one kernel and as one kernel per operation and, with --time,
// runs both.
#include <sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace sinter;

// [plain]
/// y = 0.5 x + 1 as a library of array functions computes it: one loop and one result per operation.
void apart(const std::vector<float>& x, std::vector<float>& temporary, std::vector<float>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) temporary[i] = x[i] * 0.5f;  // reads x, writes temporary
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = temporary[i] + 1;     // reads temporary, writes y
}

/// The same in one loop.
void together(const std::vector<float>& x, std::vector<float>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * 0.5f + 1;  // reads x, writes y
}
// [plain]

/// The median of several runs, in ms.
template <class F>
double time_of(F run) {
    std::vector<double> seconds;
    for (int i = 0; i < 12; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin() + 1, seconds.end());  // the first run compiles the kernel
    return seconds[6] * 1e3;
}

template <class E>
double time_as(fusion mode, const E& e) {
    const fusion_scope scope(mode);
    array<float, 1> y;
    return time_of([&] {
        y = e;
        synchronize();
    });
}

/// A line of the table for an expression.
template <class E>
void show(const char* what, const E& e, bool timed) {
    const explanation why = explain(e);
    std::printf("%-38s %5d %8d %9.0f %8.0f", what, why.launches, why.operations, double(why.bytes_fused) / 1e6,
                double(why.bytes_unfused) / 1e6);
    if (timed) {
        const double fused = time_as(fusion::on, e), unfused = time_as(fusion::off, e);
        std::printf(" %9.2f %8.2f %8.1f %6.1f", fused, unfused, double(why.bytes_unfused) / double(why.bytes_fused),
                    unfused / fused);
    }
    std::printf("\n");
}

int main(int argc, char** argv) {
    const bool timed = argc == 2 && std::strcmp(argv[1], "--time") == 0;
    if (argc > 1 && !timed) {
        std::fprintf(stderr, "1_traffic: unknown option %s; the only one is --time\n", argv[argc - 1]);
        return 2;
    }
    const fusion_scope fused(fusion::on);  // the comparison ignores SINTER_FUSION
    const std::size_t n = 1 << 24;
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = float(i % 1000) / 1000;

    if (timed) {
        std::vector<float> temporary(n), y(n);
        const double slow = time_of([&] { apart(values, temporary, y); });
        const double fast = time_of([&] { together(values, y); });
        std::printf("== plain loops on one core, ms\ntwo loops %.2f, one loop %.2f: ratio %.1f\n", slow, fast,
                    slow / fast);
    }

    std::printf("== bytes%s\n%-38s %14s %18s%s\n%-38s %5s %8s %9s %8s%s\n", timed ? " and times" : "", "", "launches",
                "MB", timed ? "                 ms  unfused / fused" : "", "", "fused", "unfused", "fused", "unfused",
                timed ? "     fused  unfused    bytes   time" : "");
    // [expressions]
    const auto x = from_host(std::span<const float>(values), {std::int64_t(n)});
    const float a = 2, b = 1, c = 3, d = 4;
    show("exp(x)", exp(x), timed);
    show("x * 0.5f + 1", x * 0.5f + 1, timed);
    show("a * x * x + b * x + c", a * x * x + b * x + c, timed);
    show("tanh(a * x + b) * exp(-c * x * x) + d", tanh(a * x + b) * exp(-c * x * x) + d, timed);
    // [expressions]
    std::printf("== kernel\n%s", source(x * 0.5f + 1).c_str());
}
