// Axes have a name.
// expect: error: static assertion failed.*sinter: flip does not take these arguments: write flip\(x, axis=1\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    (void)flip(x, axis={0, 1});
#else
    (void)flip(x, {0, 1});
#endif
}
