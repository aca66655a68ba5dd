// Methods are quantile's.
// expect: error: static assertion failed.*sinter: nanquantile is linear and takes no method; quantile takes one:
#include <sinter.hpp>
#include <sinter/quantile.hpp>
using namespace sinter;

#ifdef SINTER_CONTROL
auto f(const array<float, 2>& x) { return nanquantile(x, 0.5, axis=0); }
#else
auto f(const array<float, 2>& x) { return nanquantile(x, 0.5, quantile_method::hazen, axis=0); }
#endif
