// The network of examples/train_mlp learns on every device, with the same result on all.
#include <examples/support/mlp.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace sinter::test {
namespace {

class training : public on_devices {};

/// The losses before and behind each pass over images that a fixed random network tells apart.
std::vector<double> losses(const device& where) {
    constexpr std::int64_t images = 203, inputs = 21, hidden = 19, classes = 5, batch = 33;
    const mlp::data made = [&] {
        const device_scope on(host());  // what is learned is the same to the bit
        const array<float, 2> x = mlp::with_ones(uniform<float>(random_key(7), {images, inputs}) * 2 - 1);
        return mlp::data{x, argmax(mlp::through(x, mlp::layer(inputs, classes, 8).weights), axis=1)};
    }();
    const device_scope on(where);
    const mlp::data all_of_them{made.images.to(where), made.classes.to(where)};
    mlp::network net{{inputs, hidden, 9}, {hidden, classes, 10}};
    mlp::epoch pass(net, all_of_them, batch, 0.01);
    std::vector<std::int64_t> order(images);
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(11);
    std::vector<double> found;
    for (int e = 0; e < 9; ++e) {
        if (e > 0) {
            std::shuffle(order.begin(), order.end(), random);
            pass.set_order(order);
            pass.run();
        }
        found.push_back(static_cast<double>(item(net.loss(all_of_them))));
    }
    return found;
}

TEST_F(training, follows_the_same_curve_on_every_device) {
    const std::vector<double> here = losses(current_device()), on_host = losses(host());
    for (std::size_t e = 0; e < here.size(); ++e) {
        EXPECT_NEAR(here[e], on_host[e], 1e-4 * on_host[e]) << "behind pass " << e;
    }
    EXPECT_TRUE(std::is_sorted(here.rbegin(), here.rend()));
    EXPECT_LT(here.back(), here.front() / 2);
}

explanation step_of(std::int64_t inputs, std::int64_t hidden, std::int64_t batch) {
    const mlp::data images{zeros<float>({batch, inputs + 1}), zeros<std::int64_t>({batch})};
    const mlp::network net{{inputs, hidden, 1}, {hidden, 10, 2}};
    return explain(net.step(images, full({2}, 0.5F), 0.001));
}

TEST_F(training, is_six_kernels_a_step) {
    EXPECT_EQ(step_of(20, 64, 32).launches, 6);
    EXPECT_EQ(step_of(20, 64, 1024).launches, 6);
    EXPECT_EQ(step_of(784, 128, 32).launches, 6);
}

/// Large layers are multiplied in tiles: forwards, back to the hidden layer, and for the first weights' gradient, in
/// the kernel that updates them.
TEST_F(training, is_made_of_tiled_products) {
    const device_scope on(host());  // of which explain tells what an H200 would run
    const explanation step = step_of(784, 128, 1024);
    ASSERT_EQ(step.launches, 6);
    for (const std::size_t k : {0U, 3U, 4U}) {
        EXPECT_THAT(step.kernels[k].schedule, testing::StartsWith("contraction: ")) << "kernel " << k;
    }
}

}  // namespace
}  // namespace sinter::test
