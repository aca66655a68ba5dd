// A negative constant axis beyond the first one.
// expect: error: static assertion failed.*sinter: the axis is out of range: axes of an expression of rank r are -r to r-1
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 3>& x) {
#ifdef SINTER_CONTROL
    auto e = max(x, axis=-3_c, keepdims);
#else
    auto e = max(x, axis=-4_c, keepdims);
#endif
    (void)e;
}
