// Trains a classifier of handwritten digits with one hidden layer. grad() differentiates its loss, Adam's updates fuse
// into the same kernels, and an epoch is one CUDA graph.
#include "support/mlp.hpp"
#include "support/program.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <vector>

using namespace sinter;

/// The digit images in random order, or generated data that a fixed random network classifies.
mlp::data load(const std::string& folder, std::int64_t inputs, std::int64_t classes, std::mt19937& random) {
    if (!folder.empty()) {
        const auto images = load_npy<std::uint8_t, 2>(folder + "/digits.npy");
        const auto labels = load_npy<std::uint8_t, 1>(folder + "/digits_labels.npy");
        std::vector<int> order(static_cast<std::size_t>(images.shape()[0]));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const auto rows = from_host(order, {images.shape()[0]});
        return {mlp::with_ones(take(images, rows, axis=0) / 16.0F), astype<std::int64_t>(take(labels, rows))};
    }
    const array<float, 2> images =
        mlp::with_ones(uniform<float>(random_key(random()), {std::int64_t{2048}, inputs}) * 2 - 1);
    const mlp::layer teacher(inputs, classes, random());
    return {images, argmax(mlp::through(images, teacher.weights), axis=1)};
}

int main(int argc, char** argv) {
    CLI::App app("Trains a classifier with one hidden layer on 1797 images of digits.", "train_mlp");
    std::string folder = SINTER_EXAMPLE_DATA, device_name;
    std::vector<std::int64_t> sizes = {64, 64, 10};
    std::int64_t batch = 32;
    int epochs = 20;
    unsigned seed = 1;
    double rate = 0.003;
    app.add_option("--data", folder, "Folder of digits.npy and digits_labels.npy");
    app.add_option("--sizes", sizes, "Inputs, hidden units and classes (64,64,10); other inputs are made up")
        ->delimiter(',')
        ->expected(3)
        ->check(CLI::Range(1, 4096));
    app.add_option("--batch", batch, "Images of a step (32)")->check(CLI::Range(1, 1024));
    app.add_option("--epochs", epochs, "Passes over the images (20)")->check(CLI::Range(1, 10000));
    app.add_option("--rate", rate, "Adam's step size (0.003)")->check(CLI::PositiveNumber);
    app.add_option("--seed", seed, "Of the order of the images and the first weights (1)");
    app.add_option("--device", device_name, "host, cuda or cuda:1");
    return run_program(app, argc, argv, [&] {
        const device_scope on(device_named(device_name));
        print_device();
        std::mt19937 random(seed);
        const bool digits = sizes[0] == 64 && sizes[2] == 10;
        const mlp::data all_of_them = load(digits ? folder : "", sizes[0], sizes[2], random);
        const std::int64_t count = all_of_them.classes.size(), taught = count * 4 / 5;
        const mlp::data train = all_of_them.rows(0, taught), test = all_of_them.rows(taught, count);
        if (batch > taught) throw error("--batch: there are " + std::to_string(taught) + " images to learn from");
        mlp::network net{{sizes[0], sizes[1], random()}, {sizes[1], sizes[2], random()}};

        const std::int64_t batches = taught / batch;
        std::printf("network    %lld-%lld-%lld, %lld images in batches of %lld, %lld to test with\n",
                    static_cast<long long>(sizes[0]), static_cast<long long>(sizes[1]),
                    static_cast<long long>(sizes[2]), static_cast<long long>(taught), static_cast<long long>(batch),
                    static_cast<long long>(count - taught));
        std::printf("kernels    %d per step\n",
                    explain(net.step(train.rows(0, batch), full({2}, 0.5F), rate)).launches);
        mlp::epoch pass(net, train, batch, rate);
        std::vector<std::int64_t> order(static_cast<std::size_t>(taught));
        std::iota(order.begin(), order.end(), 0);
        double first = 0, loss = 0, seconds = 0;
        for (int e = 0; e <= epochs; ++e) {
            if (e > 0) {
                std::shuffle(order.begin(), order.end(), random);
                pass.set_order(order);
                synchronize();
                const auto begin = std::chrono::steady_clock::now();
                pass.run();
                synchronize();
                seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            }
            loss = static_cast<double>(item(net.loss(train)));
            if (e == 0) first = loss;
            std::printf("epoch %3d  loss %.6f  test accuracy %.2f %%\n", e, loss, 100 * item(net.accuracy(test)));
        }
        std::printf("time       %.1f us per step\n", seconds * 1e6 / static_cast<double>(epochs * batches));
        const bool good = loss < first / 2 && (!digits || epochs < 10 || item(net.accuracy(test)) >= 0.96);
        std::printf("check      %s: the loss went from %.4f to %.4f\n", good ? "good" : "WRONG", first, loss);
        return good;
    });
}
