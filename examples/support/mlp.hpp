// A classifier with one hidden layer, and its training step: forward pass, backward pass and Adam as one pack. Its
// arrays are `array` on one device and `sharded` on several.
#pragma once

#include <sinter.hpp>

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace mlp {

using namespace sinter;

/// Appends a column of ones, whose weights are the biases.
auto with_ones(const auto& x) { return pad(x, {{0, 0}, {0, 1}}, 1.0F); }

/// One image per row followed by a column of ones, and the class of each.
template <class Matrix, class Classes>
struct data_of {
    Matrix images;
    Classes classes;

    data_of rows(std::int64_t from, std::int64_t to) const {
        return {images(range(from, to)), classes(range(from, to))};
    }
};
using data = data_of<array<float, 2>, array<std::int64_t, 1>>;

/// A layer's weights (a row per input, and one for the bias), and Adam's averages of gradients and their squares.
template <class Matrix>
struct layer_of {
    Matrix weights, mean, square;

    explicit layer_of(Matrix w) : weights(w), mean(0.0F * w), square(0.0F * w) {}
    layer_of(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed)
        : layer_of(uniform<float>(random_key(seed), {inputs + 1, outputs}) * 2 - 1) {
        weights *= std::sqrt(1.5 / static_cast<double>(inputs));
    }
};
using layer = layer_of<array<float, 2>>;

/// Matrix product of x and w. Written as a sum, it fuses with the operations before and after.
auto through(const auto& x, const auto& w) { return sum(x(all, all, newaxis) * w, axis=1_c); }

auto logits_of(const auto& images, const auto& hidden, const auto& last) {
    return through(with_ones(relu(through(images, hidden.weights))), last.weights);
}

/// The mean of -log p(class) over the images, where p is the softmax of the logits.
auto cross_entropy(const auto& logits, const auto& classes) {
    return let(logits, [&](const auto& z) {
        const auto is_class = classes(all, newaxis) == arange(z.shape()[1]);
        return mean(logsumexp(z, axis=1_c) - sum(where(is_class, z, 0), axis=1_c));
    });
}

/// Adam's update of a layer: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015,
/// https://arxiv.org/abs/1412.6980, algorithm 1, with its defaults. `unbiased` holds 1 - 0.9^t and 1 - 0.999^t.
auto adam(const auto& l, const auto& gradient, const auto& unbiased, double rate) {
    const auto mean = [&](const auto& g) { return 0.9 * l.mean + 0.1 * g; };
    const auto square = [&](const auto& g) { return 0.999 * l.square + 0.001 * g * g; };
    const auto weights = [&](const auto& g) {
        return l.weights - rate * (mean(g) / unbiased(0)) / (sqrt(square(g) / unbiased(1)) + 1e-8);
    };
    return std::tuple(let(gradient, weights), let(gradient, mean), let(gradient, square));
}

template <class Matrix>
struct network_of {
    layer_of<Matrix> hidden, last;

    auto logits(const auto& images) const { return logits_of(images, hidden, last); }
    auto loss(const auto& of) const { return cross_entropy(logits(of.images), of.classes); }
    auto accuracy(const auto& of) const { return mean(argmax(logits(of.images), axis=1_c) == of.classes); }

    /// All updates from one batch, as one pack.
    auto step(const auto& batch, const auto& unbiased, double rate) const {
        const auto l = loss(batch);
        auto [w1, m1, s1] = adam(hidden, grad(l, hidden.weights), unbiased, rate);
        auto [w2, m2, s2] = adam(last, grad(l, last.weights), unbiased, rate);
        return pack(w1, m1, s1, w2, m2, s2);
    }
    void learn(const auto& batch, const auto& unbiased, double rate) {
        tie(hidden.weights, hidden.mean, hidden.square, last.weights, last.mean, last.square) =
            step(batch, unbiased, rate);
    }
};
using network = network_of<array<float, 2>>;

/// A pass over all images in batches, as one graph. It skips the images after the last full batch.
class epoch {
public:
    /// The network and the images must outlive this object; each run changes the network's arrays.
    epoch(network& net, const data& from, std::int64_t batch, double rate) : order_(arange(from.classes.size())) {
        const std::int64_t batches = from.classes.size() / batch;
        work_ = capture([&] {
            const data shuffled{take(from.images, order_, axis=0), take(from.classes, order_)};
            const array<float, 2> unbiased = 1 - pow(decays_(all, newaxis), steps_ + 1 + arange(batches));
            for (std::int64_t b = 0; b < batches; ++b)
                net.learn(shuffled.rows(b * batch, (b + 1) * batch), unbiased(all, b), rate);
            steps_ += static_cast<float>(batches);
        });
    }

    /// Sets the order of the images: a permutation of their indices.
    void set_order(const std::vector<std::int64_t>& order) { order_(all) = from_host(order, {order_.size()}); }
    /// Does not wait.
    void run() const { work_->launch(); }

private:
    array<std::int64_t, 1> order_;
    array<float, 1> steps_ = zeros<float>({1});  ///< before this pass
    const array<float, 1> decays_ = {0.9F, 0.999F};
    std::optional<graph> work_;
};

}  // namespace mlp
