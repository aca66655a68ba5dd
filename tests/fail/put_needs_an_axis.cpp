// A matrix has two axes to write along.
// expect: error: static assertion failed.*sinter: put needs an axis for an operand of several axes: put\(x, i, v, axis=0\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = put(x, i, 1, axis=1);
#else
    auto e = put(x, i, 1);
#endif
    (void)e;
}
