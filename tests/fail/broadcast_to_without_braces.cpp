// The extents are one argument.
// expect: error: static assertion failed.*sinter: the extents are one list in braces, or a shape: broadcast_to\(x, \{n, m\}\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = broadcast_to(x, {2, 2, 3});
#else
    auto e = broadcast_to(x, 2, 2, 3);
#endif
    (void)e;
}
