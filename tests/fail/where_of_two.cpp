// where chooses between two.
// expect: error: static assertion failed.*sinter: where takes a condition and two choices
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = where(x > 0, x, 0);
#else
    auto e = where(x > 0, x);
#endif
    (void)e;
}
