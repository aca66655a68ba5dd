// The heat equation on a periodic square, over several devices. The program is the same as for one device: the array is
// split by rows, and each step fetches neighbouring rows while it computes elements that do not need them. One process
// drives all members, or, started by mpirun, each process drives one:
//
//     heat --members 4
//     mpirun -n 4 heat
#include "support/program.hpp"

#include <sinter/sharded.hpp>

#include <chrono>
#include <cmath>
#include <numbers>

using namespace sinter;

namespace {

/// One wave along each axis; a time step multiplies it by factor().
auto wave(std::int64_t rows, std::int64_t columns) {
    const auto sine = [](std::int64_t n) {
        return sin(astype<float>(arange<std::int64_t>(n)) * (2 * std::numbers::pi_v<float> / static_cast<float>(n)));
    };
    return sine(rows)(all, newaxis) * sine(columns);
}

/// The factor by which a time step multiplies wave().
double factor(std::int64_t rows, std::int64_t columns, double rate) {
    const auto squared = [](std::int64_t n) {
        return std::pow(std::sin(std::numbers::pi / static_cast<double>(n)), 2);
    };
    return 1 - 4 * rate * (squared(rows) + squared(columns));
}

/// An explicit time step: the inflow from the four neighbours.
auto step(const auto& u, float rate) {
    return u +
           rate * (roll(u, 1, axis=0) + roll(u, -1, axis=0) + roll(u, 1, axis=1) + roll(u, -1, axis=1) - 4 * u);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("The heat equation on a square, over several devices.", "heat");
    std::int64_t rows = 0, columns = 0;
    int steps = 100, parts = 0;
    std::string device_name;
    app.add_option("--rows", rows,
                   "Points along the axis that is dealt out (16384 per member on GPUs, 256 on the host)")
        ->check(CLI::Range(1, 1 << 24));
    app.add_option("--columns", columns, "Points along the other axis (16384, 256)")->check(CLI::Range(1, 1 << 24));
    app.add_option("--steps", steps, "Steps in time (100)")->check(CLI::Range(1, 1000000));
    app.add_option("--members", parts, "Members that this process drives: GPUs, or parts on the host (all)")
        ->check(CLI::Range(1, 64));
    app.add_option("--device", device_name, "host, or cuda for the GPUs (those, if there are any)");
    return run_program(app, argc, argv, [&] {
        const device_scope on(device_named(device_name));
        const bool on_host = current_device().is_host();
        std::vector<device> chosen;
        for (int i = 0; i < parts; ++i) chosen.push_back(on_host ? host() : cuda(i));
        const mesh m = parts > 0 ? mesh(chosen) : mesh();
        if (rows == 0) rows = on_host ? 256 : 16384 * m.size();
        if (columns == 0) columns = on_host ? 256 : 16384;

        const float rate = 0.2F;
        sharded<float, 2> u =
            scatter(m, wave(rows, columns));  // on one device: array<float, 2> u = wave(rows, columns);
        u = step(u, rate);                    // plans and compiles
        synchronize(m);
        const std::int64_t before = m.bytes_sent();
        const auto start = std::chrono::steady_clock::now();
        for (int s = 1; s < steps; ++s) u = step(u, rate);
        synchronize(m);
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;

        const double left = std::pow(factor(rows, columns, static_cast<double>(rate)), steps);
        const double energy = std::sqrt(4 * static_cast<double>(item(mean(square(u)))));
        const double worst = item(max(abs(u - static_cast<float>(left) * scatter(m, wave(rows, columns)))));
        const bool good = std::abs(energy - left) < 1e-4 && worst < 1e-4;
        if (m.first() > 0) return good;  // only the first process reports

        print_device();
        const double count = std::max(1, steps - 1);
        std::printf("members    %d, %d of them in this process, connected by %s\n", m.size(), m.local_size(),
                    m.link().c_str());
        std::printf("time       %.3f ms per step of %lld x %lld, %.0f GB/s at two accesses per point\n",
                    spent.count() * 1e3 / count, static_cast<long long>(rows), static_cast<long long>(columns),
                    8e-9 * static_cast<double>(rows * columns) * count / spent.count());
        std::printf("link       %.0f bytes per step given to others by this process\n",
                    static_cast<double>(m.bytes_sent() - before) / count);
        std::printf("check      %s: the wave is %.6f of what it was, %.6f expected, %.1e off at most\n",
                    good ? "good" : "WRONG", energy, left, worst);
        return good;
    });
}
