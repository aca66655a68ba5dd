// There are as many indices as places along one axis.
// expect: error: static assertion failed.*sinter: this function works along one axis, given by name: axis=1, or axis=1_c
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<int, 1>& i) {
#ifdef SINTER_CONTROL
    auto e = take(x, i, axis=0);
#else
    auto e = take(x, i, axis={0, 1});
#endif
    (void)e;
}
