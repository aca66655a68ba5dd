// Evaluations cancelled before they start and while they run: they throw, and the target keeps its value.
#include <sinter/cancel.hpp>
#include <sinter/masks.hpp>
#include <sinter/searchsorted.hpp>
#include <sinter/sort.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <atomic>
#include <functional>
#include <stop_token>

namespace cancel_test {

inline std::atomic<std::int64_t> elements{0}, stop_at{-1};
inline std::stop_source* source = nullptr;

/// Requests a stop when it has seen so many elements.
inline double counted(double x) {
    if (++elements == stop_at) source->request_stop();
    return x;
}

}  // namespace cancel_test

SINTER_UNARY(counted_identity, floating, T(cancel_test::counted(double(x))));

namespace sinter::test {
namespace {

using assignment = std::function<void(array<double, 2>& y, array<double, 1>& v)>;

class cancelling : public on_devices {
protected:
    /// Whether an assignment throws `cancelled` in the scope of a token, and leaves its targets alone.
    static void expect_cancelled(const std::stop_token& token, const assignment& assign) {
        array<double, 2> y = full({2000, 1500}, 2.0);
        array<double, 1> v = full({2000}, 3.0);
        const auto y_before = to_host(y);
        const auto v_before = to_host(v);
        {
            const cancel_scope scope(token);
            EXPECT_THROW(assign(y, v), cancelled);
        }
        EXPECT_EQ(to_host(y), y_before);
        EXPECT_EQ(to_host(v), v_before);
    }
};

TEST_F(cancelling, before_it_begins) {
    std::stop_source source;
    source.request_stop();
    const auto check = [&](const assignment& assign) { expect_cancelled(source.get_token(), assign); };
    check([](auto& y, auto&) { y += 1.0; });
    check([](auto& y, auto&) { y(all, 3) = 7.0; });
    check([](auto& y, auto& v) { tie(y, v) = pack(y * 2.0, v + 1.0); });
    check([](auto& y, auto& v) { v = sum(y, axis=1); });
    const array<int, 1> places = {1, 2};
    check([&](auto&, auto& v) { at(v, places) += v(range(0, 2)); });
}

TEST_F(cancelling, says_nothing_without_a_request) {
    std::stop_source source;
    const cancel_scope scope(source.get_token());
    array<double, 2> y = full({6, 5}, 2.0);
    y += 1.0;
    y(all, 3) = y(all, 2) * 2.0;
    array<double, 1> v = sum(y, axis=1);
    v(range(1, 3)) = 0.5;
    EXPECT_EQ(to_host(y)[3], 6.0);
    EXPECT_EQ(to_host(v), (std::vector<double>{18, 0.5, 0.5, 18, 18, 18}));
    std::vector<double> memory(30, 1.0);
    if (current_device().is_host()) {
        array<double, 2> outside = wrap(memory.data(), {6, 5});
        outside = y * 1.0;
        EXPECT_EQ(memory[3], 6.0);
    }
}

TEST_F(cancelling, the_innermost_scope_counts) {
    std::stop_source outer, inner;
    outer.request_stop();
    const cancel_scope scope(outer.get_token());
    array<double, 1> v;
    {
        const cancel_scope other(inner.get_token());
        v = arange(3.0);
    }
    EXPECT_THROW(v = v + 1.0, cancelled);
    EXPECT_EQ(v.size(), 3);
}

TEST_F(cancelling, in_its_midst) {
    if (!current_device().is_host()) return;  // which alone calls the function below
    const auto check = [&](const assignment& assign) {
        std::stop_source source;
        cancel_test::source = &source;
        cancel_test::elements = 0;
        cancel_test::stop_at = 20000;
        expect_cancelled(source.get_token(), assign);
        EXPECT_GE(cancel_test::elements, 20000);
        EXPECT_LT(cancel_test::elements, 2900000) << "it goes on to its end";
        cancel_test::stop_at = -1;
    };
    check([](auto& y, auto&) { y = counted_identity(y) + 1.0; });
    check([](auto& y, auto&) { y += counted_identity(y); });
    check([](auto& y, auto& v) { v += sum(counted_identity(y), axis=1); });
    check([](auto& y, auto&) { y = y - sum(counted_identity(y)); });
    check([](auto& y, auto&) { y(all, range(0, 490)) = counted_identity(y(all, range(0, 490))) * 2.0; });
    check([](auto& y, auto& v) { tie(y, v) = pack(counted_identity(y) * 2.0, v + 1.0); });
}

/// By its last element: no block follows that would notice.
TEST_F(cancelling, in_its_last_step) {
    if (!current_device().is_host()) return;
    std::stop_source source;
    cancel_test::source = &source;
    cancel_test::elements = 0;
    cancel_test::stop_at = 2000;
    expect_cancelled(source.get_token(), [](auto&, auto& v) { v = counted_identity(v); });
    cancel_test::stop_at = -1;
}

/// Requests a stop at one of the queries.
struct query_count {
    std::atomic<std::int64_t> left;
    static bool is_last(const void* token) { return --static_cast<query_count*>(const_cast<void*>(token))->left < 0; }
};

/// Runs an assignment until a query is answered yes. Returns how many queries were left.
template <class Assign>
std::int64_t queries_left(std::int64_t queries, const Assign& assign) {
    query_count count{queries};
    const detail::cancellation asked{&query_count::is_last, &count};
    const detail::scoped<const detail::cancellation*> set(detail::current_cancellation(), &asked);
    assign();
    return count.left;
}

TEST_F(cancelling, in_the_midst_of_functions_of_whole_arrays) {
    if (!current_device().is_host()) return;  // elsewhere between launches
    const array<float, 1> x = uniform<float>(random_key(1), {1 << 18});
    const array<float, 2> rows = reshape(x, {64, 1 << 12});
    const array<bool, 1> mask = x > 0.5f;
    const array<int, 1> bins = astype<int>(x * 100.f);
    const auto check = [](auto y, const char* name, const auto& assign) {
        constexpr std::int64_t many = 1'000'000;
        const auto before = to_host(y);
        auto copied = y;
        const std::int64_t used = many - queries_left(many, [&] { assign(copied); });
        EXPECT_GE(used, 10) << name;
        for (const std::int64_t at : {std::int64_t{0}, used / 4, used / 2}) {
            EXPECT_THROW(queries_left(at, [&] { assign(y); }), cancelled) << name << " at query " << at;
            EXPECT_EQ(to_host(y), before) << name;
        }
    };
    const array<float, 1> y = {1, 2};
    const array<float, 2> m = {{1, 2}};
    const array<std::int64_t, 1> n = {1, 2};
    check(y, "sort", [&](auto& to) { to = sort(x); });
    check(n, "argsort", [&](auto& to) { to = argsort(x); });
    check(m, "sort of rows", [&](auto& to) { to = sort(rows); });
    check(m, "topk", [&](auto& to) { to = topk(rows, 5); });
    check(n, "bincount", [&](auto& to) { to = bincount(bins, 100); });
    check(n, "histogram", [&](auto& to) { to = histogram(x, linspace(0.f, 1.f, 11)); });
    check(n, "searchsorted", [&](auto& to) { to = searchsorted(x, x); });
    check(y, "x(mask)", [&](auto& to) { to = x(mask); });
}

}  // namespace
}  // namespace sinter::test
