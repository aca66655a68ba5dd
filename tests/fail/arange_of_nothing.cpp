// A range ends somewhere.
// expect: error: static assertion failed.*sinter: arange does not take these arguments: write arange\(stop\), arange\(start, stop\) or
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    auto e = arange(3);
#else
    auto e = arange();
#endif
    (void)e;
}
