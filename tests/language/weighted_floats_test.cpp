// Products of float32 arrays with the softmax of another product's results, on any device, against the same in double
// precision on the host.
#include <tests/emulate/relative_error.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

#include <string>
#include <vector>

namespace sinter::test {
namespace {

class weighted_floats : public on_devices {
protected:
    /// Batches, rows, keys, steps and columns. With so many batches a GPU computes one kernel.
    static std::vector<index> sizes() {
        if (emulated()) return {{3, 70, 96, 32, 32}};
        return {{128, 64, 96, 32, 32}, {64, 70, 133, 64, 64}, {40, 64, 100, 128, 96}, {64, 64, 71, 19, 27}};
    }

    template <class T>
    struct operands {
        explicit operands(const index& n)
            : q(to_array<T, 3>(rounded({n[0], n[1], n[3]}, 1))),
              k(to_array<T, 3>(rounded({n[0], n[2], n[3]}, 2))),
              v(to_array<T, 3>(rounded({n[0], n[2], n[4]}, 3))),
              bias(to_array<T, 2>(rounded({n[1], n[2]}, 4))) {}
        static naive rounded(const index& shape, unsigned seed) {
            return map([](double x) { return static_cast<double>(static_cast<float>(x)); }, random(shape, seed));
        }
        auto scores() const { return matmul(q, permute(k, {0, 2, 1})) * T(0.25); }
        array<T, 3> q, k, v;
        array<T, 2> bias;
    };

    /// `f` of the operands.
    template <class F>
    static void expect(const F& f, const std::string& what) {
        for (const index& n : sizes()) {
            SCOPED_TRACE(what + ", sizes " + testing::PrintToString(n));
            const array<float, 3> result = f(operands<float>(n));
            const array<double, 3> found = astype<double>(result);
            const device_scope scope(host());
            const array<double, 3> exact = f(operands<double>(n));
            // a score of 50 is rounded by 2^-19, and its exponential as much in relation to itself
            EXPECT_LT(relative_error(to_naive(found), to_naive(exact)), 2e-5);
        }
    }
};

TEST_F(weighted_floats, of_scores) {
    expect([](const auto& of) { return matmul(softmax(of.scores(), axis=-1), of.v); }, "plain");
    expect([](const auto& of) { return matmul(softmax(of.scores() + of.bias, axis=-1), of.v); }, "a bias");
    expect([](const auto& of) { return matmul(softmax(tanh(of.scores() / 3) * 3, axis=-1), of.v); }, "a soft cap");
}

TEST_F(weighted_floats, of_masked_scores) {
    const auto masked = [](const auto& of, double instead) {
        const auto i = arange<int>(of.q.shape()[1])(all, newaxis), j = arange<int>(of.k.shape()[1])(newaxis, all);
        using T = typename std::remove_cvref_t<decltype(of.q)>::value_type;
        return matmul(softmax(where(j <= i, of.scores(), static_cast<T>(instead)), axis=-1), of.v);
    };
    expect([&](const auto& of) { return masked(of, -infinity); }, "minus infinity");
    expect([&](const auto& of) { return masked(of, -1e9); }, "-1e9");
}

}  // namespace
}  // namespace sinter::test
