// A composite function says the same of its axis as a reduction.
// expect: error: static assertion failed.*sinter: the axis is out of range: axes of an expression of rank r are -r to r-1
#include <sinter.hpp>
using namespace sinter;

void f(array<int, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = mean(x, axis=0_c);
#else
    auto e = mean(x, axis=1_c);
#endif
    (void)e;
}
