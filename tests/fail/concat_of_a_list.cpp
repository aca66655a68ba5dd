// NumPy's list of operands.
// expect: error: static assertion failed.*sinter: operands are separate arguments, not a list: concat\(x, y, axis=1\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = concat(x, x);
#else
    auto e = concat({x, x});
#endif
    (void)e;
}
