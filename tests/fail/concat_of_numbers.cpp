// As in NumPy, numbers have no axis to be joined along.
// expect: error: static assertion failed.*sinter: concat joins operands of one rank, above 0, .*stack\(x, y\) joins numbers
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
