// Products that are read through permutations and reshapes, as heads of attention are, against the same steps assigned
// to arrays one by one.
#include <sinter/sort.hpp>

#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class stored_views : public on_devices {
protected:
    template <class T, int Rank>
    static array<T, Rank> numbers(const shape<Rank>& extents, std::uint64_t seed) {
        return astype<T>(uniform<double>(random_key(seed), extents) - 0.5);
    }

    /// steps(f) applies f to each intermediate value: nothing, or the assignment to an array.
    template <class T, int Rank, class F>
    static void check(F steps, double tolerance) {
        const array<T, Rank> fused = steps([](const auto& e) { return e; });
        const array<T, Rank> stepwise =
            steps([]<operand E>(const E& e) { return array<element_t<E::type>, E::rank>(e); });
        expect_equal(array<double, Rank>(astype<double>(fused)),
                     to_naive(array<double, Rank>(astype<double>(stepwise))), tolerance);
    }

    template <class T>
    static void check_all(double tolerance) {
        const auto x = numbers<T, 3>({2, 12, 24}, 1);
        const auto w = numbers<T, 2>({24, 24}, 2), v = numbers<T, 2>({24, 24}, 3);
        // split, multiplied, joined in another order
        check<T, 3>(
            [&](auto f) {
                const auto h = f(moveaxis(reshape(f(matmul(x, w)), {2, 12, 3, 8}), 2, 1));
                const auto s = f(matmul(h, permute(h, {0, 1, 3, 2})));
                return f(matmul(f(reshape(permute(f(matmul(s, h)), {0, 2, 1, 3}), {2, 12, 24})), v));
            },
            tolerance);
        // several readers, of which some see other axes
        check<T, 2>(
            [&](auto f) {
                const auto p = f(matmul(w, v));
                return f(matmul(f(transpose(p)), f(reshape(f(tanh(p)), {24, 24}))) + p);
            },
            tolerance);
        // another order first, then fewer axes; more axes of extent 1
        check<T, 2>(
            [&](auto f) {
                const auto p = f(reshape(permute(f(matmul(x, w)), {2, 0, 1}), {24, 24}));
                return f(matmul(p, v));
            },
            tolerance);
        check<T, 4>(
            [&](auto f) {
                const auto p = f(reshape(f(matmul(x, w)), {2, 1, 12, 24}));
                return f(matmul(f(permute(p, {1, 0, 2, 3})), v) * 2);
            },
            tolerance);
        // parts and repetitions are no permutations
        check<T, 2>(
            [&](auto f) {
                const auto p = f(matmul(w, v));
                return f(matmul(f(p(range(1, 13), all)), f(transpose(p)(all, range(end, 0, -2)))));
            },
            tolerance);
        // a function of whole arrays stores its result as it is
        check<T, 1>(
            [&](auto f) {
                return f(sum(reshape(permute(f(sort(x)), {0, 2, 1}), {48, 12}), axis=1));
            },
            tolerance);
        check<T, 1>(
            [&](auto f) {
                return f(sum(exp(reshape(transpose(f(matmul(w, v))), {48, 12})), axis=1));
            },
            tolerance);
    }
};

TEST_F(stored_views, of_doubles) { check_all<double>(1e-12); }
TEST_F(stored_views, of_floats) { check_all<float>(1e-4); }
TEST_F(stored_views, of_halves) { check_all<float16>(1e-2); }
TEST_F(stored_views, of_bfloat16) { check_all<bfloat16>(8e-2); }

}  // namespace
}  // namespace sinter::test
