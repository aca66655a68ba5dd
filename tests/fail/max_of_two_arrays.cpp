// `max(x, y)`, which reduces one array, for `maximum(x, y)`.
// expect: error: static assertion failed.*sinter: a reduction takes one array or expression, then axis=\.\.\. and keepdims by name: sum\(x, axis=1, keepdims\); for
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x, array<float, 2>& y) {
#ifdef SINTER_CONTROL
    auto e = maximum(x, y);
#else
    auto e = max(x, y);
#endif
    (void)e;
}
