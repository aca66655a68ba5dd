// The functions of complex numbers against NumPy's results, which tests/data/make.py wrote: branch cuts, special values
// and accuracy in ulps, each part separately.
#include <tests/language/on_devices.hpp>

#include <cmath>
#include <complex>
#include <limits>

using namespace sinter;

namespace {

class complex_reference : public test::on_devices {};

/// A reference file, read on the host whatever device is being tested.
template <class T, int Rank>
std::vector<T> read(const std::string& name) {
    const device_scope on(host());
    return to_host(load_npy<T, Rank>(std::string(SINTER_TEST_DIR) + "/data/reference/" + name + ".npy"));
}

/// Whether two parts agree but for rounding; `signs` says whether zeros and infinities must agree in theirs.
template <class R>
bool agree(R got, R want, double roundings, bool signs) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (want == 0 || std::isinf(want))
        return std::abs(got) == std::abs(want) && (!signs || std::signbit(got) == std::signbit(want));
    return std::abs(got - want) <= static_cast<R>(roundings) * std::numeric_limits<R>::epsilon() * std::abs(want) +
                                       4 * std::numeric_limits<R>::denorm_min();
}

template <class R, class F>
void check(const char* function, int row, bool signs_at_infinity, F f) {
    using T = std::complex<R>;
    const std::vector<T> z = read<T, 1>(std::string("z_") + name(dtype_of<T>));
    const std::vector<std::complex<double>> all = read<std::complex<double>, 2>(std::string("complex_") + function);
    const std::vector<T> got = to_host(f(from_host(std::span<const T>(z), {z.size()})));
    ASSERT_EQ(all.size(), 2 * z.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
        const T want(all[static_cast<std::size_t>(row) * z.size() + i]);
        const bool signs = signs_at_infinity || (std::isfinite(z[i].real()) && std::isfinite(z[i].imag()));
        EXPECT_TRUE(agree(got[i].real(), want.real(), 8, signs) && agree(got[i].imag(), want.imag(), 8, signs))
            << function << z[i] << " of " << name(dtype_of<T>) << ": " << got[i] << ", not " << want;
    }
}

// Annex G leaves some signs at infinity open to the functions of an angle.
#define ROW(function, signs_at_infinity)                                                           \
    TEST_F(complex_reference, function) {                                                          \
        check<float>(#function, 0, signs_at_infinity, [](const auto& z) { return function(z); });  \
        check<double>(#function, 1, signs_at_infinity, [](const auto& z) { return function(z); }); \
    }
ROW(exp, false)
ROW(log, true)
ROW(sqrt, true)
ROW(sin, false)
ROW(cos, false)
ROW(tan, false)
ROW(sinh, false)
ROW(cosh, false)
ROW(tanh, false)
ROW(asin, true)
ROW(acos, true)
ROW(atan, true)
ROW(asinh, true)
ROW(acosh, true)
ROW(atanh, true)
#undef ROW

}  // namespace
