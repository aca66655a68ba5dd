// There is no element 0.5.
// expect: error: static assertion failed.*sinter: the bounds of a range are integers: range\(1, 5\), range\(0, end, 2\), range\(1, end - 1\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = x(range(0, 2));
#else
    auto e = x(range(0.5, 2));
#endif
    (void)e;
}
