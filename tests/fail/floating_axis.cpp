// An axis is a number of an axis.
// expect: error: static assertion failed.*sinter: an axis is an integer, a list of integers, or a constant: axis=1, axis=\{0, 2\}, axis=2_c
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x, axis=1);
#else
    auto e = sum(x, axis=1.0);
#endif
    (void)e;
}
