// Which threads add up which elements: what Sinter chooses for rows of all lengths, and a kernel that shows all levels.
#include <sinter.hpp>

#include <cstdio>

using namespace sinter;

/// The schedule of sum(x, axis=1) for 2^26 elements in rows of n.
void show(std::int64_t n) {
    // [rows]
    const array<float, 2> x({(1 << 26) / n, n});
    const explanation why = explain(sum(x, axis=1));
    // [rows]
    std::printf("%8lld  %s\n", static_cast<long long>(n), why.kernels[0].schedule.c_str());
}

int main() {
    std::printf("== rows\n");
    for (const std::int64_t n : {4, 32, 128, 1024, 4096, 1 << 16, 1 << 22, 1 << 26}) show(n);

    // [dot]
    const array<float, 1> x(shape<1>{1 << 26}), y(shape<1>{1 << 26});
    const auto dot = sum(x * y);
    static_assert(launches<decltype(dot)> == 1);
    // [dot]
    std::printf("== dot\n%s", source(dot).c_str());

    // [two]
    const auto both = pack(sum(x * y), max(abs(x)));
    // [two]
    const explanation why = explain(both);
    std::printf("== two\n%d launch, %.0f MB\n", why.launches, double(why.bytes_fused) / 1e6);
}
