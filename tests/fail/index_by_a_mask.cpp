// `x[x > 0]` is in a header of its own.
// expect: error: static assertion failed.*sinter: what a mask chooses is in a header of its own: #include
// <sinter/masks.hpp>
#include <sinter.hpp>
#ifdef SINTER_CONTROL
#include <sinter/masks.hpp>
#endif
using namespace sinter;

void f(array<float, 1>& x) {
    auto e = x(x > 0);
    (void)e;
}
