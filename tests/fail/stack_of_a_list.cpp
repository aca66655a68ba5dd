// NumPy's list of operands.
// expect: error: static assertion failed.*sinter: operands are separate arguments, not a list: stack\(x, y, axis=1\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = stack(x, x, axis=1);
#else
    auto e = stack({x, x}, axis=1);
#endif
    (void)e;
}
