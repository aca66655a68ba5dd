// A row is appended to a matrix as a matrix of one row.
// expect: error: static assertion failed.*sinter: concat joins operands of one rank, above 0, along an axis that is named: concat\(x, y, axis=1\)
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
