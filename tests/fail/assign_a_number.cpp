// `x = 0` would have to be of some shape.
// expect: error: static assertion failed.*sinter: a number has no shape: fill x by x\(all\) = value
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    x(all) = 0.f;
#else
    x = 0.f;
#endif
}
