// A number is of rank 0.
// expect: error: static assertion failed.*sinter: stack takes operands of equal rank \(a number has rank 0\) and an axis by name: stack\(x, y, axis=1\);
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = stack(x, broadcast_to(2.0, x.shape()));
#else
    auto e = stack(x, 2.0);
#endif
    (void)e;
}
