// Expressions over what all threads read and over what is a thread's own.
#include <runtime/system/race_detector.hpp>
#include <tests/threads/stress.hpp>

#include <tbb/parallel_for.h>

#include <complex>

namespace sinter::stress {
namespace {

constexpr std::int64_t columns = common::columns;

void elementwise(worker& w) {
    const std::int64_t row = w.below(common::rows);
    const double a = w.value();
    const array<double, 1> y = w.all.table(row) * a + 1.0;
    const std::int64_t j = w.below(columns);
    check(to_host(y)[j] == static_cast<double>(row * columns + j) * a + 1, "elementwise");
}

void reduce(worker& w) {
    const std::int64_t row = w.below(common::rows);
    const double first = static_cast<double>(row * columns);
    check(item(sum(w.all.table(row))) == columns * first + columns * (columns - 1) / 2.0, "sum");
    const array<double, 2> centred = w.all.table - mean(w.all.table, axis=1, keepdims);
    check(to_host(centred)[row * columns] == -(columns - 1) / 2.0, "mean");
}

/// More shapes than an expression's table of plans keeps.
void shapes(worker& w) {
    const std::int64_t n = 1 + w.below(70), m = 1 + w.below(70);
    const double v = w.value();
    const array<double, 1> s = sum(full({n, m}, v), axis=1);
    check(all_are(s, v * static_cast<double>(m), n), "shapes");
}

/// One expression, shared, whose operand is shared.
void one_expression(worker& w) {
    static const auto e = square(w.all.table) + 1.0;
    const array<double, 2> y = e;
    const std::int64_t i = w.below(y.size());
    check(to_host(y)[i] == static_cast<double>(i * i + 1), "one expression");
}

void results_together(worker& w) {
    const std::int64_t row = w.below(common::rows);
    array<double, 1> twice;
    array<double, 0> total;
    tie(twice, total) = pack(w.all.table(row) * 2.0, sum(w.all.table(row)));
    check(2 * item(total) == item(sum(twice)), "tie");
}

void gradient(worker& w) {
    const double v = w.value();
    const array<double, 1> x = full({1 + w.below(9)}, v);
    const array<double, 1> slope = grad(sum(x * x), x);
    check(all_are(slope, 2 * v, x.size()), "grad");
}

void product(worker& w) {
    const std::int64_t n = 1 + w.below(8), k = 1 + w.below(8), m = 1 + w.below(8);
    const double a = w.value(), b = w.value();
    const array<double, 2> x = full({n, k}, a), y = full({k, m}, b);
    const array<double, 2> z = matmul(x, y) + 1.0;
    check(all_are(z, a * b * static_cast<double>(k) + 1, n * m), "matmul");
}

void gather_and_scatter(worker& w) {
    const std::int64_t n = 3 + w.below(20);
    const array<std::int64_t, 1> places = n - 1 - arange(n);
    const array<double, 1> back = take(w.all.table(0, range(0, n)), places);
    check(to_host(back)[0] == static_cast<double>(n - 1), "take");
    array<double, 1> counts = zeros({n});
    at(counts, places) += 2.0;
    check(all_are(counts, 2, n), "at");
}

void scans(worker& w) {
    const std::int64_t row = w.below(common::rows);
    const array<double, 1> running = cumsum(w.all.table(row) * 0.0 + 1.0);
    check(to_host(running)[columns - 1] == static_cast<double>(columns), "cumsum");
}

void dtypes(worker& w) {
    const double v = w.value();
    const array<float16, 1> h = astype<float16>(full({5}, v));
    const array<std::complex<float>, 1> c = complex(h, 2 * h);
    check(all_are(imag(c), 2 * v, 5), "dtypes");
}

void random_numbers(worker& w) {
    const random_key key(static_cast<std::uint64_t>(w.below(1000)));
    const array<double, 1> a = uniform(key, {37}), b = uniform(key, {37});
    check(item(sum(abs(a - b))) == 0 && item(min(a)) >= 0 && item(max(a)) < 1, "random");
}

void print_it(worker& w) {
    const std::string number = std::to_string(w.below(100) + 1) + ".";
    const array<double, 1> x = full({2}, std::stod(number));
    check(to_string(x) == "[" + number + " " + number + "]", "to_string");
}

/// On all cores, with several tiles.
void on_all_cores(worker& w) {
    const double v = w.value();
    const array<float, 2> y = w.all.large * static_cast<float>(v);
    check(item(sum(y)) == static_cast<float>(v * static_cast<double>(y.size())), "all cores");
}

/// In tasks of a loop of the user's.
void nested(worker& w) {
    struct {
        worker& w;
        double v;
        std::atomic<int> right{0};
        codegen::fork_join order = {};

        __attribute__((noinline)) void run_parts(int row, int end) {
            const codegen::fork_join::part ordered(order);
            for (; row < end; ++row) right += item(sum(w.all.table(row) * v)) == v * item(sum(w.all.table(row)));
        }
    } rows{w, w.value()};
    tbb::parallel_for(tbb::blocked_range<int>(0, 4, 1), codegen::task_body<decltype(rows)>{&rows});
    check(rows.right == 4, "nested");
}

void errors(worker& w) {
    try {
        const array<double, 1> y = w.all.table(0) + arange(static_cast<double>(2 + w.below(5)));
    } catch (const error&) {
        return;
    }
    check(false, "shapes that do not fit");
}

}  // namespace

std::vector<operation> evaluations() {
    return {{"elementwise", 200, elementwise},
            {"reduce", 100, reduce},
            {"shapes", 20, shapes},
            {"one expression", 50, one_expression},
            {"tie", 50, results_together},
            {"grad", 50, gradient},
            {"matmul", 50, product},
            {"take and at", 50, gather_and_scatter},
            {"cumsum", 50, scans},
            {"dtypes", 50, dtypes},
            {"random", 25, random_numbers},
            {"print", 1, print_it},
            {"all cores", 1, on_all_cores},
            {"nested", 1, nested},
            {"errors", 25, errors}};
}

}  // namespace sinter::stress
