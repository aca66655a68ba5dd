// k-means clustering (Lloyd's algorithm) over several devices: the points are split over the members, the centres are
// replicated, and their means over all points are one all-reduce. Otherwise it is the program for one device.
//
//     kmeans_parallel --members 4
//     mpirun -n 4 kmeans_parallel
//
// S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28, 1982.
#include "support/program.hpp"

#include <sinter/sharded.hpp>

#include <cmath>

using namespace sinter;

namespace {

/// `count` points around k centres on a circle, at most 0.2 away along each axis.
auto points_around(std::int64_t count, std::int64_t k) {
    const auto group = arange<std::int64_t>(count) % k;
    const auto angle = astype<float>(group) * (6.2831853F / static_cast<float>(k));
    const auto noise = uniform<float>(random_key(7), {count, std::int64_t{2}}) * 0.4F - 0.2F;
    return stack(axis=1, 3 * cos(angle), 3 * sin(angle)) + noise;
}

/// The index of the nearest centre of each point.
auto nearest(const auto& points, const auto& centres) {
    return argmin(sum(square(points(all, newaxis) - centres), axis=2), axis=1);
}

/// The means of the points that are nearest to each centre.
auto moved(const auto& points, const auto& centres) {
    return let(nearest(points, centres)(all, newaxis) == arange<std::int64_t>(centres.shape()[0]), [&](const auto& is) {
        const auto sums = sum(where(is(all, all, newaxis), points(all, newaxis), 0), axis=0);
        return sums / maximum(astype<float>(count_nonzero(is, axis=0)), 1)(all, newaxis);
    });
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Groups points by k-means, over several devices.", "kmeans_parallel");
    std::int64_t count = 100000, k = 8;
    int rounds = 10, parts = 0;
    std::string device_name;
    app.add_option("--count", count, "Points (100000)")->check(CLI::Range(64, 1 << 30));
    app.add_option("--groups", k, "Groups (8)")->check(CLI::Range(1, 64));
    app.add_option("--rounds", rounds, "Rounds (10)")->check(CLI::Range(1, 10000));
    app.add_option("--members", parts, "Members that this process drives: GPUs, or parts on the host (all)")
        ->check(CLI::Range(1, 64));
    app.add_option("--device", device_name, "host, or cuda for the GPUs (those, if there are any)");
    return run_program(app, argc, argv, [&] {
        const device_scope on(device_named(device_name));
        const bool on_host = current_device().is_host();
        std::vector<device> chosen;
        for (int i = 0; i < parts; ++i) chosen.push_back(on_host ? host() : cuda(i));
        const mesh m = parts > 0 ? mesh(chosen) : mesh();

        const array<float, 2> all_points = points_around(count, k);
        const sharded<float, 2> points = scatter(m, all_points);  // on one device: the array itself
        sharded<float, 2> centres = replicate(m, all_points(range(0, k)));
        for (int r = 0; r < rounds; ++r) centres = moved(points, centres);
        const float spread = item(mean(min(sum(square(points(all, newaxis) - centres), axis=2), axis=1)));
        const array<float, 1> away = sqrt(sum(square(gather(centres)), axis=1));
        const float off = item(max(abs(away - 3)));
        const bool good = spread < 0.04F && off < 0.1F;
        if (m.first() > 0) return good;  // only the first process reports

        print_device();
        std::printf("members    %d, %d of them in this process, connected by %s\n", m.size(), m.local_size(),
                    m.link().c_str());
        std::printf("centres    %lld, %.3f off the circle at most; points %.4f from them in the mean of squares\n",
                    static_cast<long long>(k), static_cast<double>(off), static_cast<double>(spread));
        std::printf("check      %s: the centres are about where the points were put\n", good ? "good" : "WRONG");
        return good;
    });
}
