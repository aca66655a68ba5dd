// The axis is a name.
// expect: error: static assertion failed.*sinter: roll takes a shift and the axis by name: roll\(x, 1, axis=0\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = roll(x, 1, axis=0);
#else
    auto e = roll(x, 1, 0);
#endif
    (void)e;
}
