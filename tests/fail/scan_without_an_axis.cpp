// A cumulative function of several axes must be told which it goes along.
// expect: error: static assertion failed.*sinter: a cumulative function needs an axis if the operand has several: cumsum\(x, axis=0\); NumPy's flattened result is
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x, axis=0);
#else
    auto e = cumsum(x);
#endif
    (void)e;
}
