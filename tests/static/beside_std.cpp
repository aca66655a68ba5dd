// `using namespace std` beside `using namespace sinter`, with the headers whose functions have the same names: what is
// an array's is Sinter's, and no number's function has become ambiguous or another's. The names that are (array, max,
// min, end, reverse, and <numeric>'s gcd and lcm of two arrays) are said with their namespace.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numeric>
#include <sinter.hpp>
#include <type_traits>

using namespace std;
using namespace sinter;

namespace {

#define TYPE(...) remove_cvref_t<decltype(__VA_ARGS__)>::type
#define IS(type, ...) static_assert(is_same_v<decltype(__VA_ARGS__), type>)

using floats = sinter::array<float, 1>;
using integers_array = sinter::array<int, 1>;

[[maybe_unused]] void functions_of_arrays(floats x, integers_array i) {
    static_assert(TYPE(abs(x)) == dtype::float32 && TYPE(abs(i)) == dtype::int32);
    static_assert(TYPE(sqrt(x) + exp(x) + log(x) + sin(x) + cos(x) + tanh(x) + cbrt(x)) == dtype::float32);
    static_assert(TYPE(sqrt(i)) == dtype::float64);
    static_assert(TYPE(pow(x, 2)) == dtype::float32 && TYPE(pow(2.0, x)) == dtype::float32);
    static_assert(TYPE(hypot(x, 1) + atan2(x, x) + fmod(x, 2) + remainder(x, 2.0)) == dtype::float32);
    static_assert(TYPE(fmax(x, 0) + fmin(x, 0) + fdim(x, 1) + fma(x, 2, 1) + copysign(x, -1)) == dtype::float32);
    static_assert(TYPE(floor(x) + ceil(x) + trunc(x) + rint(x) + round(x) + round(x, 2)) == dtype::float32);
    static_assert(TYPE(erf(x) + lgamma(x) + tgamma(x) + expm1(x) + log1p(x)) == dtype::float32);
    static_assert(TYPE(isnan(x) || isinf(x) || isfinite(x) || signbit(x)) == dtype::bool_);
    static_assert(TYPE(clip(x, 0, 1)) == dtype::float32 && TYPE(where(x > 0, x, -inf)) == dtype::float32);
    static_assert(TYPE(real(x) + arg(x) + norm(x)) == dtype::float32);
    static_assert(TYPE(gcd(i, 12)) == dtype::int32 && TYPE(sinter::lcm(i, i)) == dtype::int32);
    static_assert(TYPE(sinter::max(x) + sinter::min(x) + sum(x) + mean(x)) == dtype::float32);
    static_assert(TYPE(x(range(1, sinter::end))) == dtype::float32);
    static_assert(TYPE(all(x > 0) && any(x > 0)) == dtype::bool_);
    floats y, z;
    tie(y, z) = pack(x + 1, x + 2);
    using sinter::array, sinter::max, sinter::end;  // in a function, these go before std's
    const array<float, 1> more = x(range(1, end));
    static_assert(TYPE(max(more, axis=0)) == dtype::float32);
}

IS(double, abs(-1.5));
IS(float, abs(-1.5F));
IS(int, abs(-1));
IS(long long, abs(-1LL));
IS(double, sqrt(2.0));
IS(float, sqrt(2.0F));
IS(double, sqrt(2));
IS(double, exp(1.0));
IS(float, pow(2.0F, 2.0F));
IS(double, pow(2, 3));
IS(double, hypot(3, 4));
IS(double, round(2.5));
IS(double, fmax(1.0, 2.0));
IS(bool, isnan(1.0));
IS(double, abs(std::complex<double>(3, 4)));  // complex is also a function of the library's
IS(std::complex<float>, exp(std::complex<float>(1)));
IS(double, maximum(1, 2.5));
IS(float, normcdf(0.5F));
IS(double, where(true, 1.0, 2));
IS(int, clip(7, 0, 5));
IS(int, gcd(12, 18));

/// A template of one's own goes before the library's.
template <class T>
char square(T) {
    return 0;
}
IS(char, square(2.0));

}  // namespace
