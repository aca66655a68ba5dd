// An expression has no memory.
// expect: error: static assertion failed.*sinter: data does not take these arguments: .*array y = e
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 1>& x) {
#ifdef SINTER_CONTROL
    array y = x + 1;
    (void)data(y);
#else
    (void)data(x + 1);
#endif
}
