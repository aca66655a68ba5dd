// The bounds are numbers.
// expect: error: static assertion failed.*sinter: arange does not take these arguments: write arange\(stop\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    (void)arange(0, 5);
#else
    (void)arange({0, 5});
#endif
}
