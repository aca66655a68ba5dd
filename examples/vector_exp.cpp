// The exponential of ten million floats: one line, one kernel, checked against the host's exp.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;

/// The greatest relative difference between y and exp(x), computed on the host in double.
double difference(const std::vector<float>& x, const std::vector<float>& y) {
    std::vector<double> worst(x.size());
    plain::on_all_cores(static_cast<std::int64_t>(x.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const double want = std::exp(static_cast<double>(x[i]));
            worst[i] = std::abs(static_cast<double>(y[i]) - want) / want;
        }
    });
    return *std::max_element(worst.begin(), worst.end());
}

int main(int argc, char** argv) {
    CLI::App app("y = exp(x) for a vector of floats, checked to 7 digits.", "vector_exp");
    std::int64_t n = 10'000'000;
    app.add_option("--size", n, "Elements (10000000)")->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
    return run_program(app, argc, argv, [&] {
        print_device();
        std::vector<float> values(static_cast<std::size_t>(n));
        plain::fill_random(std::span(values));
        const auto x = from_host(std::span(values), {n});

        array<float, 1> y = exp(x);

        const std::vector<float> result = to_host(y);
        const double worst = difference(values, result);
        const bool good = worst < 5e-7;  // seven digits
        std::printf("exp        of %lld floats; exp(%g) = %.7g\n", static_cast<long long>(n),
                    static_cast<double>(values[0]), static_cast<double>(result[0]));
        print_time("exp, without the copies", [&] { y = exp(x); });
        std::printf("check      %s: max. relative difference %.1e from the host's exp in double\n",
                    good ? "good" : "WRONG", worst);
        return good;
    });
}
