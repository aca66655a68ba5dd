// The extents are one argument.
// expect: error: static assertion failed.*sinter: the extents are one list in braces, or a shape: reshape\(x, \{n, m\}\)
#include <sinter.hpp>
using namespace sinter;

void f(array<float, 2>& x) {
#ifdef SINTER_CONTROL
    auto e = reshape(x, {3, 2});
#else
    auto e = reshape(x, 3, 2);
#endif
    (void)e;
}
