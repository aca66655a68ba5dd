// A training step as in examples/train_mlp, recorded once and launched as a graph: INPUTSxHIDDENxCLASSESxBATCH.
#include <bench/runtime/cases/expression.hpp>
#include <examples/support/mlp.hpp>

#include <cmath>
#include <optional>

namespace bench {
namespace {

using namespace sinter;

/// A network in its initial state, to which it can be reset.
struct trained {
    const array<float, 2> weights_1, weights_2;
    mlp::network net{mlp::layer(weights_1), mlp::layer(weights_2)};

    void start_again() {
        for (auto [layer, weights] : {std::pair(&net.hidden, &weights_1), std::pair(&net.last, &weights_2)}) {
            layer->weights(all) = *weights;
            layer->mean(all) = 0.F;
            layer->square(all) = 0.F;
        }
    }
};

/// Samples Adam's mean of the hidden layer's gradient after the first step: a tenth of the gradient.
const registration step("mlp_step.float32", [](const trial& t) {
    const auto e = t.extents<4>();
    const std::int64_t inputs = e[0], hidden = e[1], classes = e[2], batch = e[3];
    const mlp::data images{mlp::with_ones(operands<float>(t, 0, shape<2>(batch, inputs))[0]),
                           arange(batch) * 7 % classes};
    trained now{operands<float>(t, 1, shape<2>(inputs + 1, hidden))[0],
                operands<float>(t, 2, shape<2>(hidden + 1, classes))[0]};
    const array<float, 1> unbiased = {0.1F, 0.001F};
    const auto told = explain(now.net.step(images, unbiased, 0.001));
    now.start_again();  // the states have memory of their own
    std::optional<graph> recorded;
    std::vector<array<float, 2>> results(1);
    device_clock clock;
    report r;
    r.launches = told.launches;
    recorded = capture([&] { now.net.learn(images, unbiased, 0.001); });
    r.time = time_calls(clock, 1, t.once, [&](std::size_t) { recorded->launch(); });
    now.start_again();
    recorded->launch();
    sample(r, to_host(now.net.hidden.mean));
    print(t, r);
});

}  // namespace
}  // namespace bench
