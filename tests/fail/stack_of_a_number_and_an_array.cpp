// A number is of rank 0.
// expect: error: static assertion failed.*sinter: stack joins operands of one rank, numbers of rank 0, along an axis that is named: stack\(x, y, axis=1\)
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
