// An expression has no elements yet to copy.
// expect: error: static assertion failed.*sinter: copy does not take these arguments: .*array y = e
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array y = x + 1;
    (void)y;
#else
    (void)copy(x + 1);
#endif
}
