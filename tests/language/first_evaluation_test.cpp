// First evaluations compile the kernels of one evaluation, and the variants of a schedule, concurrently.
#include <tests/language/fresh_cache.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>
#include <tests/language/places.hpp>

#include <algorithm>
#include <functional>
#include <thread>

namespace sinter::test {
namespace {

class first_evaluation : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (emulated()) counting().set_compile_one_in(1);
    }
    static emulate::emulated_device& counting() {
        return static_cast<emulate::emulated_device&>(current_device().get());
    }
    /// Of the emulated device; elsewhere nothing counts them.
    static void expect_compiled(int least, int before) {
        if (!emulated()) return;
        EXPECT_GE(counting().compilations() - before, least);
        const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
        const int most = counting().max_compilations_at_once();
        EXPECT_LE(most, cores);
        EXPECT_GE(most, std::min(cores, 2)) << "one after the other";
    }
    static int compilations() { return emulated() ? counting().compilations() : 0; }
};

TEST_F(first_evaluation, compiles_its_kernels_at_once) {
    const naive a = random({13, 37}, 62);
    const auto x = to_array<double, 2>(a);
    const int before = compilations();
    const auto e = x - mean(x, axis=0, keepdims);
    const auto f = e - mean(e, axis=1, keepdims);
    const array<double, 2> y = f - mean(f * f, axis=0, keepdims);
    const auto centred = [](const naive& v, int axes) { return map(std::minus<>(), v, mean_of(v, axes, true)); };
    const naive g = centred(centred(a, 1), 2);
    expect_equal(y, map(std::minus<>(), g, mean_of(map([](double v) { return v * v; }, g), 1, true)));
    expect_compiled(3, before);
}

TEST_F(first_evaluation, compiles_the_variants_of_a_schedule_at_once) {
    const naive a = random({9, 130}, 64);
    const auto x = to_array<double, 2>(a);
    const tuning_scope tuned;
    const int before = compilations();
    expect_equal(array<double, 1>(sum(x * 1.5, axis=1)), sum_of(map([](double v) { return v * 1.5; }, a), 2));
    expect_compiled(2, before);
}

/// So many places that they are not an expression on devices.
TEST_F(first_evaluation, compiles_what_writes_at_places_at_once) {
    constexpr std::int64_t extent = 4099;
    const naive x = random({extent}, 65), v = random({5003}, 66);
    const auto places = random_places(extent, v.values.size(), 67);
    const auto i = to_indices<int>(places);
    auto a = to_array<double, 1>(x);
    const auto b = to_array<double, 1>(v);
    int before = compilations();
    at(a, i) += b;
    expect_equal(a, with_added(x, places, 0, v));
    expect_compiled(4, before);
    a = to_array<double, 1>(x);
    before = compilations();
    at(a, i) = b;
    expect_equal(a, with_put(x, places, 0, v));
    expect_compiled(2, before);
}

}  // namespace
}  // namespace sinter::test
