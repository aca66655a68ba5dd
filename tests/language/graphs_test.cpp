// Graphs: recorded work is not executed, and each launch executes it on the arrays' memory; the rules for that memory;
// what cannot be recorded.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <gmock/gmock.h>

#include <optional>

namespace sinter::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class graphs : public on_devices {};

TEST_F(graphs, record_without_doing_and_launch_many_times) {
    array<double, 1> x = {1, 2, 3};
    int calls = 0;
    const graph step = capture([&] {
        ++calls;
        x += 1;
        x *= 2;
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(step.where(), current_device());
    EXPECT_THAT(to_host(x), ElementsAre(1, 2, 3));
    step.launch();
    EXPECT_THAT(to_host(x), ElementsAre(4, 6, 8));
    const graph again = step;
    for (int i = 0; i < 3; ++i) again.launch();
    EXPECT_THAT(to_host(x), ElementsAre(46, 62, 78));
}

TEST_F(graphs, results_have_the_memory_that_launches_write) {
    const naive a = random({20, 30}, 51);
    auto x = to_array<double, 2>(a);
    array<double, 1> sums;
    array<double, 2> unit;
    const graph g = capture([&] {
        const array<double, 2> squares = x * x;  // a temporary of the graph's
        sums = sqrt(sum(squares, axis=1));
        unit = x / norm(x, axis=1, keepdims);
    });
    g.launch();
    const naive norms = map([](double s) { return std::sqrt(s); }, sum_of(map(std::multiplies<>(), a, a), 2));
    expect_equal(sums, norms);
    x *= 3;  // in place: the graph reads it there
    const array<double, 1> kept = sums + 0;
    g.launch();
    expect_equal(sums, map([](double v) { return 3 * v; }, norms));
    expect_equal(kept, norms);
    const naive lengths({20, 1}, norms.values);
    expect_equal(unit, map(std::divides<>(), a, lengths));
}

/// A launch writes results where they shall be, the first one before the kernel of the other reads x.
TEST_F(graphs, results_do_not_take_the_place_of_what_is_read_later) {
    const naive a = random({11}, 52), m = random({11, 13}, 53), n = random({7, 3}, 54);
    auto x = to_array<double, 1>(a);
    const auto rows = to_array<double, 2>(m), others = to_array<double, 2>(n);
    array<double, 2> scaled;
    const graph g = capture([&] { tie(x, scaled) = pack(sum(rows, axis=1) + x, others * sum(x)); });
    g.launch();
    expect_equal(x, map(std::plus<>(), sum_of(m, 2), a));
    expect_equal(scaled, map(std::multiplies<>(), n, naive({7, 3}, std::vector<double>(21, sum_of(a, 1).values[0]))));
}

TEST_F(graphs, keep_the_memory_they_use) {
    std::optional<graph> g;
    array<float, 1> total = {0, 0, 0, 0};
    {
        const array<float, 1> x = {1, 2, 3, 4};
        const array<float, 1> y = x * 10;
        g = capture([&] { total += y + x; });
    }
    for (int i = 0; i < 5; ++i) {  // memory that x and y gave back would be used for these
        const array<float, 1> other = full({4}, -1000.0f);
        g->launch();
        EXPECT_EQ(item(sum(other)), -4000);
    }
    EXPECT_THAT(to_host(total), ElementsAre(55, 110, 165, 220));
    total = array<float, 1>();  // the graph writes on, into memory of its own
    g->launch();
    synchronize();
}

TEST_F(graphs, reductions_split_over_blocks) {
    const naive n = random({1, 20000}, 52);
    const auto x = to_array<double, 2>(n);
    const array<double, 1> before = sum(x, axis=1);
    array<double, 1> s;
    array<double, 2> centred;
    const graph g = capture([&] {
        s = sum(x, axis=1);
        centred = x - mean(x, axis=1, keepdims);
    });
    for (int i = 0; i < 2; ++i) {
        g.launch();
        expect_equal(s, sum_of(n, 2));
        expect_equal(centred, map(std::minus<>(), n, mean_of(n, 2, true)));
        expect_equal(array<double, 1>(sum(x, axis=1)), sum_of(n, 2));
    }
    expect_equal(before, sum_of(n, 2));
}

TEST_F(graphs, run_on_streams) {
    const stream q;
    array<int, 1> x = {1, 2, 3};
    const graph g = capture([&] { x += 1; });
    g.launch(q);
    x *= 10;
    g.launch(q);
    g.launch();
    EXPECT_THAT(to_host(x), ElementsAre(22, 32, 42));
}

TEST_F(graphs, hold_raw_kernels) {
    if (current_device().is_host()) return;
    const raw_kernel twice("extern \"C\" __global__ void twice(float* x, float by) { x[threadIdx.x] *= by; }", "twice");
    array<float, 1> x = {1, 2};
    const graph g = capture([&] { twice(grid{}, block{2}, 0, x, 2.0f); });
    g.launch();
    g.launch();
    EXPECT_THAT(to_host(x), ElementsAre(4, 8));
}

TEST_F(graphs, what_waits_is_refused_in_one_line) {
    array<float, 1> x = {1, 2};
    const graph other = capture([] {});
    other.launch();
    const auto message = [&](auto f) -> std::string {
        try {
            static_cast<void>(capture(f));
        } catch (const error& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            return e.what();
        }
        return "";
    };
    const stream q;
    EXPECT_THAT(message([&] { static_cast<void>(to_host(x + 1)); }), HasSubstr("capture: to_host() and item() cannot"));
    EXPECT_THAT(message([&] { static_cast<void>(item(sum(x))); }), HasSubstr("to_host() and item()"));
    EXPECT_THAT(message([&] { x = array<float, 1>{3, 4}; }), HasSubstr("copies from the host"));
    EXPECT_THAT(message([&] { synchronize(); }), HasSubstr("synchronize()"));
    EXPECT_THAT(message([&] { synchronize(q); }), HasSubstr("synchronize()"));
    EXPECT_THAT(message([&] { const event e; }), HasSubstr("events"));
    EXPECT_THAT(message([&] { x.on(q) = x + 1; }), HasSubstr("streams"));
    EXPECT_THAT(message([&] { other.launch(); }), HasSubstr("launching a graph"));
    EXPECT_THAT(message([&] { static_cast<void>(capture([] {})); }), HasSubstr("in progress in this thread"));
    EXPECT_THROW(static_cast<void>(capture([] { throw 1; })), int);
    x += 1;  // none of it has left the thread recording
    EXPECT_THAT(to_host(x), ElementsAre(2, 3));
}

}  // namespace
}  // namespace sinter::test
