// Half of a pair.
// expect: error: static assertion failed.*sinter: maximum does not take these arguments: write maximum\(x, y\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = maximum(x, 0);
#else
    auto e = maximum(x);
#endif
    (void)e;
}
