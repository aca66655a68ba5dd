// Data-parallel training: the classifier of train_mlp with batches split over several devices. The weights are
// replicated; their gradients are sums over the batch, which Sinter adds over the members. The program is the same as
// for one device. One process drives all members, or, started by mpirun, one each:
//
//     train_parallel --members 4
//     mpirun -n 4 train_parallel
#include "support/mlp.hpp"
#include "support/program.hpp"

#include <sinter/sharded.hpp>

#include <chrono>

using namespace sinter;

namespace {

using batch_data = mlp::data_of<sharded<float, 2>, sharded<std::int64_t, 1>>;

/// Points classified by a fixed random network.
mlp::data made_up(std::int64_t count, std::int64_t inputs, std::int64_t classes) {
    const array<float, 2> points = mlp::with_ones(uniform<float>(random_key(1), {count, inputs}) * 2 - 1);
    return {points, argmax(mlp::through(points, mlp::layer(inputs, classes, 2).weights), axis=1)};
}

struct options {
    std::vector<std::int64_t> sizes = {16, 32, 4};
    std::int64_t count = 2048, batch = 256;
    int epochs = 10, parts = 0;
    double rate = 0.01;
    std::string device_name;

    void add_to(CLI::App& app) {
        app.add_option("--sizes", sizes, "Inputs, hidden units and classes (16,32,4)")
            ->delimiter(',')
            ->expected(3)
            ->check(CLI::Range(1, 1 << 16));
        app.add_option("--count", count, "Points to learn from (2048)")->check(CLI::Range(1, 1 << 24));
        app.add_option("--batch", batch, "Points of a step, over all members (256)")->check(CLI::Range(1, 1 << 24));
        app.add_option("--epochs", epochs, "Passes over the points (10)")->check(CLI::Range(1, 10000));
        app.add_option("--rate", rate, "Adam's step size (0.01)")->check(CLI::PositiveNumber);
        app.add_option("--members", parts, "Members that this process drives: GPUs, or parts on the host (all)")
            ->check(CLI::Range(1, 64));
        app.add_option("--device", device_name, "host, or cuda for the GPUs (those, if there are any)");
    }
};

mesh members(int parts) {
    if (parts == 0) return mesh();
    const bool on_host = current_device().is_host();
    std::vector<device> chosen;
    for (int i = 0; i < parts; ++i) chosen.push_back(on_host ? host() : cuda(i));
    return mesh(chosen);
}

/// Trains, and returns whether the loss has fallen.
bool train(const options& o) {
    const device_scope on(device_named(o.device_name));
    const mesh m = members(o.parts);
    if (o.batch > o.count) throw error("--batch: there are " + std::to_string(o.count) + " points to learn from");

    const mlp::data points = made_up(o.count, o.sizes[0], o.sizes[2]);
    // On one device: mlp::network net{{...}, {...}}, and the batches are points.rows(first, first + batch).
    mlp::network_of<sharded<float, 2>> net{
        mlp::layer_of<sharded<float, 2>>(replicate(m, mlp::layer(o.sizes[0], o.sizes[1], 3).weights)),
        mlp::layer_of<sharded<float, 2>>(replicate(m, mlp::layer(o.sizes[1], o.sizes[2], 4).weights))};
    std::vector<batch_data> batches;
    for (std::int64_t first = 0; first + o.batch <= o.count; first += o.batch) {
        const mlp::data rows = points.rows(first, first + o.batch);
        batches.push_back({scatter(m, rows.images), scatter(m, rows.classes)});
    }
    const array<float, 1> decays = {0.9F, 0.999F};
    if (m.first() == 0) print_device();  // only the first process reports
    int steps = 0;
    double start_loss = 0, loss = 0;
    std::chrono::duration<double> spent{};
    for (int e = 0; e <= o.epochs; ++e) {
        synchronize(m);
        const auto begin = std::chrono::steady_clock::now();
        for (const batch_data& b : batches) {
            if (e == 0) break;
            net.learn(b, replicate(m, 1 - pow(decays, static_cast<float>(++steps))), o.rate);
        }
        synchronize(m);
        if (e > 1) spent += std::chrono::steady_clock::now() - begin;  // excludes the first epoch, which compiles
        loss = static_cast<double>(item(net.loss(batches.front())));
        if (e == 0) start_loss = loss;
        if (m.first() == 0) std::printf("epoch %3d  loss %.6f\n", e, loss);
    }
    const bool good = loss < start_loss;
    if (m.first() > 0) return good;
    std::printf("members    %d, %d of them in this process, connected by %s\n", m.size(), m.local_size(),
                m.link().c_str());
    const auto timed = static_cast<double>(std::max(1, o.epochs - 1)) * static_cast<double>(batches.size());
    std::printf("time       %.3f ms per step of %lld points\n", spent.count() * 1e3 / timed,
                static_cast<long long>(o.batch));
    std::printf("check      %s: the loss went from %.4f to %.4f\n", good ? "good" : "WRONG", start_loss, loss);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Trains a classifier with one hidden layer over several devices.", "train_parallel");
    options chosen;
    chosen.add_to(app);
    return run_program(app, argc, argv, [&] { return train(chosen); });
}
