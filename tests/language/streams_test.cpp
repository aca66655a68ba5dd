// Streams: values with any stream, order between streams, events and copies. The emulated device finds unordered
// accesses to memory.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

namespace sinter::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class streams : public on_devices {};

TEST_F(streams, hand_arrays_to_each_other) {
    const stream a, b;
    const naive n = random({300}, 41);
    const auto x = to_array<float, 1>(n);
    array<float, 1> y, z;
    y.on(a) = x * 2;
    z.on(b) = y + x;                            // b waits for a
    y.on(a) = y + 1;                            // in place or not: a waits for b's reading
    const array<float, 1> sum_of_both = y + z;  // the device's own stream waits for both
    expect_equal(sum_of_both, map([](double v) { return 5 * v + 1; }, n));
    z.on(a) += y;
    z.on(b) -= x;
    z.on(a) *= 2;
    z.on(b) /= 4;
    expect_equal(z, map([](double v) { return (5 * v + 1 - v) / 2; }, n));
}

TEST_F(streams, memory_is_used_again_in_order) {
    const stream q[] = {stream(), stream(), stream()};
    const array<double, 1> x = {1, 2, 3, 4};
    for (int round = 0; round < 30; ++round) {
        array<double, 1> t;
        t.on(q[round % 3]) = x * round;
        array<double, 1> s;
        s.on(q[(round + 1) % 3]) = t * t;  // t goes away while another stream than its own reads it
        t = array<double, 1>();
        EXPECT_THAT(to_host(s),
                    ElementsAre(1.0 * round * round, 4.0 * round * round, 9.0 * round * round, 16.0 * round * round));
    }
}

TEST_F(streams, reductions_split_over_blocks_have_room_of_their_own) {
    const stream a, b;
    const naive n = random({1, 20000}, 42);
    const auto x = to_array<double, 2>(n);
    std::vector<array<double, 1>> sums(6);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].on(i % 2 == 0 ? a : b) = sum(x, axis=1);
    for (const auto& s : sums) expect_equal(s, sum_of(n, 2));
    // and those whose blocks meet
    std::vector<array<double, 2>> shares(4);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i].on(i % 2 == 0 ? a : b) = x - mean(x, axis=1, keepdims);
    const naive expected = map(std::minus<>(), n, mean_of(n, 2, true));
    for (const auto& s : shares) expect_equal(s, expected);
}

TEST_F(streams, copies_go_along) {
    const stream copies, work;
    std::vector<float> sent(100000);
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<float>(i % 1000);
    auto x = from_host(copies, std::span(sent), {sent.size()});
    std::fill(sent.begin(), sent.end(), -1.0f);  // allowed as soon as the call returns
    array<float, 1> y;
    y.on(work) = x + 1;
    const auto got = to_host(copies, y);
    const auto again = to_host(copies, y * 2);
    y.on(work) = y * 0;  // the copies have the values of before
    const auto values = got.wait();
    ASSERT_EQ(values.size(), sent.size());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i % 1000) + 1) << i;
    EXPECT_EQ(again.wait()[999], 2000);
    EXPECT_EQ(to_host(copies, array<int, 1>()).wait().size(), 0u);
}

TEST_F(streams, wait_for_events) {
    const stream a, b;
    array<int, 1> x = {1, 2, 3};
    x.on(a) = x * 5;
    const event done(a);
    b.wait(done);
    x.on(b) = x + 1;
    const event end(b);
    EXPECT_GE(end.seconds_since(done), 0);
    synchronize(b);
    synchronize();
    EXPECT_THAT(to_host(x), ElementsAre(6, 11, 16));
}

TEST_F(streams, scopes_nest) {
    const stream a, b;
    const array<int, 1> x = {1, 2, 3};
    array<int, 1> y, z;
    {
        const stream_scope outer(a);
        y = x + 1;
        {
            const stream_scope inner(b);
            z = y * 2;
        }
        y = y - z;
    }
    EXPECT_THAT(to_host(y), ElementsAre(-2, -3, -4));
    EXPECT_EQ(a.where(), current_device());
}

TEST_F(streams, many_more_than_a_device_has) {
    std::vector<stream> all(70);
    array<int, 1> x = {0};
    for (const stream& q : all) x.on(q) += 1;
    EXPECT_THAT(to_host(x), ElementsAre(70));
}

TEST_F(streams, of_several_threads) {
    const naive n = random({500}, 43);
    const auto x = to_array<double, 1>(n);
    const device here = current_device();
    std::vector<array<double, 1>> results(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < results.size(); ++t)
        threads.emplace_back([&, t] {
            const device_scope on(here);
            const stream q;
            array<double, 1> y = x;
            for (int i = 0; i < 5; ++i) y.on(q) = y + x;
            results[t] = y;
        });
    for (std::thread& t : threads) t.join();
    for (const auto& r : results) expect_equal(r, map([](double v) { return 6 * v; }, n));
}

TEST_F(streams, pointers_are_for_the_present_stream) {
    array<float, 1> x = {1, 2, 3};
    const array<float, 1> copy = x;
    const stream q;
    x.on(q) = x + 1;
    EXPECT_EQ(data(x), x.storage()->data);
    const array<float, 1> shared = x;
    const float* const before = data(shared);
    EXPECT_NE(data(x), before);  // to be written: no longer the copy's
    EXPECT_THAT(to_host(x), ElementsAre(2, 3, 4));
    EXPECT_THAT(to_host(copy), ElementsAre(1, 2, 3));
    array<float, 1> none;
    EXPECT_EQ(data(none), nullptr);
    EXPECT_EQ(native_handle(q) != nullptr, test_device_name() == "cuda");
}

TEST_F(streams, errors) {
    const stream here;
    const array<int, 1> x = {1, 2, 3};
    if (current_device() == host()) return;
    const stream there(host());
    array<int, 1> y;
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(message([&] { y.on(there) = x + 1; }), HasSubstr("on: the stream is of host and an operand on "));
    EXPECT_THAT(message([&] { (void)to_host(there, x).wait(); }), HasSubstr("move it with x.to(device)"));
    EXPECT_THAT(message([&] { there.wait(event(here)); }), HasSubstr("wait for events of the same device"));
}

}  // namespace
}  // namespace sinter::test
