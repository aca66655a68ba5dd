// `sum(x, 0)`: an axis is given by name.
// expect: error: static assertion failed.*sinter: a reduction takes one array or expression, then axis=... and keepdims by name
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x, axis=0);
#else
    auto e = sum(x, 0);
#endif
    (void)e;
}
