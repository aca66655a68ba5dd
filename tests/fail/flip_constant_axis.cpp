// A constant axis is checked when it is compiled.
// expect: error: static assertion failed.*sinter: the axis is out of range: axes of an expression of rank r are -r to r-1
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = flip(x, axis=1_c);
#else
    auto e = flip(x, axis=2_c);
#endif
    (void)e;
}
