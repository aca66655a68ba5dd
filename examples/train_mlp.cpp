// Training: a classifier of handwritten digits with one hidden layer. grad() differentiates its loss, Adam's updates
// are part of the same kernels, and an epoch is one CUDA graph.
#include "support/program.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

using namespace sinter;

/// What there is to learn from: an image a row, and the class of each.
struct examples {
    array<float, 2> images;
    array<std::int64_t, 1> classes;
};

/// A layer's weights, a row an input and one for the bias, and Adam's means of their gradients and of the squares.
struct layer {
    array<float, 2> weights, mean, square;

    layer(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed)
        : weights(uniform<float>(random_key(seed), {inputs + 1, outputs}) * 2 - 1),
          mean(zeros<float>({inputs + 1, outputs})),
          square(zeros<float>({inputs + 1, outputs})) {
        weights *= std::sqrt(1.5 / static_cast<double>(inputs));
    }
};

/// x times a layer's weights; the bias is what a column of ones is multiplied by.
auto through(const auto& x, const auto& weights) {
    const auto with_ones = pad(x, {{0, 0}, {0, 1}}, 1.0F);
    return sum(with_ones(all, all, newaxis) * weights, axis=1_c);
}

auto logits_of(const auto& images, const layer& hidden, const layer& last) {
    return through(relu(through(images, hidden.weights)), last.weights);
}

/// The mean of -log p(class) over the images, where p is the softmax of the logits.
auto cross_entropy(const auto& logits, const auto& classes) {
    return let(logits, [&](const auto& z) {
        const auto is_class = classes(all, newaxis) == arange(z.shape()[1]);
        return mean(logsumexp(z, axis=1_c) - sum(where(is_class, z, 0), axis=1_c));
    });
}

/// What a step of Adam makes of a layer: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015,
/// https://arxiv.org/abs/1412.6980, algorithm 1, with its defaults.
auto adam(const layer& l, const auto& gradient, const auto& steps, double rate) {
    const auto mean = [&](const auto& g) { return 0.9 * l.mean + 0.1 * g; };
    const auto square = [&](const auto& g) { return 0.999 * l.square + 0.001 * g * g; };
    const auto weights = [&](const auto& g) {
        const auto unbiased = mean(g) / (1 - pow(0.9F, steps));
        return l.weights - rate * unbiased / (sqrt(square(g) / (1 - pow(0.999F, steps))) + 1e-8);
    };
    return std::tuple(let(gradient, weights), let(gradient, mean), let(gradient, square));
}

/// All that one batch changes, as one pack.
auto updated(const layer& hidden, const layer& last, const auto& images, const auto& classes, const auto& steps,
             double rate) {
    const auto loss = cross_entropy(logits_of(images, hidden, last), classes);
    auto [w1, m1, s1] = adam(hidden, grad(loss, hidden.weights), steps, rate);
    auto [w2, m2, s2] = adam(last, grad(loss, last.weights), steps, rate);
    return pack(w1, m1, s1, w2, m2, s2);
}

struct network {
    layer hidden, last;
    array<std::int64_t, 1> order;               ///< of the images in this epoch
    array<float, 1> steps = zeros<float>({1});  ///< before this epoch

    /// Batch `b` of an epoch.
    auto step(const examples& from, std::int64_t b, std::int64_t batch, double rate) const {
        const auto rows = take(order, arange(batch) + b * batch);
        return updated(hidden, last, take(from.images, rows, axis=0), take(from.classes, rows), steps + (b + 1),
                       rate);
    }
    void learn(const examples& from, std::int64_t b, std::int64_t batch, double rate) {
        tie(hidden.weights, hidden.mean, hidden.square, last.weights, last.mean, last.square) =
            step(from, b, batch, rate);
    }
};

/// The images of digits in random order, or as many that a fixed random network tells apart.
examples load(const std::string& folder, std::int64_t inputs, std::int64_t classes, std::mt19937& random) {
    if (!folder.empty()) {
        const auto images = load_npy<std::uint8_t, 2>(folder + "/digits.npy");
        const auto labels = load_npy<std::uint8_t, 1>(folder + "/digits_labels.npy");
        std::vector<int> order(static_cast<std::size_t>(images.shape()[0]));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const auto rows = from_host(order, {images.shape()[0]});
        return {take(images, rows, axis=0) / 16.0F, astype<std::int64_t>(take(labels, rows))};
    }
    const array<float, 2> images = uniform<float>(random_key(random()), {std::int64_t{2048}, inputs}) * 2 - 1;
    const layer teacher(inputs, classes, random());
    return {images, argmax(through(images, teacher.weights), axis=1)};
}

double accuracy(const examples& of, const layer& hidden, const layer& last) {
    return item(mean(argmax(logits_of(of.images, hidden, last), axis=1_c) == of.classes));
}

int main(int argc, char** argv) {
    CLI::App app("Trains a classifier with one hidden layer on 1797 images of digits.", "train_mlp");
    std::string folder = SINTER_EXAMPLE_DATA, where;
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
    app.add_option("--device", where, "host, cuda or cuda:1");
    return run_program(app, argc, argv, [&] {
        const device_scope on(device_named(where));
        print_device();
        std::mt19937 random(seed);
        const bool digits = sizes[0] == 64 && sizes[2] == 10;
        const examples all_of_them = load(digits ? folder : "", sizes[0], sizes[2], random);
        const std::int64_t count = all_of_them.images.shape()[0], taught = count * 4 / 5;
        const examples train{all_of_them.images(range(0, taught)), all_of_them.classes(range(0, taught))};
        const examples test{all_of_them.images(range(taught, end)), all_of_them.classes(range(taught, end))};
        if (batch > taught) throw error("--batch: there are " + std::to_string(taught) + " images to learn from");
        std::vector<std::int64_t> order(static_cast<std::size_t>(taught));
        std::iota(order.begin(), order.end(), 0);
        network net{{sizes[0], sizes[1], random()}, {sizes[1], sizes[2], random()}, from_host(order, {taught})};

        const std::int64_t batches = taught / batch;
        std::printf("network    %lld-%lld-%lld, %lld images in batches of %lld, %lld to test with\n",
                    static_cast<long long>(sizes[0]), static_cast<long long>(sizes[1]),
                    static_cast<long long>(sizes[2]), static_cast<long long>(taught), static_cast<long long>(batch),
                    static_cast<long long>(count - taught));
        std::printf("kernels    %d a step\n", explain(net.step(train, 0, batch, rate)).launches);
        const graph epoch = capture([&] {
            for (std::int64_t b = 0; b < batches; ++b) net.learn(train, b, batch, rate);
            net.steps += static_cast<float>(batches);
        });
        double first = 0, loss = 0, seconds = 0;
        for (int e = 0; e <= epochs; ++e) {
            if (e > 0) {
                std::shuffle(order.begin(), order.end(), random);
                net.order(all) = from_host(order, {taught});
                synchronize();
                const auto begin = std::chrono::steady_clock::now();
                epoch.launch();
                synchronize();
                seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            }
            loss =
                static_cast<double>(item(cross_entropy(logits_of(train.images, net.hidden, net.last), train.classes)));
            if (e == 0) first = loss;
            std::printf("epoch %3d  loss %.6f  test accuracy %.2f %%\n", e, loss,
                        100 * accuracy(test, net.hidden, net.last));
        }
        std::printf("time       %.1f us a step\n", seconds * 1e6 / static_cast<double>(epochs * batches));
        const bool good = loss < first / 2 && (!digits || epochs < 10 || accuracy(test, net.hidden, net.last) >= 0.96);
        std::printf("check      %s: the loss went from %.4f to %.4f\n", good ? "good" : "WRONG", first, loss);
        return good;
    });
}
