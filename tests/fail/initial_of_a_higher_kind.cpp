// A sum of integers does not start from a fraction.
// expect: error: static assertion failed.*sinter: initial= has a higher kind than the result
#include <sinter.hpp>
using namespace sinter;

void f(array<int, 1>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x, initial=1);
#else
    auto e = sum(x, initial=0.5);
#endif
    (void)e;
}
