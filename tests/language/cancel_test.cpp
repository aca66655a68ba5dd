// Evaluations cancelled before they start and while they run: they throw, and the target keeps its value.
#include <sinter/cancel.hpp>
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

}  // namespace
}  // namespace sinter::test
