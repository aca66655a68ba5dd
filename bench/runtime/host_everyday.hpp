// Timing of the host's everyday expressions, and their operands.
#pragma once

#include <sinter.hpp>
#include <sinter/sort.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

namespace everyday {

using namespace sinter;

/// Only cases whose names contain this are timed.
inline const char* wanted = "";

inline double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Prints the minimum CPU time of an evaluation and that of the first one, in milliseconds.
template <class F>
void time_case(const char* name, F evaluate) {
    if (std::strstr(name, wanted) == nullptr) return;
    double least = 1e9, total = 0;
    const double first_start = cpu_seconds();
    evaluate();
    const double first = cpu_seconds() - first_start;
    for (int i = 0; i < 300 && (i < 3 || total < 0.15); ++i) {
        const double start = cpu_seconds();
        evaluate();
        const double took = cpu_seconds() - start;
        total += took;
        least = std::min(least, took);
    }
    std::printf("%s %.4f %.4f\n", name, least * 1e3, first * 1e3);
    std::fflush(stdout);
}

template <class E>
auto evaluate(E&& e) {
    return array<element_t<std::remove_cvref_t<E>::type>, std::remove_cvref_t<E>::rank>(std::forward<E>(e));
}

/// Operands of n x n elements or fewer.
struct operands {
    explicit operands(std::int64_t extent) : n(extent) {}

    const std::int64_t n, c = n / 10;
    array<double, 2> x = uniform<double>(random_key(1), {n, n}), y = uniform<double>(random_key(2), {n, n});
    array<float, 2> f = uniform<float>(random_key(3), {n, n}), g = uniform<float>(random_key(4), {n, n});
    array<std::uint8_t, 2> u = astype<std::uint8_t>(f * 255.f), w = astype<std::uint8_t>(g * 255.f);
    array<std::uint8_t, 2> live = astype<std::uint8_t>(f > 0.5f);
    array<bool, 2> b = f > 0.5f;
    array<double, 1> v = ravel(x);
    array<float, 3> image = reshape(f(range(0, n / 4 * 4), range(0, n / 4 * 4)), shape{n / 4 * 4 * (n / 4), 4, 1});
    array<std::int64_t, 1> rows = astype<std::int64_t>(uniform<double>(random_key(5), {n}) * double(n));
    array<std::int64_t, 1> places = astype<std::int64_t>(uniform<double>(random_key(6), {n * n}) * double(n * n));
    array<float, 3> volume = reshape(ravel(f)(range(0, c* c * 100)), shape{c, c, 100});
    array<std::int8_t, 2> q = astype<std::int8_t>(f * 100.f);
    array<double, 1> line = x(0, all);
    array<bool, 1> column_mask = line > 0.5;
    array<double, 1> sorted = sort(line);
    array<float, 1> edges = linspace<float>(0.f, 1.f, 65);
    array<double, 1> bins = linspace(0.0, 1.0, 33);
    array<std::int64_t, 1> keys = places % 1000;
    array<std::int64_t, 2> order = argsort(y, axis=1);
    array<double, 1> totals = zeros<double>({1000});
    array<float, 2> points = reshape(ravel(f)(range(0, c* c / 8 * 8)), shape{c * c / 8, 8})(
        range(0, std::min<std::int64_t>(c* c / 8, 1000)), all);
    array<float, 1> taps = linspace<float>(0.1f, 1.f, 9);
    array<float, 3> batch = reshape(ravel(f)(range(0, n* n / 64 * 64)), shape{n * n / 64, 8, 8});
    array<float16, 2> h = astype<float16>(f);
    array<std::uint8_t, 2> rgb = reshape(ravel(u)(range(0, n* n / 3 * 3)), shape{n * n / 3, 3});
    array<std::complex<float>, 2> z = complex(f, g);
    array<std::complex<float>, 2> square = z(range(0, n / 3), range(0, n / 3));
};

/// Functions of whole arrays: sorting, searching, counting, products.
void time_functions(const operands& o);

}  // namespace everyday

#define CASE(name, ...)                       \
    time_case(#name, [&] {                    \
        const auto r = evaluate(__VA_ARGS__); \
        (void)r;                              \
    })
