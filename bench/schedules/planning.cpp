// Time on the processor to plan an expression for shapes that it has not had: from its program to scheduled kernels and
// their keys. Nothing is compiled by NVRTC, and no GPU is needed.
//
//     planning            prints a line for each expression: median and longest of 200 random shapes, in microseconds
#include <codegen/cuda/source.hpp>
#include <codegen/driver/compile.hpp>
#include <sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

namespace {

using namespace sinter;

constexpr int shapes = 200;

double processor_microseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

template <class Tree>
double planned(const expr<Tree>& e) {
    const double start = processor_microseconds();
    const codegen::bindings b{&detail::program_of<Tree>, e.arguments()};
    for (const codegen::compiled_kernel& k : codegen::compile(b, {}, {}).kernels)
        if (k.chosen) codegen::class_key(k.body, *k.chosen);
    return processor_microseconds() - start;
}

/// `make` gives an expression of two matrices of one shape and a row.
template <class F>
void time(const char* name, F make) {
    std::mt19937 random(1);
    std::vector<double> all;
    for (int i = 0; i < shapes; ++i) {
        const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 4000),
                           columns = 1 + static_cast<std::int64_t>(random() % 4000);
        const array<float, 2> x(shape<2>(rows, columns)), y(shape<2>(rows, columns));
        const array<float, 1> v{shape<1>(columns)};
        all.push_back(planned(make(x, y, v)));
    }
    std::sort(all.begin(), all.end());
    std::printf("%-28s %8.1f %8.1f\n", name, all[all.size() / 2], all.back());
}

}  // namespace

int main() {
    const device_scope on_host(host());
    time("exp(x) * 2 + y", [](auto& x, auto& y, auto&) { return exp(x) * 2.f + y; });
    time("sum(x * y, axis=1)", [](auto& x, auto& y, auto&) { return sum(x * y, axis=1); });
    time("var(x, axis=0)", [](auto& x, auto&, auto&) { return var(x, axis=0); });
    time("softmax(x, axis=1)", [](auto& x, auto&, auto&) { return softmax(x, axis=1); });
    time("layer_norm(x) * v + v", [](auto& x, auto&, auto& v) { return layer_norm(x, axis=1) * v + v; });
    time("x + transpose(transpose(y))", [](auto& x, auto& y, auto&) { return x + transpose(transpose(y)); });
    time("concat(x, y, axis=1)", [](auto& x, auto& y, auto&) { return concat(x, y, axis=1); });
    time("x / sum(x) - mean(y, axis=0)", [](auto& x, auto& y, auto&) { return x / sum(x) - mean(y, axis=0); });
    time("softmax(gelu(x + v) - max(y))",
         [](auto& x, auto& y, auto& v) { return softmax(gelu(x + v) - max(y), axis=1); });
    return 0;
}
