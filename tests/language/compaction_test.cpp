// Selection by masks in one pass: operands of any form, the memory of the results, and what is left of it.
#include <sinter/debug.hpp>
#include <sinter/masks.hpp>
#include <sinter/memory.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class compaction : public on_devices {};

TEST_F(compaction, of_views_and_expressions) {
    const naive x = random_integers({9001}, 11, -50, 50);
    const array<int, 1> a = to_array<int, 1>(x);
    std::vector<int> wanted, backwards;
    for (const double v : x.values)
        if (v > 3) wanted.push_back(static_cast<int>(3 * v + 1));
    for (std::size_t i = x.values.size(); i-- > 1;)
        if (x.values[i] > 3) backwards.push_back(static_cast<int>(x.values[i - 1]));
    EXPECT_EQ(to_host(extract(a > 3, 3 * a + 1)), wanted);
    EXPECT_EQ(to_host(array<int, 1>((3 * a + 1)(a > 3))), wanted);
    EXPECT_EQ(to_host(compress(a > 3, 3 * a + 1, axis=0)), wanted);
    const auto reversed = flip(a);
    EXPECT_EQ(to_host(extract(reversed(range(0, 9000)) > 3, reversed(range(1, 9001)))), backwards);
    array<int, 1> own = to_array<int, 1>(x);
    own = own(own > 3);
    EXPECT_EQ(to_host(3 * own + 1), wanted);
    EXPECT_EQ(to_host(extract(a > 99, 3 * a)), std::vector<int>());
    EXPECT_EQ(to_host(extract(a > -99, a + 0)), to_host(a));
    EXPECT_EQ(to_host(extract(zeros<bool>({0}), zeros<int>({0}))), std::vector<int>());
    const array<double, 2> rows = to_array<double, 2>(test::random({3, 2000}, 12));
    const array<bool, 1> odd = arange<int>(2000) % 2 == 1;
    EXPECT_EQ(to_host(extract(broadcast_to(odd, {3, 2000}), rows)), to_host(rows(all, range(1, 2000, 2))));
}

TEST_F(compaction, are_computed_by_the_kernel_that_stores_what_they_choose) {
    if (!emulated()) return;
    const array<float, 1> x = arange<float>(9000);
    synchronize();
    const auto& on = dynamic_cast<emulate::emulated_device&>(current_device().get());
    const auto launches_of = [&](const auto& evaluate) {
        const int before = on.launches();
        evaluate();
        return on.launches() - before;
    };
    EXPECT_EQ(launches_of([&] { (void)extract(x > 2000, x); }), 1);
    EXPECT_EQ(launches_of([&] { (void)extract(2 * x > 4000, sqrt(x)); }), 1);
    EXPECT_EQ(launches_of([&] { (void)flatnonzero(x > 2000); }), 1);
}

TEST_F(compaction, keep_memory_that_they_fill_by_a_third) {
    const array<float, 1> x = arange<float>(100000);
    EXPECT_EQ(extract(x >= 66000, x).storage()->reserved, 4U * 100000);
    EXPECT_EQ(extract(x >= 67000, x).storage()->reserved, 4U * 33000);
    EXPECT_EQ(flatnonzero(x >= 67000).storage()->reserved, 8U * 33000);
    array<float, 1> most = extract(x >= 40000, x);
    EXPECT_EQ(most.storage()->bytes, 4U * 60000);
    const array<float, 1> before = most;
    most += 1;
    EXPECT_EQ(item(sum(most - before)), 60000);
    EXPECT_EQ(item(before(-1)), 99999);
}

TEST_F(compaction, without_memory_for_all_elements) {
    if (emulated()) return;  // which has no pool
    memory_pool memory;
    const array<std::int8_t, 1> x = astype<std::int8_t>(arange<int>(1000000) % 100 == 7);
    synchronize();
    memory.set_limit(memory.used_bytes() + (std::size_t{2} << 20));
    EXPECT_THROW((array<std::int64_t, 1>(shape<1>(1000000))), out_of_memory);
    const array<std::int64_t, 1> found = flatnonzero(x);
    memory.set_limit(0);
    EXPECT_EQ(to_host(found), to_host(arange<std::int64_t>(10000) * 100 + 7));
}

TEST_F(compaction, whose_results_are_searched_for_nans) {
    { const array<float, 1> left = full({5000}, static_cast<float>(NaN)); }  // in memory that may be used again
    const array<float, 1> x = arange<float>(5000) - 2500.f;
    const debug_scope checked({.nan = true});
    EXPECT_EQ(extract(x > 0, sqrt(x)).size(), 2499);
    EXPECT_EQ(extract(x > 1000, x).size(), 1499);
}

}  // namespace
}  // namespace sinter::test
