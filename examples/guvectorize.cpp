// Functions of slices mapped over batches of any shape, like Numba's guvectorize and JAX's vmap. A signature names the
// axes of a slice; the function is written for one slice and becomes one kernel for all.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <sinter/map_slices.hpp>

#include <algorithm>
#include <cmath>

using namespace sinter;

namespace {

// Axes are counted from the end, in the order of the signature: m, n, p are -3, -2, -1.
constexpr auto multiply = [](auto a, auto b) { return sum(a * b, axis=-2_c); };

// Axes m, d, n: the distance of each of m points to the nearest of n others.
constexpr auto nearest = [](auto x, auto y) {
    return sqrt(min(sum(square(x - y), axis=-2_c, keepdims), axis=-1_c, keepdims));
};

/// The greatest difference between a batch of products and a reference by three plain loops.
double product_difference(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c,
                          const shape<3>& of_a, std::int64_t p) {
    double worst = 0;
    for (std::int64_t i = 0; i < of_a[0] * of_a[1]; ++i)
        for (std::int64_t j = 0; j < p; ++j) {
            double total = 0;
            for (std::int64_t k = 0; k < of_a[2]; ++k)
                total += a[static_cast<std::size_t>(i * of_a[2] + k)] * b[static_cast<std::size_t>(k * p + j)];
            worst = std::max(worst, std::abs(total - c[static_cast<std::size_t>(i * p + j)]));
        }
    return worst;
}

/// The greatest difference between the nearest distances and a plain reference.
double nearest_difference(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& least,
                          std::int64_t axes) {
    double worst = 0;
    for (std::size_t i = 0; i < least.size(); ++i) {
        double found = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < y.size(); j += static_cast<std::size_t>(axes)) {
            double squares = 0;
            for (std::size_t k = 0; k < static_cast<std::size_t>(axes); ++k) {
                const double apart = x[i * static_cast<std::size_t>(axes) + k] - y[j + k];
                squares += apart * apart;
            }
            found = std::min(found, squares);
        }
        worst = std::max(worst, std::abs(std::sqrt(found) - least[i]));
    }
    return worst;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Functions of slices, mapped over batches by one kernel each.", "guvectorize");
    std::int64_t batch = 6, n = 40;
    app.add_option("--batch", batch, "Slices (6)")->check(CLI::Range(1, 1000));
    app.add_option("--size", n, "Rows of a slice (40)")->check(CLI::Range(1, 1000));
    return run_program(app, argc, argv, [&] {
        print_device();
        constexpr std::int64_t inner = 17, columns = 9;
        std::vector<double> a(static_cast<std::size_t>(batch * n * inner)), b(inner * columns);
        plain::fill_random(std::span(a));
        plain::fill_random(std::span(b));
        const auto x = from_host(std::span(a), {batch, n, inner});
        const auto y = from_host(std::span(b), {inner, columns});

        const auto products = map_slices<"(m,n),(n,p)->(m,p)">(multiply, x, y);  // y is broadcast to every slice of x
        static_assert(launches<decltype(products)> == 1);
        const auto least = map_slices<"(m,d),(n,d)->(m)">(nearest, x, transpose(y));
        const double off_product = product_difference(a, b, to_host(products), x.shape(), columns);
        const double off_nearest = nearest_difference(a, to_host(transpose(y)), to_host(least), inner);

        std::printf("products   %lld of %lld x %lld by %lld x %lld, one launch\n", static_cast<long long>(batch),
                    static_cast<long long>(n), static_cast<long long>(inner), static_cast<long long>(inner),
                    static_cast<long long>(columns));
        std::printf("nearest    of %lld points to each of %lld, in %lld dimensions\n", static_cast<long long>(columns),
                    static_cast<long long>(batch * n), static_cast<long long>(inner));
        array<double, 3> again;
        print_time("the products", [&] { again = products; });
        const bool good = off_product < 1e-12 && off_nearest < 1e-12;
        std::printf("check      %s: at most %.1e and %.1e off plain loops\n", good ? "good" : "WRONG", off_product,
                    off_nearest);
        return good;
    });
}
