// An axis is a whole number.
// expect: error: static assertion failed.*sinter: a shape is indexed by an integer: x.shape\(\)\[0\], x.shape\(\)\[-1\]
#include <sinter.hpp>
using namespace sinter;

auto f(const array<float, 2>& x, double half) {
#ifdef SINTER_CONTROL
    return x.shape()[static_cast<int>(half)];
#else
    return x.shape()[half];
#endif
}
