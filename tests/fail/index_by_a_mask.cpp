// `x[x > 0]` is in a header of its own.
// expect: error: static assertion failed.*sinter: x\(mask\) needs #include <sinter/masks\.hpp>; where\(mask, x, y\) and sum\(x, where=mask\) do not
// <sinter/masks.hpp>
#include <sinter.hpp>
#ifdef SINTER_CONTROL
#include <sinter/masks.hpp>
#endif
using namespace sinter;

void f(array<float, 1>& x) {
    auto e = x(x > 0);
    (void)e;
}
