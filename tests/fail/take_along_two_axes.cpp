// There are as many indices as places along one axis.
// expect: error: static assertion failed.*sinter: this function goes along one axis, which is named: axis=1
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
