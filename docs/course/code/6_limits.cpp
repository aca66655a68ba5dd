// Where fusion ends, and where it costs more than it saves: reasons, bytes, operations.
#include <sinter.hpp>

#include <cstdio>

using namespace sinter;

/// Prints the number of launches, and why it is not one.
template <class E>
void show(const char* what, const E& e) {
    const explanation why = explain(e);
    std::printf("%s\n  launches %d, MB %.0f\n", what, why.launches, double(why.bytes_fused) / 1e6);
    for (const std::string& reason : why.reasons) std::printf("  %s\n", reason.c_str());
}

// [blur]
/// The mean of three neighbours; two elements shorter than e.
template <class E>
auto blur(const E& e) {
    return (e(range(0, -2)) + e(range(1, -1)) + e(range(2, end))) * (1 / 3.f);
}

/// K successive blurs as one expression.
template <int K, class E>
auto blurs(const E& e) {
    if constexpr (K == 0)
        return e;
    else
        return blur(blurs<K - 1>(e));
}
// [blur]

/// Prints the cost of K blurs of 2^24 floats, as one expression and as K assignments.
template <int K>
void show_blurs() {
    const double n = 1 << 24;
    const array<float, 1> x(shape<1>{1 << 24});
    const explanation fused = explain(blurs<K>(x));
    const explanation one = explain(blur(x));
    double operations = 0;
    for (const kernel_report& k : fused.kernels) operations += k.operations;
    std::printf("%d %9.0f %9.0f %17.1f %9.1f\n", K, double(fused.bytes_fused) / 1e6, K * double(one.bytes_fused) / 1e6,
                operations / n, K * one.kernels[0].operations / n);
}

int main() {
    const array<float, 2> tall({131072, 512});
    const explanation standardised =
        explain((tall - mean(tall, axis=0, keepdims)) / stddev(tall, axis=0, keepdims));
    std::printf("== columns\n%d launch, %.0f MB, %s\n", standardised.launches, double(standardised.bytes_fused) / 1e6,
                standardised.kernels[0].schedule.c_str());

    // [limits]
    const array<float, 2> x({4096, 4096}), w({4096, 4096});
    const array<float, 1> row(shape<1>{4096});
    const array<std::int64_t, 1> places(shape<1>{4096});
    static_assert(launches<decltype(relu(matmul(x, w) + row))> == 2);

    std::printf("== limits\n");
    show("x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims)",
         x / sum(x, axis=0, keepdims) - sum(x, axis=1, keepdims));
    show("take(sum(x, axis=1), places)", take(sum(x, axis=1), places, axis=0));
    // [limits]

    std::printf("== blurs\n%11s MB %27s\n%11s %9s %17s %9s\n", "", "operations per element", "fused", "assigned",
                "fused", "assigned");
    show_blurs<1>();
    show_blurs<2>();
    show_blurs<3>();
    show_blurs<4>();

    // [row]
    const explanation together = explain(x * exp(row));
    const explanation apart = explain(exp(row));
    // [row]
    std::printf("== row\nx * exp(row): %.0f operations\nexp(row) alone: %.0f\n", together.kernels[0].operations,
                apart.kernels[0].operations);
}
