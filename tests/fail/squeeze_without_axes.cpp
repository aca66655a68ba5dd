// The rank is the type's, which knows no extents.
// expect: error: static assertion failed.*sinter: squeeze takes the axes to remove by name, since the rank is part of the type: squeeze\(x, axis=0\), axis=\{0, 2\}
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = squeeze(x, axis=0);
#else
    auto e = squeeze(x);
#endif
    (void)e;
}
