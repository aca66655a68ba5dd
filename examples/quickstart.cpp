// Quickstart: the norm of every line of an array along one axis, by one generated kernel, checked and timed.
#include "support/plain_loops.hpp"
#include "support/program.hpp"
#include "support/report.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

using namespace sinter;

/// The example: one kernel reads x once, squares, sums along axis `a` and takes square roots.
template <class T, class X, int R>
array<T, R - 1> norms(const array<X, R>& x, int a) {
    array<T, R - 1> r = sqrt(sum(x * x, axis=a));
    return r;
}

struct options {
    std::string file;
    std::string dtype;
    std::vector<std::int64_t> shape = {1000, 100, 1000};
    int axis = -1;
    int runs = 11;
    std::string out;
};

/// Evaluates, explains, times and checks. T is the result's element type: X, or double for integer X.
template <class T, class X, int R>
bool demonstrate(const array<X, R>& x, std::span<const X> values, const options& o) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    array<T, R - 1> r = norms<T>(x, o.axis);
    synchronize();
    report::timing t{std::chrono::duration<double>(clock::now() - begin).count(), {}};

    // Repeat with the compiled kernel. A GPU gets several evaluations in a row, to exclude launch gaps.
    const int in_a_row = current_device().is_host() ? 1 : 10;
    for (int run = 0; run < o.runs; ++run) {
        const event start;
        for (int i = 0; i < in_a_row; ++i) r = norms<T>(x, o.axis);
        t.seconds.push_back(event().seconds_since(start) / in_a_row);
    }
    std::sort(t.seconds.begin(), t.seconds.end());

    const explanation why = explain(sqrt(sum(x * x, axis=o.axis)));
    report::print_kernels(why);
    report::print_costs(why, t);

    const int reduced = o.axis < 0 ? o.axis + R : o.axis;
    const std::int64_t length = x.shape()[reduced];
    std::int64_t inner = 1;
    for (int a = reduced + 1; a < R; ++a) inner *= x.shape()[a];
    const double difference = plain::norm_difference(values, length, inner, to_host(r));
    const double rounding = static_cast<double>(std::numeric_limits<T>::epsilon());
    const double tolerance = rounding * (8 + std::sqrt(static_cast<double>(length)));
    const bool good = report::print_result(name(r.dtype()), r.shape(), difference, tolerance);
    if (!o.out.empty()) {
        save_npy(o.out, r);
        std::printf("  written to   %s\n", o.out.c_str());
    }
    return good;
}

/// Loads or makes x, of the element type and rank that the command line or the file asks for.
template <class X, int R>
bool run(const options& o) {
    using T = std::conditional_t<std::is_floating_point_v<X>, X, double>;
    shape<R> extents;
    std::copy_n(o.shape.begin(), R, extents.extent);
    const std::int64_t bytes = extents.size() * static_cast<std::int64_t>(sizeof(X));
    report::print_input(name(dtype_of<X>), extents, bytes, o.file.empty() ? "random values" : o.file, o.axis);
    if (!o.file.empty()) {
        const array<X, R> x = load_npy<X, R>(o.file);
        const std::vector<X> values = to_host(x);
        return demonstrate<T>(x, std::span<const X>(values), o);
    }
    const auto values = std::make_unique_for_overwrite<X[]>(static_cast<std::size_t>(extents.size()));
    const std::span<X> numbers(values.get(), static_cast<std::size_t>(extents.size()));
    plain::fill_random(numbers);
    const array<X, R> x = from_host(numbers, extents);
    return demonstrate<T>(x, std::span<const X>(numbers), o);
}

/// Picks run<X, R> for a rank known at run time.
template <class X, int R = 1>
bool run_rank(const options& o) {
    if constexpr (R < max_rank)
        if (static_cast<int>(o.shape.size()) != R) return run_rank<X, R + 1>(o);
    return run<X, R>(o);
}

void check_options(options& o) {
    if (!o.file.empty()) {
        const npy_info info = inspect_npy(o.file);
        o.shape = info.shape;
        if (o.dtype.empty()) o.dtype = info.type == dtype::float32 ? "float32" : "float64";
    }
    if (o.dtype.empty()) o.dtype = "float64";
    const auto rank = static_cast<int>(o.shape.size());
    const std::string from = o.file.empty() ? "--shape" : o.file;
    if (rank < 1 || rank > max_rank)
        throw error(from + ": " + std::to_string(rank) + " axes; arrays here have 1 to " + std::to_string(max_rank));
    std::int64_t size = 8;
    for (std::int64_t n : o.shape)
        if (n < 1 || __builtin_mul_overflow(size, n, &size))
            throw error(from + ": extent " + std::to_string(n) +
                        "; extents are 1 or more, and their product fits the memory");
    if (o.axis < -rank || o.axis >= rank)
        throw error("--axis " + std::to_string(o.axis) + ": out of range; x has " + std::to_string(rank) + " axes, " +
                    std::to_string(-rank) + " to " + std::to_string(rank - 1));
}

int main(int argc, char** argv) {
    CLI::App app("Norms along one axis of an array, r = sqrt(sum(x * x, axis=A)), by one generated kernel.",
                 "quickstart");
    options o;
    auto* file = app.add_option("file", o.file, "A .npy file to take x from; random values without one");
    app.add_option("--shape", o.shape, "The extents of random values: 1000,100,1000")->delimiter(',')->excludes(file);
    app.add_option("--dtype", o.dtype, "Element type; of a file: what it is loaded as")
        ->check(CLI::IsMember({"float32", "float64", "int32"}));
    app.add_option("--axis", o.axis, "The axis to reduce; negative ones count from the end (-1)");
    app.add_option("--runs", o.runs, "Evaluations to time (11)")->check(CLI::Range(1, 1000000));
    app.add_option("--out", o.out, "A .npy file to write r to");
    return run_program(app, argc, argv, [&] {
        check_options(o);
        return o.dtype == "float32"   ? run_rank<float>(o)
               : o.dtype == "float64" ? run_rank<double>(o)
                                      : run_rank<std::int32_t>(o);
    });
}
