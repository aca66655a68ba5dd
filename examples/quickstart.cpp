// Quickstart: the norm of every line of an array along one axis, by one generated kernel, checked and timed.
#include "support/plain_loops.hpp"

#include <CLI/CLI.hpp>
#include <sinter.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

using namespace sinter;

struct options {
    std::string file;
    std::string dtype;
    std::vector<std::int64_t> shape = {1000, 100, 1000};
    int axis = -1;
    int runs = 11;
    std::string out;
};

struct timing {
    double first;                 ///< seconds of the first evaluation: generates, compiles and runs
    std::vector<double> seconds;  ///< of the later ones, ascending
};

void print_input(const options& o, const char* type, const std::string& shape, std::int64_t bytes);
void print_report(const explanation& why, const std::string& shape, const timing& t);
bool print_check(double difference, double tolerance, std::size_t elements);

template <int R>
std::string text(const shape<R>& s);

/// The example itself. T is the result's element type: X, or double where X is an integer.
template <class T, class X, int R>
bool demonstrate(const array<X, R>& x, std::span<const X> values, const options& o) {
    using clock = std::chrono::steady_clock;
    const int a = o.axis;

    const auto begin = clock::now();
    array<T, R - 1> r = sqrt(sum(x * x, axis=a));  // one kernel, one launch
    synchronize();
    timing t{std::chrono::duration<double>(clock::now() - begin).count(), {}};

    // The same again, now that the kernel is there. Several in a row, so that no pause between them is counted.
    const int in_a_row = current_device().is_host() ? 1 : 10;
    for (int run = 0; run < o.runs; ++run) {
        const event start;
        for (int i = 0; i < in_a_row; ++i) r = sqrt(sum(x * x, axis=a));
        t.seconds.push_back(event().seconds_since(start) / in_a_row);
    }
    std::sort(t.seconds.begin(), t.seconds.end());

    print_report(explain(sqrt(sum(x * x, axis=a))), text(r.shape()), t);
    if (!o.out.empty()) {
        save_npy(o.out, r);
        std::printf("  written to   %s\n", o.out.c_str());
    }
    const int reduced = a < 0 ? a + R : a;
    const std::int64_t length = x.shape()[reduced];
    std::int64_t inner = 1;
    for (int axis_after = reduced + 1; axis_after < R; ++axis_after) inner *= x.shape()[axis_after];
    const double tolerance = static_cast<double>(std::numeric_limits<T>::epsilon()) * (8 + std::sqrt(static_cast<double>(length)));
    const std::vector<T> result = to_host(r);
    return print_check(plain::norm_difference(values, length, inner, result), tolerance, result.size());
}

/// Loads or makes x, of the element type and rank that the command line or the file asks for.
template <class X, int R>
bool run(const options& o) {
    using T = std::conditional_t<std::is_floating_point_v<X>, X, double>;
    shape<R> extents;
    std::copy_n(o.shape.begin(), R, extents.extent);
    const std::int64_t bytes = extents.size() * static_cast<std::int64_t>(sizeof(X));
    print_input(o, name(dtype_of<X>), text(extents), bytes);
    if (!o.file.empty()) {
        const array<X, R> x = load_npy<X, R>(o.file);
        const std::vector<X> values = to_host(x);
        return demonstrate<T>(x, std::span<const X>(values), o);
    }
    const auto values = std::make_unique_for_overwrite<X[]>(static_cast<std::size_t>(extents.size()));
    const std::span<X> all(values.get(), static_cast<std::size_t>(extents.size()));
    plain::fill_random(all);
    const array<X, R> x = from_host(all, extents);
    return demonstrate<T>(x, std::span<const X>(all), o);
}

// --- printing -------------------------------------------------------------------------------------------------------

template <int R>
std::string text(const shape<R>& s) {
    std::string list;
    for (std::int64_t n : s) list += (list.empty() ? "" : ", ") + std::to_string(n);
    return '(' + list + (R == 1 ? ",)" : ")");
}

std::string indented(const std::string& lines) {
    std::string out = "  ";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += lines[i];
        if (lines[i] == '\n' && i + 1 < lines.size() && lines[i + 1] != '\n') out += "  ";
    }
    return out;
}

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

void print_input(const options& o, const char* type, const std::string& shape, std::int64_t bytes) {
    std::printf("r = sqrt(sum(x * x, axis=%d))\n\n", o.axis);
    std::printf("  x            %s %s, %.1f MB, %s\n", type, shape.c_str(), megabytes(bytes),
                o.file.empty() ? "random values" : o.file.c_str());
    std::printf("  device       %s\n", current_device().description().c_str());
    std::fflush(stdout);
}

void print_report(const explanation& why, const std::string& shape, const timing& t) {
    std::printf("\nExpression\n\n%s", indented(why.tree).c_str());
    for (const kernel_report& kernel : why.kernels) {
        std::printf("\nKernel, for %s\n\n  schedule     %s\n", why.device.c_str(), kernel.schedule.c_str());
        if (kernel.registers >= 0)
            std::printf("  compiled     %d registers a thread, %d bytes spilled, %.1f kB\n", kernel.registers,
                        kernel.spill_bytes, static_cast<double>(kernel.image_bytes) / 1e3);
        std::printf("\n%s", indented(kernel.source).c_str());
    }

    const double median = t.seconds[t.seconds.size() / 2];
    std::printf("\nResult                 fused      one kernel an operation\n\n");
    std::printf("  launches     %12d    %12d\n", why.launches, why.operations);
    std::printf("  bytes moved  %9.1f MB    %9.1f MB\n\n", megabytes(why.bytes_fused), megabytes(why.bytes_unfused));
    std::printf("  first use    %9.3f ms    with generating and compiling the kernel, if no cache has it\n", t.first * 1e3);
    std::printf("  time         %9.3f ms    median of %zu; %.3f to %.3f\n", median * 1e3, t.seconds.size(),
                t.seconds.front() * 1e3, t.seconds.back() * 1e3);
    std::printf("  bandwidth    %7.1f GB/s    bytes moved over time, on %s\n", static_cast<double>(why.bytes_fused) / median / 1e9,
                current_device().name().c_str());
    std::printf("  r            %s\n", shape.c_str());
}

bool print_check(double difference, double tolerance, std::size_t elements) {
    const bool good = difference <= tolerance;
    std::printf("  check        %s: max. relative difference %.1e over all %zu elements, from a loop in double\n",
                good ? "good" : "WRONG", difference, elements);
    return good;
}

// --- the command line -------------------------------------------------------------------------------------------------

/// Picks run<X, R> for a rank known at run time.
template <class X>
bool run_rank(const options& o) {
    bool good = false;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        ((static_cast<int>(o.shape.size()) == I + 1 && (good = run<X, I + 1>(o), true)) || ...);
    }(std::make_integer_sequence<int, max_rank>());
    return good;
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
            throw error(from + ": extent " + std::to_string(n) + "; extents are 1 or more, and their product fits the memory");
    if (o.axis < -rank || o.axis >= rank)
        throw error("--axis " + std::to_string(o.axis) + ": out of range; x has " + std::to_string(rank) + " axes, " +
                    std::to_string(-rank) + " to " + std::to_string(rank - 1));
}

int main(int argc, char** argv) {
    CLI::App app("Norms along one axis of an array, r = sqrt(sum(x * x, axis=A)), by one generated kernel.", "quickstart");
    options o;
    app.add_option("file", o.file, "A .npy file to take x from; random values without one");
    app.add_option("--shape", o.shape, "The extents of random values: 1000,100,1000")->delimiter(',');
    app.add_option("--dtype", o.dtype, "Element type; of a file: what it is loaded as")
        ->check(CLI::IsMember({"float32", "float64", "int32"}));
    app.add_option("--axis", o.axis, "The axis to reduce; negative ones count from the end (-1)");
    app.add_option("--runs", o.runs, "Evaluations to time (11)")->check(CLI::Range(1, 1000000));
    app.add_option("--out", o.out, "A .npy file to write r to");
    try {
        app.parse(argc, argv);
        check_options(o);
        const bool good = o.dtype == "float32"   ? run_rank<float>(o)
                          : o.dtype == "float64" ? run_rank<double>(o)
                                                 : run_rank<std::int32_t>(o);
        return good ? 0 : 1;
    } catch (const CLI::CallForHelp&) {
        std::printf("%s", app.help().c_str());
        return 0;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "quickstart: not enough memory for x; give a smaller --shape\n");
    } catch (const std::exception& e) {
        std::fprintf(stderr, "quickstart: %s\n", e.what());
    }
    return 2;
}
