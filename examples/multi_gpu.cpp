// The sum of squares of many floats over several GPUs: one kernel per GPU and one all-reduce. One process drives all
// GPUs, or, started by mpirun or by hand, each process drives one:
//
//     multi_gpu --gpus 4
//     mpirun -n 4 multi_gpu
//     for r in 0 1 2 3; do SINTER_RANK=$r SINTER_SIZE=4 multi_gpu & done; wait
#include "support/program.hpp"

#include <sinter/sharded.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace sinter;

namespace {

/// x[i] = (i mod 1000 + 1/2) / 1000, computed by each member for its part, without communication.
sharded<float, 1> numbers(const mesh& m, std::int64_t n) {
    return scatter(m, (astype<float>(arange<std::int64_t>(n) % 1000) + 0.5f) * 0.001f);
}

/// The expected sum of squares: 333.33325 per 1000 elements.
double expected(std::int64_t n) {
    double rest = 0;
    for (std::int64_t i = 0; i < n % 1000; ++i) rest += (static_cast<double>(i) + 0.5) * (static_cast<double>(i) + 0.5);
    return static_cast<double>(n / 1000) * 333.33325 + rest * 1e-6;
}

struct outcome {
    double seconds;     ///< of one evaluation
    double worst;       ///< relative difference of the sum
    std::int64_t sent;  ///< bytes that this process sent in one evaluation
};

outcome run(const mesh& m, std::int64_t n, int repeats) {
    using clock = std::chrono::steady_clock;
    const auto x = numbers(m, n);
    sharded<float, 0> s = sum(x * x);  // plans, compiles, and connects the members
    synchronize(m);
    const double off = std::abs(static_cast<double>(item(s)) / expected(n) - 1);
    const std::int64_t before = m.bytes_sent();
    const auto start = clock::now();
    for (int i = 0; i < repeats; ++i) s = sum(x * x);
    synchronize(m);
    const std::chrono::duration<double> spent = clock::now() - start;
    return {spent.count() / repeats, off, (m.bytes_sent() - before) / repeats};
}

void print(const char* what, const outcome& o, std::int64_t n) {
    std::printf("%-10s %lld floats: %.3f ms, %.0f GB/s\n", what, static_cast<long long>(n), o.seconds * 1e3,
                4e-9 * static_cast<double>(n) / o.seconds);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The sum of the squares of many floats, over several GPUs.", "multi_gpu");
    std::int64_t count = 0;
    int gpus = 0, repeats = 20;
    app.add_option("--count", count, "Floats (8e9 on GPUs, 4e6 on the host)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
    app.add_option("--gpus", gpus,
                   "How many GPUs this process drives (all, or one of several processes); on the host: how many parts")
        ->check(CLI::Range(1, 64));
    std::string device_name;
    app.add_option("--device", device_name, "host, or cuda for the GPUs (those, if there are any)");
    app.add_option("--repeats", repeats, "Evaluations that are timed (20)")->check(CLI::Range(1, 1000000));
    return run_program(app, argc, argv, [&] {
        const device_scope scope(device_named(device_name));
        const bool on_host = current_device().is_host();
        std::vector<device> chosen;
        for (int i = 0; i < gpus; ++i) chosen.push_back(on_host ? host() : cuda(i));
        const mesh m = gpus > 0 ? mesh(chosen) : mesh();
        if (count == 0) count = on_host ? 4000000 : 8000000000;

        // For comparison, one member alone: with all elements, and with one member's share.
        const mesh one({m.local(0)});
        const std::int64_t share = (count + m.size() - 1) / m.size();
        const outcome all_on_one = run(one, count, repeats), share_on_one = run(one, share, repeats);
        const outcome together = run(m, count, repeats);
        const double worst = std::max({all_on_one.worst, share_on_one.worst, together.worst});
        const bool good = worst < 1e-5;
        if (m.first() > 0) return good;  // only the first process reports

        print_device();
        std::printf("members    %d, %d of them in this process, connected by %s\n", m.size(), m.local_size(),
                    m.link().c_str());
        print("one", all_on_one, count);
        print("one", share_on_one, share);
        print("all", together, count);
        std::printf("scaling    %.1f %% of ideal against one with all, %.1f %% against one with its share\n",
                    1e2 * all_on_one.seconds / (m.size() * together.seconds),
                    1e2 * share_on_one.seconds / together.seconds);
        std::printf("link       %lld bytes per evaluation given to others by this process\n",
                    static_cast<long long>(together.sent));
        std::printf("check      %s: %.1e off the exact sum of %.8g\n", good ? "good" : "WRONG", worst, expected(count));
        return good;
    });
}
