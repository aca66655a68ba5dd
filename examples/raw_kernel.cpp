// Vector addition by a user-written CUDA kernel with explicit grid and blocks, next to the one-line expression that
// generates such a kernel.
#include "support/plain_loops.hpp"
#include "support/program.hpp"

#include <algorithm>
#include <utility>

using namespace sinter;

const char* const text = R"(
extern "C" __global__ void add(float* sum, const float* x, const float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = x[i] + y[i];
}
)";

int main(int argc, char** argv) {
    CLI::App app("Adds two vectors by a kernel of its own, and by an expression.", "raw_kernel");
    int n = 1000, threads = 256;
    app.add_option("--size", n, "Elements (1000)")->check(CLI::Range(1, 1 << 28));
    app.add_option("--block", threads, "Threads of a block (256)")->check(CLI::Range(1, 1024));
    return run_program(app, argc, argv, [&] {
        print_device();
        std::vector<float> a(static_cast<std::size_t>(n)), b(a.size());
        plain::fill_random(std::span(a));
        std::fill(b.begin(), b.end(), 0.25f);
        const auto x = from_host(std::span(a), {n}), y = from_host(std::span(b), {n});

        const array<float, 1> by_expression = x + y;

        bool good = true;
        const std::vector<float> expected = to_host(by_expression);
        for (std::size_t i = 0; i < a.size(); ++i) good = good && expected[i] == a[i] + b[i];
        std::printf("expression %s: x + y\n", good ? "good" : "WRONG");
        array<float, 1> again;
        print_time("x + y", [&] { again = x + y; });
        if (current_device().is_host()) {
            std::printf("raw kernel not run: the host does not run CUDA source\n");
            return good;
        }

        const raw_kernel add(text, "add");
        const int blocks = (n + threads - 1) / threads;
        auto sum = empty<float>({n});
        print_time("the raw kernel", [&] { add(grid{blocks}, block{threads}, 0, sum, x, y, n); });
        const bool same = to_host(sum) == expected;
        std::printf("raw kernel %s: %d blocks of %d threads run%s", same ? "good" : "WRONG", blocks, threads, text);
        return good && same;
    });
}
