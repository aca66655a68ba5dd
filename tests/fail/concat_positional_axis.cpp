// The axis is a name.
// expect: error: static assertion failed.*sinter: concat takes operands of equal rank, at least 1, and an axis by name: concat\(x, y, axis=1\); for numbers write
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = concat(x, x, axis=1);
#else
    auto e = concat(x, x, 1);
#endif
    (void)e;
}
