// The whole axis is all, a range has bounds.
// expect: error: static assertion failed.*sinter: range does not take these arguments: write range\(stop\)
#include <sinter.hpp>
using namespace sinter;

void f() {
#ifdef SINTER_CONTROL
    (void)range(3);
#else
    (void)range();
#endif
}
