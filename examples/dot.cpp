// The inner product of two vectors: one kernel multiplies and sums in one pass.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <cmath>

using namespace sinter;

int main(int argc, char** argv) {
    CLI::App app("The inner product of two vectors by one kernel.", "dot");
    std::int64_t n = 10000;
    app.add_option("--size", n, "Elements (10000)")->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
    return run_program(app, argc, argv, [&] {
        print_device();
        std::vector<float> a(static_cast<std::size_t>(n)), b(a.size());
        plain::fill_random(std::span(a));
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1.0f + a[b.size() - 1 - i] / 2;
        const auto x = from_host(std::span(a), {n}), y = from_host(std::span(b), {n});

        const auto product = sum(x * y);
        static_assert(launches<decltype(product)> == 1);
        const float result = item(product);

        double want = 0, size = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            want += static_cast<double>(a[i]) * b[i];
            size += std::abs(static_cast<double>(a[i]) * b[i]);
        }
        array<float, 0> again;
        print_time("the inner product", [&] { again = product; });
        const double off = std::abs(static_cast<double>(result) - want) / size;
        const bool good = off < 1e-6;
        std::printf("dot        of %lld floats: %.6g\n", static_cast<long long>(n), static_cast<double>(result));
        std::printf("check      %s: %.1e of the sum of |x y| off the host's loop in double\n", good ? "good" : "WRONG",
                    off);
        return good;
    });
}
