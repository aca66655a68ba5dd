// A classifier with one hidden layer, and a step of its training: forward, backward and Adam as one pack.
#pragma once

#include <sinter.hpp>

#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace mlp {

using namespace sinter;

/// A column of ones behind the last: what it is multiplied by is a bias.
auto with_ones(const auto& x) { return pad(x, {{0, 0}, {0, 1}}, 1.0F); }

/// Images, a row each and a column of ones behind, and the class of each.
struct data {
    array<float, 2> images;
    array<std::int64_t, 1> classes;

    data rows(std::int64_t from, std::int64_t to) const { return {images(range(from, to)), classes(range(from, to))}; }
};

/// A layer's weights, a row an input and one for the bias, and Adam's means of their gradients and of the squares.
struct layer {
    array<float, 2> weights, mean, square;

    explicit layer(array<float, 2> w) : weights(w), mean(0.0F * w), square(0.0F * w) {}
    layer(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed)
        : layer(uniform<float>(random_key(seed), {inputs + 1, outputs}) * 2 - 1) {
        weights *= std::sqrt(1.5 / static_cast<double>(inputs));
    }
};

/// x times w. Written as a sum, it is one kernel with what comes before and after.
auto through(const auto& x, const auto& w) { return sum(x(all, all, newaxis) * w, axis=1_c); }

auto logits_of(const auto& images, const layer& hidden, const layer& last) {
    return through(with_ones(relu(through(images, hidden.weights))), last.weights);
}

/// The mean of -log p(class) over the images, where p is the softmax of the logits.
auto cross_entropy(const auto& logits, const auto& classes) {
    return let(logits, [&](const auto& z) {
        const auto is_class = classes(all, newaxis) == arange(z.shape()[1]);
        return mean(logsumexp(z, axis=1_c) - sum(where(is_class, z, 0), axis=1_c));
    });
}

/// What a step of Adam makes of a layer: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015,
/// https://arxiv.org/abs/1412.6980, algorithm 1, with its defaults. `unbiased` holds 1 - 0.9^t and 1 - 0.999^t.
auto adam(const layer& l, const auto& gradient, const auto& unbiased, double rate) {
    const auto mean = [&](const auto& g) { return 0.9 * l.mean + 0.1 * g; };
    const auto square = [&](const auto& g) { return 0.999 * l.square + 0.001 * g * g; };
    const auto weights = [&](const auto& g) {
        return l.weights - rate * (mean(g) / unbiased(0)) / (sqrt(square(g) / unbiased(1)) + 1e-8);
    };
    return std::tuple(let(gradient, weights), let(gradient, mean), let(gradient, square));
}

struct network {
    layer hidden, last;

    auto logits(const auto& images) const { return logits_of(images, hidden, last); }
    auto loss(const data& of) const { return cross_entropy(logits(of.images), of.classes); }
    auto accuracy(const data& of) const { return mean(argmax(logits(of.images), axis=1_c) == of.classes); }

    /// All that one batch changes, as one pack.
    auto step(const data& batch, const auto& unbiased, double rate) const {
        const auto l = loss(batch);
        auto [w1, m1, s1] = adam(hidden, grad(l, hidden.weights), unbiased, rate);
        auto [w2, m2, s2] = adam(last, grad(l, last.weights), unbiased, rate);
        return pack(w1, m1, s1, w2, m2, s2);
    }
    void learn(const data& batch, const auto& unbiased, double rate) {
        tie(hidden.weights, hidden.mean, hidden.square, last.weights, last.mean, last.square) =
            step(batch, unbiased, rate);
    }
};

/// A pass over all images in batches, as one graph. What is left over at its end has its turn in another pass.
class epoch {
public:
    /// The network and the images must outlive this; the network's arrays change with each run.
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

    /// Sets the order of the images, a permutation of their numbers.
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
