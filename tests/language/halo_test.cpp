// Sharded arrays whose members need elements of one another: slices, shifts, windows and scans along the split axis,
// and gradients, each against the same expression of whole arrays.
#include <gmock/gmock.h>
#include <sinter/convolve.hpp>
#include <tests/language/on_meshes.hpp>
#include <tests/support/message_of.hpp>

namespace sinter::test {
namespace {

SINTER_REDUCTION(last_of_all, same, identity, T(0), y == T(0) ? x : y)

class halos : public on_meshes {};

/// Calls f with the array split along each of its axes, on each mesh.
template <int Rank, class F>
void for_each_split(const std::vector<mesh>& meshes, const array<float, Rank>& x, F f) {
    for (const mesh& m : meshes)
        for (int a = 0; a < Rank; ++a) f(scatter(m, x, axis=a));
}

TEST_F(halos, slices) {
    const auto x = random<float>(shape<2>(13, 6));
    for_each_split(meshes(), x, [&](const auto& s) {
        const auto check = [&](auto f, bool splits = true) {
            sharded<float, decltype(f(s))::rank> r = f(s);
            EXPECT_TRUE(!splits || r.axis() == s.axis());
            expect_same(r, f(x), 0);
        };
        check([](const auto& e) { return e(range(1, end), range(0, -1)) + 1; });
        check([](const auto& e) { return e(range(5, 9), range(1, 4)); });
        check([](const auto& e) { return e(range(0, end, 3), range(1, end, 2)); });
        check([](const auto& e) { return flip(e); });
        check([](const auto& e) { return e * flip(e); });
        check([](const auto& e) { return e(2, all); }, false);
        check([](const auto& e) { return e(-1, all) - e(3, all); }, false);
        check([](const auto& e) { return e(all, 4); }, false);
        check([](const auto& e) { return e - e(range(0, 1), range(5, end)); });
        check([](const auto& e) { return e(range(4, 5), range(2, 3)); }, false);
        check([](const auto& e) { return e(range(7, 7), range(0, 0)); }, false);
    });
}

TEST_F(halos, shifts) {
    const auto x = random<float>(shape<2>(11, 6));
    for_each_split(meshes(), x, [&](const auto& s) {
        for (const int by : emulated() ? std::vector{-1} : std::vector{1, -1, 4, -9, 0}) {
            expect_same(roll(s, by, axis=0), roll(x, by, axis=0), 0);
            expect_same(roll(s, {by, 2}, axis={0, 1}), roll(x, {by, 2}, axis={0, 1}), 0);
        }
        const auto laplacian = [](const auto& u) {
            return roll(u, 1, axis=0) + roll(u, -1, axis=0) + roll(u, 1, axis=1) + roll(u, -1, axis=1) - 4 * u;
        };
        expect_same(laplacian(s), laplacian(x));
        // two steps at once: the halo is twice as wide
        expect_same(laplacian(laplacian(s)), laplacian(laplacian(x)));
    });
}

// Dropping the array that a step read must not wait for the step: the host submits the next ones meanwhile.
TEST_F(halos, steps_do_not_wait_for_the_device) {
    if (!emulated() || is_one_of_several_processes()) GTEST_SKIP() << "only the emulated device counts waits";
    const auto& device = static_cast<const emulate::emulated_device&>(current_device().get());
    for (const mesh& m : meshes()) {
        sharded<float, 1> u = scatter(m, random<float>(shape<1>(24)));
        u = u + roll(u, 1);
        const int before = device.waits();
        for (int i = 0; i < 3; ++i) u = 0.5f * (u + roll(u, 1));
        EXPECT_EQ(device.waits(), before);
    }
}

TEST_F(halos, windows_and_margins) {
    const auto x = random<float>(shape<2>(12, 7));
    const array<float, 2> filter = {{1, 2, 1}, {0, -1, 0.5f}, {3, 1, 2}};
    for_each_split(meshes(), x, [&](const auto& s) {
        const mesh m = s.where();
        expect_same(rolling_sum(s, 3, axis=0), rolling_sum(x, 3, axis=0));
        expect_same(rolling_max(s, 4, axis=1), rolling_max(x, 4, axis=1), 0);
        expect_same(pad(s, {{2, 1}, {0, 3}}, 7.0f), pad(x, {{2, 1}, {0, 3}}, 7.0f), 0);
        if (emulated()) return;
        expect_same(mean(sliding_window(s, {3, 3}), axis={-2, -1}), mean(sliding_window(x, {3, 3}), axis={-2, -1}));
        expect_same(convolve(s, replicate(m, filter), overlap::same), convolve(x, filter, overlap::same));
        expect_same(concat(axis=0, s, s * 2), concat(axis=0, x, x * 2), 0);
        expect_same(concat(axis=1, s, flip(s, axis=1)), concat(axis=1, x, flip(x, axis=1)), 0);
    });
}

TEST_F(halos, reductions_of_what_neighbours_have) {
    const auto x = random<float>(shape<2>(17, 6));
    for_each_split(meshes(), x, [&](const auto& s) {
        const auto roughness = [](const auto& u) { return sum(square(u(range(1, end), all) - u(range(0, -1), all))); };
        expect_same(roughness(s), roughness(x));
        const auto step = [](const auto& u) {
            return max(abs(u(all, range(1, end)) - u(all, range(0, -1))), axis=0);
        };
        expect_same(step(s), step(x), 0);
        expect_same(sum(s(range(0, end, 2), all)), sum(x(range(0, end, 2), all)));
        expect_same(min(s(range(3, 9), range(1, 5)), axis=1), min(x(range(3, 9), range(1, 5)), axis=1), 0);
        array<float, 0> total, rough;
        tie(total, rough) = pack(sum(s), sum(abs(s(range(1, end), all) - s(range(0, -1), all))));
        expect_same(total, sum(x));
        expect_same(rough, sum(abs(x(range(1, end), all) - x(range(0, -1), all))));
    });
}

TEST_F(halos, only_the_halo_goes_over_the_link) {
    if (is_one_of_several_processes()) GTEST_SKIP() << "each process counts what it sends";
    const mesh m = mesh_of(3);
    const auto s = scatter(m, random<float>(shape<2>(30, 8)));
    const std::int64_t before = m.bytes_sent();
    sharded<float, 2> r = roll(s, 1, axis=0) + roll(s, -1, axis=0) - 2 * s;
    EXPECT_EQ(m.bytes_sent() - before, 3 * 2 * 8 * 4);  // a row to each neighbour
}

TEST_F(halos, scans_along_the_split_axis) {
    const auto x = random<float>(shape<2>(11, 4));
    for_each_split(meshes(), x, [&](const auto& s) {
        expect_same(cumsum(s, axis=0), cumsum(x, axis=0));
        expect_same(cumsum(s, axis=0, reverse) * 2, cumsum(x, axis=0, reverse) * 2);
        if (emulated()) return;
        expect_same(cumsum(s, axis=1, exclusive), cumsum(x, axis=1, exclusive));
        expect_same(cumprod(s / 4, axis=0, exclusive, reverse), cumprod(x / 4, axis=0, exclusive, reverse));
        expect_same(scan(max, s, axis=0), scan(max, x, axis=0), 0);
        expect_same(scan(any, s > 4, axis=1), scan(any, x > 4, axis=1), 0);
        expect_same(cumsum(s, axis=0)(range(2, end), all) - cumsum(s * 2, axis=0)(range(0, -2), all),
                    cumsum(x, axis=0)(range(2, end), all) - cumsum(x * 2, axis=0)(range(0, -2), all), 1e-4);
        expect_same(cumsum(s / sum(s * s), axis=0), cumsum(x / sum(x * x), axis=0));
        if (s.axis() == 0) {
            EXPECT_THAT(message_of([&] { static_cast<void>(gather(scan(last_of_all, s, axis=0))); }),
                        testing::HasSubstr("runs along the split axis with a user-defined op"));
        }
    });
    for (const mesh& m : meshes())
        expect_same(cumsum(scatter(m, x(range(0, 2), all)), axis=0), cumsum(x(range(0, 2), all), axis=0));
}

TEST_F(halos, gradients) {
    const auto x = random<float>(shape<2>(12, 5)), y = random<float>(shape<2>(12, 3)),
               w = random<float>(shape<2>(5, 3));
    const auto b = random<float>(shape<1>(3));
    // a layer: the parameters are whole, the batch is split, and their gradients are sums over all of it
    const auto loss = [](const auto& in, const auto& out, const auto& weights, const auto& bias) {
        return mean(square(maximum(matmul(in, weights) + bias, 0) - out));
    };
    for (const mesh& m : meshes()) {
        const auto sx = scatter(m, x), sy = scatter(m, y);
        const auto sw = replicate(m, w);
        const auto sb = replicate(m, b);
        const sharded<float, 2> dw = grad(loss(sx, sy, sw, sb), sw);
        EXPECT_EQ(dw.axis(), -1);
        expect_same(dw, grad(loss(x, y, w, b), w));
        expect_same(grad(loss(sx, sy, sw, sb), sb), grad(loss(x, y, w, b), b));
        const sharded<float, 2> dx = grad(loss(sx, sy, sw, sb), sx);
        EXPECT_EQ(dx.axis(), 0);
        expect_same(dx, grad(loss(x, y, w, b), x));
        if (emulated()) continue;
        const auto smooth = [](const auto& u) { return sum(square(u(range(1, end), all) - u(range(0, -1), all))); };
        expect_same(grad(smooth(sx), sx), grad(smooth(x), x));
        const auto rolled = [](const auto& u) { return sum(roll(u, 3, axis=0) * u * u); };
        expect_same(grad(rolled(sx), sx), grad(rolled(x), x));
        const auto summed = [](const auto& u) { return sum(square(cumsum(u, axis=0))); };
        expect_same(grad(summed(sx), sx), grad(summed(x), x), 1e-4);
    }
}

}  // namespace
}  // namespace sinter::test
