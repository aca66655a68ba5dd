// The axes are named.
// expect: error: static assertion failed.*sinter: a reduction takes one array or expression, then axis=\.\.\.
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& m) {
#ifdef SINTER_CONTROL
    (void)sum(m, axis={0, 1});
#else
    (void)sum(m, {0, 1});
#endif
}
