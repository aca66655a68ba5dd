// As in NumPy, numbers have no axis to be joined along.
// expect: error: static assertion failed.*sinter: concat takes operands of equal rank, at least 1, and an axis by name: concat\(x, y, axis=1\); for numbers write
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = stack(sum(x), 1.0);
#else
    auto e = concat(sum(x), 1.0);
#endif
    (void)e;
}
