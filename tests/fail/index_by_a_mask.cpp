// `x[x > 0]`: how many elements that is, only run time can tell.
// expect: error: static assertion failed.*sinter: an index is an integer, range\(...\), all or newaxis; where\(mask, x, y\) chooses by a mask
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = where(x > 0, x, 0);
#else
    auto e = x(x > 0);
#endif
    (void)e;
}
