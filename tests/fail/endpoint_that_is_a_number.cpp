// The last value is one of them or not.
// expect: error: static assertion failed.*sinter: linspace does not take these arguments: write .*endpoint is a bool
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    auto e = linspace(0, 1, 5, endpoint=false);
#else
    auto e = linspace(0, 1, 5, endpoint=0);
#endif
    (void)e;
}
