// The axis is a name.
// expect: error: static assertion failed.*sinter: concat joins operands of one rank, above 0, along an axis that is named
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
