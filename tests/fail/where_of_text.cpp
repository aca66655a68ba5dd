// Text is no element.
// expect: error: static assertion failed.*sinter: operands are arrays, expressions and C\+\+ numbers
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = where(x > 0, 1, x);
#else
    auto e = where(x > 0, "positive", x);
#endif
    (void)e;
}
