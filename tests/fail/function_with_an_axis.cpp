// Elementwise functions go along no axis.
// expect: error: static assertion failed.*sinter: sqrt does not take these arguments: write sqrt\(x\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sqrt(sum(x, axis=0));
#else
    auto e = sqrt(x, axis=0);
#endif
    (void)e;
}
