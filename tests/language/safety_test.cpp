// Hazards that value semantics must exclude: results that overwrite unread operands, destroyed operands, shared buffers
// written by two arrays, arrays without elements or without storage in every function.
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include <unistd.h>

namespace sinter::test {
namespace {

class safety : public on_devices {
protected:
    /// Larger than what the host or a block of threads takes at once, so that writing too early shows.
    static std::int64_t large() { return emulated() ? 48 : 400; }
};

TEST_F(safety, results_are_not_written_over_what_other_elements_read) {
    const std::int64_t n = large();
    const naive a = random({n, n}, 1);
    const auto check = [&](auto assign, auto expected_at) {
        auto x = to_array<double, 2>(a);
        assign(x);
        naive expected(index{n, n});
        for_each_index({n, n}, [&](const index& i) { expected[i] = expected_at(i[0], i[1]); });
        expect_equal(x, expected, 1e-10);
    };
    const auto at = [&](std::int64_t i, std::int64_t j) { return a[{i, j}]; };
    check([](auto& x) { x = x + transpose(x); }, [&](auto i, auto j) { return at(i, j) + at(j, i); });
    check([](auto& x) { x += transpose(x); }, [&](auto i, auto j) { return at(i, j) + at(j, i); });
    check([](auto& x) { x = flip(x, axis=0); }, [&](auto i, auto j) { return at(n - 1 - i, j); });
    check([](auto& x) { x -= flip(x, axis=1); }, [&](auto i, auto j) { return at(i, j) - at(i, n - 1 - j); });
    check([](auto& x) { x += x(0); }, [&](auto i, auto j) { return at(i, j) + at(0, j); });
    check([](auto& x) { x *= x(all, range(-1, end)); }, [&](auto i, auto j) { return at(i, j) * at(i, n - 1); });
    check([](auto& x) { x -= x(0, 0); }, [&](auto i, auto j) { return at(i, j) - at(0, 0); });
    check([](auto& x) { x = where(x > 0, flip(transpose(x), axis=0), x); },
          [&](auto i, auto j) { return at(i, j) > 0 ? at(j, n - 1 - i) : at(i, j); });
    check([](auto& x) { x = x + max(x); },
          [&, most = *std::max_element(a.values.begin(), a.values.end())](auto i, auto j) { return at(i, j) + most; });
    check(
        [&](auto& x) {  // a share of x through another name, whose view moves by one
            const auto y = x;
            x(0, 0);
            x = x + flip(y, axis=0);
        },
        [&](auto i, auto j) { return at(i, j) + at(n - 1 - i, j); });
}

TEST_F(safety, shifts_of_one_array) {
    const std::int64_t n = 40 * large();
    const naive a = random({n}, 2);
    auto x = to_array<double, 1>(a);
    x = x(range(1, end)) - x(range(0, -1));
    naive expected(index{n - 1});
    for (std::int64_t i = 0; i + 1 < n; ++i) expected[{i}] = a[{i + 1}] - a[{i}];
    expect_equal(x, expected);
}

TEST_F(safety, assignment_to_itself) {
    const naive a = random({33}, 3);
    auto x = to_array<double, 1>(a);
    auto& same = x;
    x = same;
    expect_equal(x, a);
    x = std::move(same);  // as std::swap and std::sort may do
    expect_equal(x, a);
    std::swap(x, same);
    expect_equal(x, a);
    x = std::move(same) + 0;
    expect_equal(x, a);
    x -= same;
    expect_equal(x, naive(index{33}));
}

TEST_F(safety, expressions_outlive_their_operands) {
    const naive a = random({20, 30}, 4);
    const auto row_of = [](const array<double, 2>& x) { return x(3, range(0, end, 2)); };
    const auto nested = [&] {
        const auto x = to_array<double, 2>(a);
        const auto part = row_of(x * 2);
        const auto more = part + broadcast_to(item(sum(x)), {15});
        return more - part(0);
    };
    auto e = nested();
    const auto noise = to_array<double, 2>(random({20, 30}, 5));  // takes up memory that was let go
    double total = 0;
    for (double v : a.values) total += v;
    naive expected(index{15});
    for (std::int64_t i = 0; i < 15; ++i) expected[{i}] = 2 * a[{3, 2 * i}] + total - 2 * a[{3, 0}];
    expect_equal(e, expected, 1e-10);
    std::vector<decltype(e)> kept(3, e);
    e = nested();
    kept.erase(kept.begin());
    expect_equal(kept.back() + 0 * sum(noise), expected, 1e-10);
}

TEST_F(safety, an_expression_that_was_moved_from_says_so) {
    const array<float, 1> x = {1, 2, 3};
    auto e = x * 2;
    const auto taken = std::move(e) + 1;
    EXPECT_EQ(to_host(taken), (std::vector<float>{3, 5, 7}));
    EXPECT_THROW((void)to_host(e), error);  // NOLINT: that is what this test is about
    EXPECT_THROW((void)(array<float, 1>(e + 1)), error);
    EXPECT_THROW((void)explain(e), error);
    EXPECT_THROW((void)source(e), error);
    e = x * 4;
    EXPECT_EQ(to_host(e), (std::vector<float>{4, 8, 12}));
}

template <class E, class S>
void expect_empty(const E& e, const S& extents) {
    EXPECT_EQ(e.shape(), extents);
    EXPECT_TRUE(to_host(e).empty());
}

/// Expressions of an array of rank 2 without elements that have its shape.
template <class A>
void use_empty_elementwise(A& a) {
    const auto same = [extents = a.shape()](const auto& e) { expect_empty(e, extents); };
    same(a);
    same(a + 1);
    same(2 * a - a);
    same(exp(a));
    same(where(a > 0, a, 0));
    same(clip(a, -1, 1));
    same(astype<int>(a));
    same(flip(a, axis=0));
    same(transpose(transpose(a)));
    same(a(all, all));
    same(broadcast_to(a, a.shape()));
    same(copy(a));
    same(a.to(host()).to(current_device()));
    same(a - sum(a, axis=1, keepdims));
    same(a - mean(a, axis=1, keepdims));
}

template <class A>
void use_empty_in_reductions(A& a) {
    const auto extents = a.shape();
    EXPECT_EQ(item(sum(a)), 0);
    EXPECT_EQ(item(prod(a)), 1);
    EXPECT_EQ(item(any(a > 0)), false);
    EXPECT_EQ(item(all(a > 0)), true);
    EXPECT_EQ(item(norm(a)), 0);
    EXPECT_EQ(item(count_nonzero(a)), 0);
    EXPECT_TRUE(std::isnan(item(mean(a))));
    EXPECT_TRUE(std::isnan(item(var(a))));
    EXPECT_THROW((void)item(max(a)), error);
    const auto sums = to_host(sum(a, axis=0));
    EXPECT_EQ(sums, std::vector<float>(static_cast<std::size_t>(extents[1])));
    EXPECT_EQ(to_host(sum(a, axis=1)).size(), static_cast<std::size_t>(extents[0]));
    array<float, 2> doubled;
    array<float, 1> sums_of_rows = {7, 7, 7};
    tie(doubled, sums_of_rows) = pack(2 * a, sum(a, axis=1));
    expect_empty(doubled, extents);
    EXPECT_EQ(to_host(sums_of_rows), std::vector<float>(static_cast<std::size_t>(extents[0])));
}

template <class A>
void update_empty(A& a) {
    const auto same = [extents = a.shape()](const auto& e) { expect_empty(e, extents); };
    a(all, all) = 1;
    same(a);
    a += 1;
    same(a);
    a *= a;
    same(a);
    a = static_cast<const A&>(a);
    same(a);
    (void)data(a);
    same(a);
}

/// All functions that take an array, on one of rank 2 without elements.
template <class A>
void use_empty(A& a, const std::string& path) {
    const auto extents = a.shape();
    EXPECT_EQ(extents.size(), 0);
    use_empty_elementwise(a);
    use_empty_in_reductions(a);
    EXPECT_EQ(to_string(a), "[]");
    EXPECT_TRUE(a.host_view().empty());
    EXPECT_FALSE(explain(a + 1).text().empty());
    save_npy(path, a);
    expect_empty(load_npy<float, 2>(path), extents);
    expect_empty(map_npy<float, 2>(path), extents);
    save_npz(path, {{"a", a}});
    expect_empty(load_npz<float, 2>(path, "a"), extents);
    update_empty(a);
    if (extents[0] <= 1 && extents[1] <= 1) expect_empty(a + array<float, 2>{{1}}, extents);
}

TEST_F(safety, arrays_without_elements_in_every_function) {
    const std::string path = testing::TempDir() + "sinter-safety-" + std::to_string(::getpid()) + ".npy";
    for (const shape<2>& extents : {shape<2>(0, 0), shape<2>(0, 3), shape<2>(4, 0), shape<2>(1, 0), shape<2>(0, 1)}) {
        SCOPED_TRACE(to_string(extents));
        array<float, 2> a(extents);
        use_empty(a, path);
    }
    array<float, 2> never_given;
    use_empty(never_given, path);
    array<float, 2> moved_from = {{1, 2}, {3, 4}};
    const auto taken = std::move(moved_from);
    use_empty(moved_from, path);  // NOLINT: that is what this test is about
    EXPECT_EQ(to_host(taken), (std::vector<float>{1, 2, 3, 4}));
    std::filesystem::remove(path);
}

TEST_F(safety, arrays_of_rank_0_without_a_value_say_so) {
    array<double, 0> none;
    EXPECT_THROW((void)item(none + 1), error);
    EXPECT_THROW((void)item(none), error);
    EXPECT_THROW((void)to_string(none), error);
    EXPECT_THROW(save_npy("/tmp/never-written.npy", none), error);
    EXPECT_THROW(none += 1, error);
    EXPECT_TRUE(to_host(none).empty());
    none = sum(array<double, 1>{1, 2});
    EXPECT_EQ(item(none), 3);
}

TEST_F(safety, shares_are_written_by_one_alone_in_many_threads) {
    constexpr int count = 8;
    const int rounds = emulated() ? 3 : 200;
    const naive a = random({257}, 6);
    const auto shared = to_array<double, 1>(a);
    const auto e = 3 * shared;
    std::atomic<int> waiting{count};
    std::vector<std::thread> all_threads;
    const device d = current_device();
    for (int t = 0; t < count; ++t)
        all_threads.emplace_back([&, t] {
            const device_scope on(d);
            --waiting;
            while (waiting > 0) std::this_thread::yield();
            for (int round = 0; round < rounds; ++round) {
                auto own = shared;       // one share more
                own += t;                // a copy: the others must not see it
                own += t;                // in place
                const auto later = own;  // and again not
                own = e;
                own *= 2;
                ASSERT_EQ(later.host_view()(256), a.values[256] + 2 * t);
                ASSERT_EQ(own.host_view()(0), 2 * (3 * a.values[0]));
                ASSERT_EQ(shared.host_view()(17), a.values[17]);
            }
        });
    for (std::thread& t : all_threads) t.join();
    expect_equal(shared, a);
    EXPECT_EQ(shared.storage()->references.load(), 2);  // `shared` and `e`
}

}  // namespace
}  // namespace sinter::test
