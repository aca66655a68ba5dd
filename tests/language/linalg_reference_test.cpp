// Linear algebra against NumPy's results, which tests/data/linalg.py wrote.
#include <sinter/linalg.hpp>
#include <tests/language/on_devices.hpp>

#include <cmath>
#include <complex>
#include <string>

namespace sinter::test {
namespace {

class linalg_reference : public on_devices {};

/// Arrays of one kind of numbers in the archive.
template <class T>
struct archive {
    static constexpr bool is_real = std::is_floating_point_v<T>;

    template <int Rank, class E = T>
    static array<E, Rank> read(const char* name) {
        return load_npz<E, Rank>(SINTER_TEST_DIR "/data/linalg.npz",
                                 (is_real ? "real_" : "complex_") + std::string(name));
    }
    /// Within `bound` of NumPy's, as parts of the greatest element.
    template <class E, class A>
    static void expect(const char* name, const A& found, double bound) {
        const auto want = to_host(read<A::rank, E>(name)), got = to_host(found);
        ASSERT_EQ(got.size(), want.size()) << name;
        double greatest = 0;
        for (const E& x : want) greatest = std::max<double>(greatest, std::abs(x));
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_LE(std::abs(got[i] - want[i]), bound * greatest) << name << ", element " << i;
    }
};

template <class T>
void expect_numpy() {
    using file = archive<T>;
    const array<T, 3> square = file::template read<3>("square"), tall = file::template read<3>("tall");
    const array<T, 3> definite = file::template read<3>("definite"), hermitian = file::template read<3>("hermitian");
    // a Hilbert matrix of order 6 has the condition 1.5e7
    file::template expect<T>("solve", solve(square, file::template read<3>("sides")), 1e-8);
    file::template expect<T>("inv", inv(square), 1e-8);
    file::template expect<T>("det", det(square), 1e-13);
    const auto [sign, log] = slogdet(square);
    file::template expect<T>("sign", sign, 1e-8);
    file::template expect<double>("log", log, 1e-9);
    file::template expect<T>("cholesky", cholesky(definite), 1e-13);
    file::template expect<T>("power", matrix_power(square, 5_c), 1e-13);
    const auto [q, r] = qr(tall);
    const array<T, 3> rows = r;
    const auto found = to_host(astype<T>(abs(rows(range(0, 2)))));  // of full rank
    const auto want = to_host(file::template read<3, double>("r"));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LE(std::abs(found[i] - want[i]), 1e-13);
    file::template expect<double>("svdvals", svdvals(tall), 1e-14);
    file::template expect<double>("eigvalsh", eigvalsh(hermitian), 1e-14);
    file::template expect<T>("pinv", pinv(tall), 1e-12);
    file::template expect<T>("lstsq", lstsq(tall, file::template read<3>("long")), 1e-12);
    file::template expect<double>("cond", cond(square), 1e-8);
    file::template expect<double>("spectral", spectral_norm(tall), 1e-14);
    file::template expect<double>("nuclear", nuclear_norm(tall), 1e-14);
    EXPECT_EQ(to_host(matrix_rank(tall)), to_host(file::template read<1, std::int64_t>("rank")));
}

TEST_F(linalg_reference, of_real_matrices) { expect_numpy<double>(); }
TEST_F(linalg_reference, of_complex_matrices) { expect_numpy<std::complex<double>>(); }

}  // namespace
}  // namespace sinter::test
