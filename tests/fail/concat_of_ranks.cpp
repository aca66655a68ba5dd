// A row is appended to a matrix as a matrix of one row.
// expect: error: static assertion failed.*sinter: concat takes operands of equal rank, at least 1, and an axis by name: concat\(x, y, axis=1\); for numbers write
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = concat(x, x(0)(newaxis));
#else
    auto e = concat(x, x(0));
#endif
    (void)e;
}
