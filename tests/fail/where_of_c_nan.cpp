// nan is a function of C's <math.h>.
// expect: error: static assertion failed.*sinter: a function is not an operand; nan is a function of C, the number is NaN
#include <math.h>
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = where(x > 0, x, NaN);
#else
    auto e = where(x > 0, x, nan);
#endif
    (void)e;
}
