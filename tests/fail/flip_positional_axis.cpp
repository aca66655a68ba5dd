// The axis is a name.
// expect: error: static assertion failed.*sinter: axes are given by name: axis=1, axis=\{0, 1\}, or axis=1_c
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = flip(x, axis=1);
#else
    auto e = flip(x, 1);
#endif
    (void)e;
}
