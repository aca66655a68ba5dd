// One expression type evaluated by many threads concurrently, with equal and with different shapes.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <atomic>
#include <thread>

namespace sinter::test {
namespace {

class threads : public on_devices {
protected:
    /// Runs f(thread) in several threads that start together, on the device under test.
    template <class F>
    void at_once(F f) {
        const device d = *test_device();
        std::atomic<int> waiting{thread_count};
        std::vector<std::thread> all;
        for (int t = 0; t < thread_count; ++t)
            all.emplace_back([&, t] {
                const device_scope on(d);
                --waiting;
                while (waiting > 0) std::this_thread::yield();
                f(t);
            });
        for (std::thread& t : all) t.join();
    }

    static constexpr int thread_count = 8;
};

TEST_F(threads, one_expression_many_shapes) {
    const int rounds = emulated() ? 2 : 20;
    at_once([&](int t) {
        for (int round = 0; round < rounds; ++round) {
            const std::int64_t n = 1 + (t * 37 + round * 11) % 100;
            const array<double, 2> x = broadcast_to(t + 1.0, {n, std::int64_t{7}});
            const array<double, 1> sums = sum(x * x, axis=1);
            const std::vector<double> expected(static_cast<std::size_t>(n), 7.0 * (t + 1) * (t + 1));
            EXPECT_EQ(to_host(sums), expected);
        }
    });
}

TEST_F(threads, one_shared_operand) {
    const naive a = random({50, 31}, 90);
    const auto x = to_array<double, 2>(a);
    const auto e = x - mean(x, axis=1, keepdims);
    const naive expected = map(std::minus<>(), a, mean_of(a, 2, true));
    at_once([&](int) {
        for (int round = 0; round < 5; ++round) {
            auto own = x;  // a share: writing to it leaves x alone
            own = e;
            own += 1;
            expect_equal(own - 1, expected);
        }
    });
    expect_equal(x, a);
}

TEST_F(threads, one_first_evaluation) {
    const array<float, 1> x = {1, 2, 3, 4, 5};
    // no thread has evaluated this type before: all threads meet at its empty slot
    at_once([&](int) { EXPECT_EQ(item(sum(square(square(square(x)) - x) * 0)), 0); });
}

}  // namespace
}  // namespace sinter::test
