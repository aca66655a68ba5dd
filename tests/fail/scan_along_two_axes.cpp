// It goes along one of them.
// expect: error: static assertion failed.*sinter: a cumulative function works along one axis: cumsum\(x, axis=1\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 3>& x) {
#ifdef SINTER_CONTROL
    auto e = cumsum(x, axis=1);
#else
    auto e = cumsum(x, axis={0, 1});
#endif
    (void)e;
}
