// The same of a composite function.
// expect: error: static assertion failed.*sinter: a reduction takes one array or expression, then axis=... and keepdims by name
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = mean(x, axis=0);
#else
    auto e = mean(x, 0);
#endif
    (void)e;
}
