// How often is a number of times.
// expect: error: static assertion failed.*sinter: repeat takes one count, an integer: repeat\(x, 2, axis=0\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = repeat(x, 2, axis=0);
#else
    auto e = repeat(x, 2.5, axis=0);
#endif
    (void)e;
}
