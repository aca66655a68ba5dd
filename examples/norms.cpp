// Norms of a vector and of matrix rows, and rows divided by their norms. Each is one kernel.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <cmath>

using namespace sinter;

int main(int argc, char** argv) {
    CLI::App app("Norms of a vector and of the rows of a matrix.", "norms");
    std::vector<double> v = {3, 4, 5};
    std::vector<std::int64_t> shape = {1000, 300};
    app.add_option("vector", v, "The vector's elements (3 4 5)");
    app.add_option("--shape", shape, "Rows and columns of the matrix: 1000,300")
        ->delimiter(',')
        ->expected(2)
        ->check(CLI::Range(1, 1 << 20));
    return run_program(app, argc, argv, [&] {
        print_device();
        const auto x = from_host(std::span(v), {v.size()});
        const double euclidean = item(norm(x));
        std::printf("norm       %.10g = sqrt(sum(x * x)), 1-norm %g, max-norm %g\n", euclidean, item(sum(abs(x))),
                    item(max(abs(x))));
        double squares = 0;
        for (double element : v) squares += element * element;

        std::vector<double> values(static_cast<std::size_t>(shape[0] * shape[1]));
        plain::fill_random(std::span(values));
        const auto a = from_host(std::span(values), {shape[0], shape[1]});
        const array<double, 1> of_rows = norm(a, axis=1);
        const auto unit_rows = a / norm(a, axis=1, keepdims);  // reads a once: norm and division in one kernel
        static_assert(launches<decltype(a / norm(a, axis=1_c, keepdims))> == 1);
        const array<double, 1> lengths = norm(array<double, 2>(unit_rows), axis=1);

        const double off = plain::norm_difference(std::span<const double>(values), shape[1], 1, to_host(of_rows));
        const double not_one = item(max(abs(lengths - 1)));
        const bool good =
            std::abs(euclidean - std::sqrt(squares)) <= 1e-14 * euclidean && off < 1e-13 && not_one < 1e-13;
        std::printf("rows       %lld norms of %lld elements each, the first %.10g\n", static_cast<long long>(shape[0]),
                    static_cast<long long>(shape[1]), item(of_rows(0)));
        array<double, 2> again;
        print_time("rows divided by their norms", [&] { again = unit_rows; });
        std::printf("normalised to lengths of 1, but for %.1e\n", not_one);
        std::printf("check      %s: max. relative difference %.1e from plain loops\n", good ? "good" : "WRONG", off);
        return good;
    });
}
