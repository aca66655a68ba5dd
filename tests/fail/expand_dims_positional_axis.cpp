// The axis is a name.
// expect: error: static assertion failed.*sinter: expand_dims takes the new axes by name: expand_dims\(x, axis=0\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = expand_dims(x, axis=0);
#else
    auto e = expand_dims(x, 0);
#endif
    (void)e;
}
