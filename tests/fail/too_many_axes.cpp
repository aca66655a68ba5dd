// More axes to reduce than there are.
// expect: error: static assertion failed.*sinter: there are more axes to reduce than the expression has
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = sum(x, axis={0, 1});
#else
    auto e = sum(x, axis={0, 1, 2});
#endif
    (void)e;
}
