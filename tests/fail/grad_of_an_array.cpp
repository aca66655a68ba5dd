// A gradient is that of one number.
// expect: error: static assertion failed.*sinter: the loss of a gradient must be a single number: reduce it, for example by sum or mean
#include <sinter.hpp>
using namespace sinter;

void f(const array<float, 1>& x) {
#ifdef SINTER_CONTROL
    const array<float, 1> g = grad(sum(x * x), x);
#else
    const auto g = grad(x * x, x);
#endif
}
